import fc from 'fast-check';
import { expect, test } from 'vitest';
import { axesOf, listedTwice, listWords, single } from '../../runner/workloads/lists.ts';

const keys = ['clients', 'rate'] as const;
interface Listed {
  clients: number | number[];
  rate?: number | number[] | undefined;
}

test('a key with a list is an axis; one with a number, or with nothing, is none', () => {
  expect(axesOf({ clients: [8, 16], rate: 5 }, keys)).toEqual({ clients: [8, 16] });
  expect(axesOf({ clients: 8 }, keys)).toEqual({});
});

test('at a level, each key has its value there; without one, its first value; and nothing else changes', () => {
  const workload = { clients: [8, 16], rate: [1, 2], scale: [3] };
  expect(single(workload, keys, { clients: 16 })).toEqual({ clients: 16, rate: 1, scale: [3] });
  expect(single<Listed, 'clients' | 'rate'>({ clients: 8 }, keys)).toEqual({ clients: 8 });
});

test('every value of a list is found again at its own level', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1 }), { minLength: 1 }), (clients) => {
      const workload: Listed = { clients };
      expect(
        axesOf(workload, keys)['clients']?.map((value) => single(workload, keys, { clients: value }).clients),
      ).toEqual(clients);
      expect(listedTwice(workload, keys)).toEqual([]);
    }),
  );
});

test('a value that is listed twice is a problem at its second place', () => {
  const [problem, ...others] = listedTwice({ clients: [8, 16, 8] }, keys);
  expect([problem, others]).toMatchObject([{ rule: 'listed-twice', path: ['clients', 2] }, []]);
});

test('a list is read as in a sentence', () => {
  expect(listWords(1, 'client')).toBe('1 client');
  expect(listWords(1000, 'client')).toBe('1,000 clients');
  expect(listWords([1, 16], 'client')).toBe('1 and 16 clients');
  expect(listWords([8, 16, 32], 'client')).toBe('8, 16 and 32 clients');
});

import { expect, test } from 'vitest';
import { boundServers } from '../../runner/rds/contract/binding.ts';
import { serverName, serversAt, serversOf } from '../../runner/contract/server.ts';
import { type Conditions, conditionsWords, levelWords } from '../../runner/contract/trial.ts';
import { boundInstance } from '../helpers/fakes/fake-rds.ts';

test('the only server of a variant has its name, one of several a number behind it', () => {
  expect(serversOf(['a', 'b'], 1).map(serverName)).toEqual(['a', 'b']);
  expect(serversOf(['a', 'b'], 2).map(serverName)).toEqual(['a-1', 'a-2', 'b-1', 'b-2']);
  const conditions: Conditions = { variant: 'a', replica: 2, clients: 16 };
  expect(serverName(conditions)).toBe('a-2');
});

test('no two servers of an experiment have the same name, whatever its variants are called', () => {
  const names = serversOf(['a', 'a-1', 'a-1-2', 'a-12'], 20).map(serverName);
  expect(new Set(names).size).toBe(80);
});

test('a binding holds what is expected of a variant once, and tells of each of its servers', () => {
  const variants = { a: boundInstance(), b: { ...boundInstance(), identifier: ['b-one', 'b-two'] } };
  const { expected } = boundInstance();
  expect([...boundServers({ variants })]).toEqual([
    ['a', { kind: 'instance', identifier: 'alice-dlv-with-dlv', expected }],
    ['b-1', { kind: 'instance', identifier: 'b-one', expected }],
    ['b-2', { kind: 'instance', identifier: 'b-two', expected }],
  ]);
});

test('a level that names a replica speaks of its servers, any other of all', () => {
  const servers = serversOf(['a', 'b'], 2).map(({ variant, replica }) => ({ name: variant, replica: Number(replica) }));
  expect(serversAt(servers, { replica: 2, clients: 8 })).toEqual([
    { name: 'a', replica: 2 },
    { name: 'b', replica: 2 },
  ]);
  expect(serversAt(servers, { clients: 8 }, 'b')).toHaveLength(2);
  expect(serversAt([{ name: 'a' }, { name: 'b' }], { clients: 8 }, 'a')).toEqual([{ name: 'a' }]);
});

test('a trial is told by its variant, its replica and what else was varied', () => {
  expect(levelWords({ replica: 2, clients: 1600 })).toBe('replica 2, 1,600 clients');
  expect(conditionsWords({ replica: 2, clients: 16, variant: 'a' })).toBe('a on replica 2 at 16 clients');
});

import { describe, expect, it } from 'vitest';
import { missingSince } from '../../../runner/workloads/own-data/generator.ts';

const customer = { kind: 'table', name: 'public.customer' };
const held = { objects: [customer, { kind: 'index', name: 'public.customer_pkey' }], bytes: 100 * 2 ** 20 };

describe('what is missing from own data', () => {
  it('is nothing where all is there, and nothing where trials have added to it', () => {
    expect(missingSince(held, held)).toEqual([]);
    const added = { kind: 'table', name: 'public.new' };
    expect(missingSince(held, { objects: [...held.objects, added], bytes: 2 * held.bytes })).toEqual([]);
  });

  it('is what there was by name, and most of its size', () => {
    expect(missingSince(held, { objects: [customer], bytes: 49 * 2 ** 20 })).toEqual([
      'index public.customer_pkey',
      expect.stringMatching(/^most of the data \(100 MiB after loading, 49/),
    ]);
  });

  it('is named by a few of many', () => {
    const names = Array.from({ length: 20 }, (_, index) => `public.t${index}`);
    const many = { objects: names.map((name) => ({ kind: 'table', name })), bytes: 0 };
    expect(missingSince(many, { objects: [], bytes: 0 })).toEqual([
      ...names.slice(0, 5).map((name) => `table ${name}`),
      '15 other tables, indexes or functions',
    ]);
  });

  it('cannot be told without a record of what there was', () => {
    expect(missingSince('all of it', held)).toEqual(['a record of what was loaded']);
  });
});

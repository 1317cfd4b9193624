import { describe, expect, it } from 'vitest';
import { missingSince } from '../../../runner/workloads/own-data/generator.ts';

const held = { objects: ['table public.customer', 'index public.customer_pkey'], bytes: 100 * 2 ** 20 };

describe('what is missing from own data', () => {
  it('is nothing where all is there, and nothing where trials have added to it', () => {
    expect(missingSince(held, held)).toEqual([]);
    expect(missingSince(held, { objects: [...held.objects, 'table public.new'], bytes: 2 * held.bytes })).toEqual([]);
  });

  it('is what there was by name, and most of its size', () => {
    expect(missingSince(held, { objects: ['table public.customer'], bytes: 49 * 2 ** 20 })).toEqual([
      'index public.customer_pkey',
      expect.stringMatching(/^most of the data \(100 MiB after loading, 49/),
    ]);
  });

  it('is named by a few of many', () => {
    const many = { objects: Array.from({ length: 20 }, (_, index) => `table public.t${index}`), bytes: 0 };
    expect(missingSince(many, { objects: [], bytes: 0 })).toEqual([
      ...many.objects.slice(0, 5),
      '15 other tables, indexes or functions',
    ]);
  });

  it('cannot be told without a record of what there was', () => {
    expect(missingSince('all of it', held)).toEqual(['a record of what was loaded']);
  });
});

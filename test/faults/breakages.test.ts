import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { breakages } from './breakages.ts';
import { allCases } from './cases.ts';
import { plannedInjection } from './plan.ts';
import { broken } from './project-copy.ts';

const project = path.resolve(import.meta.dirname, '../..');

describe.each(Object.entries(breakages))('the breakage %s', (_, breakage) => {
  test('fits the source, and has cases that should notice it', () => {
    const source = readFileSync(path.join(project, breakage.file), 'utf8');
    expect(broken(source, breakage)).not.toBe(source);
    if (breakage.cases !== 'power cut') expect(allCases.filter(breakage.cases)).not.toEqual([]);
  });
});

describe('the plan', () => {
  const described = (seed: number, number: number) => {
    const { draw: _, ...injection } = plannedInjection(seed, number, allCases);
    return injection;
  };

  test('is the same for the same seed and number, and another for another seed', () => {
    expect(described(1, 7)).toEqual(described(1, 7));
    expect([1, 2, 3].map((number) => described(1, number))).not.toEqual(
      [1, 2, 3].map((number) => described(2, number)),
    );
  });

  test('takes every case once before it takes one again', () => {
    const names = allCases.map((_, index) => {
      const { place, target, kind, phase } = described(3, index + 1);
      return `${place} ${target} ${kind} ${phase}`;
    });
    expect(new Set(names).size).toBe(allCases.length);
  });
});

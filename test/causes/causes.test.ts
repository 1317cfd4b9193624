import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { causes } from '../../runner/analysis/explanation/causes.ts';
import { mechanisms } from '../../runner/analysis/explanation/mechanisms.ts';
import { faultsOf, planted } from './causes.ts';
import { unseen } from './unseen.ts';

describe('planted causes', () => {
  it('are twelve, six pairs and four without an effect', () => {
    const counts = [1, 2, 0].map((size) => Object.values(planted).filter(({ must }) => must.length === size).length);
    expect(counts).toEqual([12, 6, 4]);
  });

  it('have an experiment each, like those that nobody fitted an explanation to', () => {
    const files = readdirSync(path.join(import.meta.dirname, 'experiments'));
    const names = [...Object.keys(planted), ...Object.keys(unseen)];
    expect(names.map((name) => `${name}.yaml`).sort()).toEqual(files.sort());
  });

  it('are checked by hand to matter, if no explanation was fitted to them', () => {
    expect(Object.keys(unseen)).toHaveLength(14);
    expect(Object.values(unseen).filter(({ timesSlower }) => timesSlower < 1.4)).toEqual([]);
  });

  it('have names of mechanisms', () => {
    const names = [...causes, ...mechanisms].map(({ name }) => name);
    for (const { must, may = {} } of Object.values(planted)) {
      expect(names).toEqual(expect.arrayContaining([...must, ...Object.keys(may)]));
    }
  });

  it('fail on a missing name, on a false one, and on one that is not first', () => {
    expect(faultsOf(['a'], { must: ['a'] })).toEqual([]);
    expect(faultsOf([], { must: ['a'] })).toEqual(['a is missing']);
    expect(faultsOf(['a', 'b'], { must: ['a'] })).toEqual(['b is false']);
    expect(faultsOf(['b'], { must: [] })).toEqual(['b is false']);
    expect(faultsOf(['b', 'a'], { must: ['a'], may: { b: 'x' } })).toEqual(['b is first']);
  });
});

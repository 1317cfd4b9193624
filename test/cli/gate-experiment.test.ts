import { describe, expect, it } from 'vitest';
import { gateName, isBuilt, withSourceAt } from '../../runner/cli/actions/gate-experiment.ts';
import { parsedExperiment } from '../helpers/samples/parsed-experiment.ts';

const storage = { type: 'local' };
const inOwn = (folder: string): boolean => folder.startsWith('..');

function variantWith(changes: object) {
  const { variants } = parsedExperiment({
    ...{
      name: 'one',
      question: 'Which?',
      baseline: 'one',
      workload: {
        tool: 'pgbench',
        scale: 1,
        clients: 1,
        threads: 1,
        durationSeconds: 10,
        scripts: [{ builtin: 'tpcb-like' }],
      },
    },
    variants: { one: { storage, ...changes }, two: { storage } },
  });
  const { one } = variants;
  if (!one) throw new Error('no variant');
  return one;
}

describe('what a gate builds', () => {
  it.each([
    [
      { git: '..', commit: 'main' },
      { git: '..', commit: 'abc' },
    ],
    [{ path: '../src' }, { git: '../src', commit: 'abc' }],
    [
      { git: 'https://example.org/a.git', commit: 'main' },
      { git: 'https://example.org/a.git', commit: 'main' },
    ],
    [{ path: '/usr/src/postgres' }, { path: '/usr/src/postgres' }],
  ])('of %j is %j at commit abc', (source, expected) => {
    const variant = variantWith({ engine: { source }, extension: { source } });
    const { engine, extension } = withSourceAt(variant, inOwn, 'abc');
    expect(engine.source).toMatchObject(expected);
    expect(Object.keys(engine.source ?? {}).sort()).toEqual([...Object.keys(expected), 'configure'].sort());
    expect(extension).toEqual({ source: expected });
    expect(isBuilt(variant, inOwn)).toBe(JSON.stringify(expected).includes('abc'));
  });
});

it('a gate has a name that an experiment may have, however long that of its own is', () => {
  expect(gateName('a'.repeat(34) + '-' + 'b'.repeat(5))).toBe(`${'a'.repeat(34)}-gate`);
});

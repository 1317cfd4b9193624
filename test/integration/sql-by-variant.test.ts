import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { shopRunOf, shopWorkload } from '../helpers/processes/shop-run.ts';
import type { TinyRun } from '../helpers/processes/tiny-run.ts';

const shop = {
  common: { storage: { type: 'local' } },
  variants: { 'as-loaded': {}, migrated: { prepare: ['index.sql', 'migrations/', 'ANALYZE purchase'] } },
  baseline: 'as-loaded',
  protocol: { blocks: 1, warmUpSeconds: 0, repeats: 0, reset: ['restore'] },
};

function shopRun(changes: object = {}, files: Readonly<Record<string, string>> = {}): TinyRun {
  return shopRunOf(
    { ...shop, ...changes },
    {
      'schema.sql': 'CREATE TABLE purchase AS SELECT i AS id, i % 50 AS customer FROM generate_series(1, 1000) i;\n',
      'look.sql': 'SELECT count(*) FROM purchase WHERE customer = 7;\n',
      'migrations/2.sql': "UPDATE purchase SET note = 'old';\n",
      ...files,
    },
  );
}

describe('files of prepare', () => {
  it('are run by psql in their order, each with its time, and are kept and hashed as inputs', async () => {
    const tiny = shopRun();
    const { steps, tool, trials } = await tiny.measured();
    const prepared = steps.flatMap(({ loads = [] }) => loads.flatMap((load) => load.prepared ?? []));
    const files = ['index.sql', 'migrations/1.sql', 'migrations/2.sql'];
    expect(prepared.map(({ sql }) => sql)).toEqual([...files, 'ANALYZE purchase']);
    expect(prepared.every(({ seconds }) => seconds > 0)).toBe(true);
    expect(Object.keys(tool?.files ?? {})).toEqual(expect.arrayContaining(files));
    const kept = path.join(tiny.folder, 'results/tiny/latest/inputs/files');
    expect(files.filter((file) => !existsSync(path.join(kept, file)))).toEqual([]);
    expect(trials.map(({ state }) => state)).toEqual(['finished', 'finished']);
    const again = await tiny.run('load-run', 'results/tiny/latest', '--local', '--volumes', 'folders').ended;
    expect(again.exitCode, again.stderr).toBe(0);
    expect((await tiny.run('verify', 'results/tiny/latest').ended).exitCode).toBe(0);
  });

  it('end the run with file and line if the server refuses one', async () => {
    const text = await shopRun({}, { 'migrations/2.sql': 'SELECT 1;\nALTER TABLE purchas ADD x int;\n' }).refused();
    expect(text).toContain('prepare migrations/2.sql, line 2, on migrated');
    expect(text).toContain('"purchas" does not exist');
  });
});

describe('scripts of a variant', () => {
  const scripts = (...names: string[]) => names.map((file) => ({ file }));

  it('are run on it alone; those that both variants have are compared, and all are measured', async () => {
    const tiny = shopRun(
      {
        variants: { one: {}, two: { scripts: scripts('look.sql', 'two.sql') } },
        baseline: 'one',
        workload: { ...shopWorkload, scripts: scripts('look.sql', 'one.sql') },
        protocol: { ...shop.protocol, blocks: 6 },
      },
      { 'one.sql': 'SELECT 1;\n', 'two.sql': 'SELECT 2;\n' },
    );
    const { comparisons, trials } = await tiny.measured();
    const tpsOf = (variant: string): string[] => {
      const { measures = {} } = trials.find(({ conditions }) => conditions.variant === variant) ?? {};
      return Object.keys(measures).filter((name) => name.startsWith('tps@'));
    };
    expect(tpsOf('one').sort()).toEqual(['tps@look', 'tps@one']);
    expect(tpsOf('two').sort()).toEqual(['tps@look', 'tps@two']);
    const compared = comparisons.map(({ metric }) => metric);
    expect(compared).toContain('tps@look');
    expect(compared).not.toContain('tps@one');
    expect(compared).not.toContain('tps@two');
    const failed = comparisons.flatMap(({ checks }) => checks.filter(({ state }) => state === 'fail'));
    expect(failed).toEqual([]);
  });

  it('are tried on their own variant before the first trial', async () => {
    const tiny = shopRun(
      { variants: { one: {}, two: { scripts: scripts('two.sql') } }, baseline: 'one' },
      { 'two.sql': 'SELECT * FROM purchas;\n' },
    );
    expect(await tiny.refused()).toMatch(/The script two\.sql does not run on two: .*"purchas" does not exist/s);
  });

  it('are read by pgbench before anything is made', async () => {
    const tiny = shopRun(
      { variants: { one: {}, two: { scripts: scripts('two.sql') } }, baseline: 'one' },
      { 'two.sql': '\\sett x 1\nSELECT 1;\n' },
    );
    const { exitCode, stderr } = await tiny.run('plan', 'tiny').ended;
    expect(stderr).toContain('two.sql:1');
    expect(exitCode).toBe(2);
  });
});

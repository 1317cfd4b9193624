import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gateSchema } from '../../runner/contract/gate.ts';
import { shopRunOf, shopWorkload } from '../helpers/processes/shop-run.ts';
import type { TinyRun } from '../helpers/processes/tiny-run.ts';

/** A repository with a function, whose work the loop makes, and an experiment that calls it. */
function repositoryOf(loop: number, durationSeconds = 1): TinyRun {
  const tiny = shopRunOf(
    {
      common: { storage: { type: 'local' } },
      variants: { now: { prepare: ['functions/'] }, other: { prepare: ['SELECT 1'] } },
      baseline: 'now',
      workload: { ...shopWorkload, scripts: [{ file: 'call.sql' }], durationSeconds },
      protocol: { blocks: 6, warmUpSeconds: 0, repeats: 0 },
    },
    {
      'schema.sql': 'CREATE TABLE purchase AS SELECT i AS id FROM generate_series(1, 1000) i;\n',
      'call.sql': 'SELECT work();\n',
      'functions/work.sql': functionOf(loop),
    },
  );
  git(tiny, 'init', '--quiet', '--initial-branch', 'main');
  commit(tiny);
  return tiny;
}

const functionOf = (loop: number): string =>
  `CREATE FUNCTION work() RETURNS bigint LANGUAGE plpgsql AS $$\nDECLARE sum bigint := 0;\nBEGIN\n  FOR i IN 1..${loop} LOOP sum := sum + i; END LOOP;\n  RETURN sum;\nEND $$;\n`;

function git(tiny: TinyRun, ...args: string[]): void {
  execFileSync('git', ['-C', tiny.folder, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args]);
}

function commit(tiny: TinyRun): void {
  git(tiny, 'add', 'experiments');
  git(tiny, 'commit', '--quiet', '--message', 'change');
}

async function gate(tiny: TinyRun, ...options: string[]) {
  const files = ['--summary', 'summary.md', '--junit', 'junit.xml', '--json'];
  const words = ['gate', 'tiny', '--base', 'main', '--volumes', 'folders', '--minutes', '3', ...files, ...options];
  const { exitCode, stdout, stderr } = await tiny.run(...words).ended;
  tiny.expectNothingLeft();
  const read = (name: string): string => readFileSync(path.join(tiny.folder, name), 'utf8');
  return {
    ...{ exitCode, stderr },
    found: gateSchema.parse(JSON.parse(stdout)),
    summary: read('summary.md'),
    junit: read('junit.xml'),
  };
}

describe('a gate', () => {
  it('fails for a function that became slower, and says so where people look', { timeout: 300_000 }, async () => {
    const tiny = repositoryOf(2000);
    git(tiny, 'checkout', '--quiet', '-b', 'slower');
    tiny.put('functions/work.sql', functionOf(40_000));
    commit(tiny);
    const { exitCode, found, summary, junit, stderr } = await gate(tiny);
    expect([exitCode, found.outcome, found.because], stderr).toEqual([1, 'fail', 'worse']);
    expect(found.change).toBeLessThan(-0.5);
    expect(found.control?.interval).not.toBeNull();
    expect(summary).toMatch(/^### \S+ Tiny: fail\n/);
    expect(junit).toContain('<failure message="fail: ');
    expect(existsSync(path.join(tiny.folder, found.run ?? '', 'report.html'))).toBe(true);
    expect((await tiny.run('verify', found.run ?? '').ended).exitCode).toBe(0);

    // The run before says what this one can find, and the same commits have the same files.
    const again = await gate(tiny, '--base', 'slower', '--head', 'main');
    expect([again.exitCode, again.found.because], again.stderr).toEqual([0, 'better']);
    expect(again.found.finds).toBeGreaterThan(0.05);
  });

  it('measures nothing for a commit that changes nothing that is measured', async () => {
    const tiny = repositoryOf(2000);
    git(tiny, 'checkout', '--quiet', '-b', 'docs');
    tiny.put('README.md', 'more words\n');
    commit(tiny);
    const { exitCode, found, junit } = await gate(tiny);
    expect([exitCode, found.outcome, found.because, found.run]).toEqual([0, 'pass', 'nothing-differs', null]);
    expect(junit).toContain('failures="0"');
  });

  it('measures one commit against itself on demand, which does not fail', { timeout: 300_000 }, async () => {
    const { exitCode, found, stderr } = await gate(repositoryOf(2000), '--always', '--minutes', '2');
    expect(exitCode, stderr).toBe(0);
    expect(found.outcome).not.toBe('fail');
    expect(found.blocks).toBeGreaterThanOrEqual(6);
  });

  it.each([
    [['--base', 'nowhere'], '--base nowhere: '],
    [['--minutes', '1'], '--minutes 1: '],
    [['--variant', 'other'], 'Nothing of this variant comes from the repository'],
    [['--variant', 'third'], '--variant third: '],
  ])('refuses %j before anything is made', async (options, words) => {
    const tiny = repositoryOf(2000, 5);
    git(tiny, 'checkout', '--quiet', '-b', 'slower');
    tiny.put('functions/work.sql', functionOf(3000));
    commit(tiny);
    const refused = ['gate', 'tiny', '--base', 'main', '--minutes', '3', '--volumes', 'folders', ...options];
    const { exitCode, text } = await tiny.run(...refused).ended;
    expect(exitCode, text).toBe(2);
    expect(text).toContain(words);
    tiny.expectNothingLeft();
  });
});

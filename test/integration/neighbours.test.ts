import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { oneBlock, onFolders, TinyRun } from '../helpers/processes/tiny-run.ts';

let tiny: TinyRun;
let neighbour: ChildProcess | null = null;

beforeEach(() => {
  tiny = new TinyRun();
  tiny.define(oneBlock);
});
afterEach(() => {
  neighbour?.kill('SIGKILL');
  neighbour = null;
  tiny.remove();
});

describe('programs beside a local run', () => {
  test('that keep a processor busy are named before loading, and the trials beside them count', async () => {
    // It ends by itself, too, if this test cannot end it.
    neighbour = spawn('sh', [
      '-c',
      'end=$(($(date +%s) + 120)); while [ $(date +%s) -lt $end ]; do i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); done; done',
    ]);
    const { text, trials, comparisons } = await tiny.measured();
    expect(text.split('create ...')[0]).toMatch(
      /Before loading, other programs used \d+% .*\bsh [01]\.\d\d.* If they continue, only a throughput/,
    );
    for (const { measures, facts, checks } of trials) {
      expect(measures['driver.others']).toBeGreaterThan(0.1);
      expect(facts.neighbours?.map(({ name }) => name)).toContain('sh');
      expect(Object.keys(facts.alwaysRunnable ?? {})).toContainEqual(
        expect.stringMatching(`^${neighbour.pid}-\\d+-${neighbour.pid}-0-`),
      );
      expect(checks.find(({ name }) => name === 'other programs')).toMatchObject({
        finding: expect.stringMatching(/\(sh [01]\.\d\d/) as string,
      });
    }
    expect(comparisons.find(({ primary }) => primary)?.withheld.map(({ id }) => id)).not.toContain('other-programs');
  });

  test('are not the servers that an earlier run has kept', async () => {
    await tiny.run('load', 'tiny', ...onFolders).ended;
    const { exitCode } = await tiny.run('run', 'tiny', '--local').ended;
    expect(exitCode).toBe(0);
    for (const { facts } of tiny.result().trials) {
      expect(facts.neighbours?.map(({ name }) => name) ?? []).not.toContain('postgres');
    }
    expect(await tiny.run('clean').ended).toMatchObject({ exitCode: 0 });
    tiny.expectNothingLeft();
  });
});

import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';

const fixtures = path.resolve(import.meta.dirname, '../fixtures/pgbench-logs/15.18');

describe('pgduet digest', () => {
  it('asks what a 7th column is of, and is told', async () => {
    expect(await digest('max-tries/pgbench_log.100')).toMatch(/^Problem: the 7th column/m);
    expect(await digest('max-tries/pgbench_log.100', '--no-lag')).not.toContain('Problem');
  });

  it('says what aggregates do not tell', async () => {
    const text = await digest('aggregate/pgbench_log.100');
    expect(text).toMatch(/^latency +\d+\.\d{3} +– +– +– +– +– +\d+\.\d{3}$/m);
    expect(text).toContain('From aggregates: each thread’s last interval is missing.');
  });

  it('prints one JSON value with --json', async () => {
    const value: unknown = JSON.parse(await digest('failed/pgbench_log.100', 'failed/pgbench_log.100.1', '--json'));
    expect(value).toMatchObject({ failedTransactions: 46, exact: true, problems: [] });
  });

  it('refuses what is no log', async () => {
    const { stdout, stderr, exitCode } = await runCommandLine(['digest', 'transactions/stdout.log'], {
      workingFolder: fixtures,
    });
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain('stdout.log');
  });
});

async function digest(...words: string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await runCommandLine(['digest', ...words], {
    workingFolder: fixtures,
    columns: 80,
  });
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  return stdout;
}

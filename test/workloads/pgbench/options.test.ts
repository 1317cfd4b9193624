import { expect, it } from 'vitest';
import { loadExperiment } from '../../../runner/experiment/file/load.ts';
import { loadArguments, runArguments } from '../../../runner/workloads/pgbench/arguments.ts';
import { requireOptions } from '../../../runner/workloads/pgbench/driver.ts';
import { resolveLevel, pgbenchSchema, type PgbenchWorkload } from '../../../runner/workloads/pgbench/schema.ts';
import { betweenStatements } from '../../../runner/workloads/pgbench/output/output-files.ts';
import { runsIn } from '../../../runner/workloads/pgbench/output/parse-output.ts';
import { capturedOutput } from '../../helpers/samples/captured-output.ts';
import { folderWithExperiment, smallExperiment } from '../../helpers/samples/experiment-file.ts';

const declared = { tool: 'pgbench', scale: 1, clients: 2, durationSeconds: 5 };
const where = { length: { durationSeconds: 5 }, folder: '/t', scriptFolder: '/s', seed: 1 };

function argumentsOf(workload: object, logPrefix?: string): string[] {
  const parsed = resolveLevel(pgbenchSchema.parse({ ...declared, ...workload }));
  return [...loadArguments(parsed), ...runArguments(parsed, { ...where, ...(logPrefix && { logPrefix }) })];
}

it.each([
  [{ continueOnError: true }, '--continue-on-error'],
  [{ exitOnAbort: true }, '--exit-on-abort'],
  [{ failuresDetailed: true }, '--failures-detailed'],
  [{ verboseErrors: true }, '--verbose-errors'],
  [{ samplingRate: 0.1 }, '--sampling-rate=0.1'],
  [{ load: { unlogged: true } }, '--unlogged-tables'],
  [{ load: { generatedBy: 'server' } }, '--init-steps=dtGvp'],
])('%j is said as %s, and by nothing else', (workload, option) => {
  expect(argumentsOf(workload, '/l')).toContain(option);
  expect(argumentsOf({}, '/l')).not.toContain(option);
});

it('a sample is of a log: without one there is nothing to sample', () => {
  expect(argumentsOf({ samplingRate: 0.1 }).join(' ')).not.toContain('sampling');
});

it.each([
  ['log', /cannot set pgbench’s --log: the collector transaction-log sets it/],
  ['progress', /cannot set pgbench’s --progress: pgduet always sets it/],
  ['randomSeed', /follows from protocol\.seed/],
  ['tablespace', /outside the volumes/],
])('%s in the workload is refused with the reason', (key, reason) => {
  const small = smallExperiment();
  const content = { ...small, workload: { ...small.workload, [key]: 1 } };
  const load = () => loadExperiment('small', { folder: folderWithExperiment('small', content) });
  expect(load).toThrow(reason);
  expect(load).toThrow(/small\.yaml:\d+:\d+ {2}workload\./);
});

it('tries without limit are handed to pgbench wherever it takes them, and refused where it does not', () => {
  const small = smallExperiment();
  const { durationSeconds: _, ...workload } = { ...small.workload, maxTries: 0 } as Record<string, unknown>;
  const load = (more: object) => () =>
    loadExperiment('small', {
      folder: folderWithExperiment('small', { ...small, workload: { ...workload, ...more } }),
    });
  expect(load({ transactions: 10 })).toThrow(
    /workload\.maxTries: 0: pgbench accepts unlimited tries only with a time limit/,
  );
  expect(load({ transactions: 10, maxTries: 9 })).not.toThrow();
  for (const more of [{ durationSeconds: 5 }, { transactions: 10, latencyLimitMs: 20 }]) {
    const parsed = resolveLevel(load(more)().experiment.workload as PgbenchWorkload);
    expect(runArguments(parsed, { ...where, length: parsed })).toContain('--max-tries=0');
    // A few transactions that try a script out have no duration of their own.
    expect(runArguments(parsed, { ...where, length: { transactions: 2 } }).includes('--max-tries=0')).toBe(
      'latencyLimitMs' in more,
    );
  }
});

it('a variable that takes the place of the scale is refused: no row of the tables would be found', () => {
  const small = smallExperiment();
  const load = (scale: unknown) => () =>
    loadExperiment('small', {
      folder: folderWithExperiment('small', { ...small, workload: { ...small.workload, variables: { scale } } }),
    });
  expect(load(1000)).toThrow(/variables\.scale: 1000: .*10/);
  expect(load(10)).not.toThrow();
});

it('an option that this pgbench does not have is refused before anything is loaded', async () => {
  const of = (version: string, workload: Record<string, unknown>) =>
    requireOptions(() => Promise.resolve(`pgbench (PostgreSQL) ${version}`), workload);
  await expect(of('15.18 (Debian 15.18-0+deb12u1)', { exitOnAbort: true })).rejects.toThrow(
    /workload\.exitOnAbort is true: .*15\.18.* has no --exit-on-abort\. .* pgbench 17 or newer/,
  );
  await expect(of('14.1', { maxTries: 3 })).rejects.toThrow(/has no --max-tries/);
  await of('17.10', { exitOnAbort: true, maxTries: 3 });
  await of('14.1', { exitOnAbort: false });
});

it.each(['14.1', '15.18', '18.6'])('finds the latency between the statements in the output of %s', (version) => {
  const { stdout } = capturedOutput(`${version}/per-statement`);
  const [run] = runsIn(stdout);
  if (!run) throw new Error('a run');
  const printed = stdout.split('\n').filter((line) => /^\s+\d+\.\d{3}\s.*;$/.test(line));
  const inSql = printed.reduce((sum, line) => sum + Number(line.trim().split(/\s+/)[0]), 0);
  expect(printed.length).toBeGreaterThan(0);
  expect(betweenStatements(stdout, run)).toBeCloseTo(Math.max(0, (run.latencyAverageSeconds ?? NaN) - inSql / 1000), 9);
});

it('does not take the lag behind a schedule for time between statements', () => {
  const { stdout } = capturedOutput('15.18/per-statement');
  const [run] = runsIn(stdout);
  if (!run) throw new Error('a run');
  const late = { ...run, latencyAverageSeconds: (run.latencyAverageSeconds ?? NaN) + 0.5, lagAverageSeconds: 0.4 };
  expect(betweenStatements(stdout, late)).toBeCloseTo((betweenStatements(stdout, run) ?? NaN) + 0.1, 3);
});

it('does not guess what lies between statements of which some are left out or repeated', () => {
  const { stdout } = capturedOutput('15.18/per-statement');
  const [run] = runsIn(stdout);
  if (!run) throw new Error('a run');
  expect(betweenStatements(stdout, { ...run, retries: 1 })).toBeNull();
  expect(betweenStatements(stdout, { ...run, failedTransactions: 1 })).toBeNull();
  expect(betweenStatements(stdout.replace(/(\d+\.\d{3}\s+0 {2})\\set/, '$1\\if'), run)).toBeNull();
  expect(betweenStatements(capturedOutput('15.18/plain').stdout, run)).toBeNull();
});

import { readdirSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolRun } from '../../../runner/contract/tool-output.ts';
import { renderRuns } from '../../../runner/report/terminal/runs-table.ts';
import { UserError } from '../../../runner/contract/errors.ts';
import { compareSources } from '../../../runner/analysis/sources/compare-sources.ts';
import { readOutput } from '../../../runner/workloads/read-output.ts';
import { measuresOfRun } from '../../../runner/workloads/hammerdb/schema.ts';
import { otherThanRun, parseOutput } from '../../../runner/workloads/hammerdb/output/parse-output.ts';
import { recorded, recording } from '../../helpers/hammerdb/stand-in.ts';

/** Without the carriage returns that HammerDB puts before a line. */
const whole = recorded('v6-run.log').replaceAll('\r', '');
const sources = readdirSync(path.dirname(recording('v6-run.log'))).filter((name) => name.endsWith('.log'));

describe('a timed run of HammerDB 6.0', () => {
  it('is read with its result, its users and the times of its procedures', async () => {
    const [run, ...others] = await readOutput(whole, 'v6-run.log', new AbortController().signal);
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      tool: 'hammerdb',
      clientVersion: 'HammerDB v6.0',
      database: 'PostgreSQL',
      serverVersion: '15.18 (Debian 15.18-0+deb12u1)',
      clients: 2,
      scale: 2,
      durationSeconds: 60,
      measures: { nopm: 44_994, tpm: 103_096 },
      tps: null,
      transactions: null,
      complete: true,
      problems: [],
    });
    expect(run?.scripts).toHaveLength(5);
    expect(run?.scripts[0]).toEqual({
      name: 'neword',
      weight: null,
      transactions: 45_003,
      tps: null,
      latencyAverageSeconds: 0.001189,
      latencySeconds: { p50: 0.00105, p95: 0.00223, p99: 0.003465 },
    });
  });

  it('is one of several in the output of a sweep', () => {
    const runs = parseOutput(recorded('v6-np-sweep.log'));
    expect(runs.length).toBeGreaterThan(1);
    expect(runs.map(({ complete }) => complete)).toEqual(runs.map(() => true));
    expect(new Set(runs.map(({ clients }) => clients)).size).toBe(runs.length);
    expect(runs[0]?.measures?.nopm).toBe(46_581);
  });
});

it('reads a run of HammerDB 4.12, which has no time profile and does not tell the warehouses', () => {
  const [run] = parseOutput(recorded('v412-run.log'));
  expect(run).toMatchObject({
    clientVersion: 'HammerDB v4.12',
    clients: 4,
    scale: null,
    durationSeconds: 60,
    measures: { nopm: 15_828, tpm: 36_140 },
    scripts: [],
    complete: true,
    problems: [],
  });
});

describe('a run against another database', () => {
  const against = (database: string): string =>
    whole.replaceAll('PostgreSQL T', `${database} T`).replaceAll('PostgreSQL t', `${database} t`);

  it.each(['MySQL', 'MariaDB', 'Oracle', 'TimesTen', 'SQL Server', 'Db2'])('says that it was %s', (database) => {
    const [run] = parseOutput(against(database));
    expect(run).toMatchObject({ database, measures: { nopm: 44_994, tpm: 103_096 }, complete: true, problems: [] });
    // Against another database, it is not the same work.
    expect(run && measuresOfRun(run).facts.identity?.['database']).toBe(database);
  });
});

it('reads TPM and NOPM in the order of older versions, and does not mistake one for the other', () => {
  const older = whole.replace('44994 NOPM from 103096 PostgreSQL TPM', '103096 PostgreSQL TPM at 44994 NOPM');
  expect(parseOutput(older)[0]).toMatchObject({ measures: { nopm: 44_994, tpm: 103_096 }, complete: true });
});

it('reads a log that begins behind the creation of its users, each run of it, and says what it lacks', () => {
  const one = whole.slice(whole.indexOf('Vuser 1:RUNNING'), whole.indexOf('ALL VIRTUAL USERS COMPLETE'));
  const runs = parseOutput(one + one.replace('44994 NOPM', '55000 NOPM'));
  const common = { clients: 2, durationSeconds: 60, problems: ['some virtual users did not complete'] };
  expect(runs).toMatchObject([44_994, 55_000].map((nopm) => ({ ...common, measures: { nopm } })));
});

it('reads each of several results of which only the last lines were kept', () => {
  const kept = (users: number, nopm: number): string =>
    `Vuser 1:${users} Active Virtual Users configured\nVuser 1:TEST RESULT : System achieved ${nopm} NOPM from 767954 MariaDB TPM\n`;
  const runs = parseOutput(kept(16, 253_792) + kept(32, 290_000));
  expect(runs.map(({ clients, measures, complete }) => [clients, measures?.nopm, complete])).toEqual([
    [16, 253_792, false],
    [32, 290_000, false],
  ]);
});

it('reads what a prompt and a job put around the lines', () => {
  const prompted = whole.replace('\nVuser 1:TEST RESULT', '\nhammerdb>Vuser 1:TEST RESULT');
  expect(parseOutput(prompted)[0]).toMatchObject({ measures: { nopm: 44_994 }, complete: true });
  const job =
    '[\n  "69C3E265AB0603E203438303",\n  "TEST RESULT : System achieved 29051 NOPM from 67250 SQL Server TPM"\n]\n';
  expect(parseOutput(job)[0]).toMatchObject({
    measures: { nopm: 29_051, tpm: 67_250 },
    database: 'SQL Server',
    clients: null,
    complete: false,
    problems: expect.arrayContaining(['the number of virtual users is missing']) as string[],
  });
});

it('refuses what HammerDB prints besides its TPROC-C, as what it is', () => {
  const queries =
    'Vuser 1 created MONITOR - WAIT IDLE\nVuser 2:query 14 completed in 1.2 seconds\nVuser 2:Completed 1 query set(s) in 93 seconds\n';
  expect(parseOutput(queries)).toEqual([]);
  expect(otherThanRun(queries)).toMatch(/^this is a run of HammerDB’s TPROC-H/);
  const counter =
    'Hammerdb Transaction Counter Log @ Thu Jun 30 21:18:21 UTC 2022\n193290 MySQL tpm @ Thu Jun 30 21:18:41 UTC 2022\n';
  expect(parseOutput(counter)).toEqual([]);
  expect(otherThanRun(counter)).toMatch(/^this is the log of HammerDB’s transaction counter/);
});

describe('a run that failed is not complete', () => {
  it.each([
    ['v6-fail-wrongpw.log', /password authentication|Connection to database failed/],
    ['v6-run-allvus-failed-example.log', /its result is 0 NOPM/],
    ['v6-fail-terminate-raise-true.log', /Error in Virtual User 2: SSL connection has been closed unexpectedly/],
    ['v6-fail-terminate-raise-false.log', /New Order Procedure Error/],
  ])('%s', (name, why) => {
    const [run] = parseOutput(recorded(name));
    expect(run?.complete).toBe(false);
    expect(run?.problems.join('; ')).toMatch(why);
    // HammerDB reports a plausible result all the same.
    if (name.includes('raise-true')) expect(run?.measures?.nopm).toBeGreaterThan(10_000);
  });

  it.each([
    ['Vuser 3:FINISHED SUCCESS', /2 of 3 virtual users finished/],
    ['ALL VIRTUAL USERS COMPLETE', /some virtual users did not complete/],
    ['Vuser 1:TEST RESULT : System achieved 44994 NOPM from 103096 PostgreSQL TPM', /it has no result/],
  ])('also if only the line %j is missing', (line, why) => {
    const [run] = parseOutput(whole.replace(`\n${line}\n`, '\n'));
    expect(run?.problems).toEqual([expect.stringMatching(why)]);
  });
});

describe('output without a timed run', () => {
  it.each(['v6-build.log', 'v6-check.log', 'v412-build.log', 'v6-fail-exit3.log', 'v6-fail-tclerror.log'])(
    '%s is refused, with what is expected',
    async (name) => {
      expect(parseOutput(recorded(name))).toEqual([]);
      const reading = readOutput(recorded(name), name, new AbortController().signal);
      await expect(reading).rejects.toThrow(UserError);
      await expect(reading).rejects.toThrow(`${name}: this contains no timed HammerDB run`);
    },
  );
});

it('never takes a part of an output for a whole run, wherever it is cut, and never throws', () => {
  const end = whole.indexOf('ALL VIRTUAL USERS COMPLETE');
  fc.assert(
    fc.property(fc.constantFrom(...sources), fc.nat(20_000), (name, at) => {
      const text = recorded(name).replaceAll('\r', '').slice(0, at);
      const complete = parseOutput(text).filter((run) => run.complete);
      if (name === 'v6-run.log' && at < end) expect(complete).toEqual([]);
      for (const run of complete) expect(run.measures?.nopm).toBeGreaterThan(0);
    }),
    { numRuns: 300 },
  );
});

it('has columns of its own in the table of runs, which outputs of other tools do not have', () => {
  const options = { columns: 160, colour: false };
  const run = parseOutput(whole)[0] as ToolRun;
  const table = [...renderRuns([{ file: 'v6-run.log', run }], options)].join('\n');
  expect(table).toMatch(/NOPM +TPM/);
  expect(table).toMatch(/v6-run.log.* 44,994 +103,096/);
  const { measures: _, ...other } = run;
  expect([...renderRuns([{ file: 'other.log', run: other }], options)].join('\n')).not.toContain('NOPM');
});

it('takes nothing of another tool', () => {
  const text = 'pgbench (15.18)\nscaling factor: 1\n';
  expect([parseOutput(text), otherThanRun(text)]).toEqual([[], null]);
});

it('compares outputs by NOPM unless asked otherwise, and says that versions differ', () => {
  const side = (name: string) => ({
    kind: 'outputs' as const,
    files: [name],
    runs: parseOutput(recorded(name)),
  });
  const { comparisons, warnings } = compareSources(side('v412-run.log'), side('v6-run.log'), {
    paired: false,
    across: ['users'],
    decision: {},
  });
  expect(comparisons.filter(({ primary }) => primary).map(({ metric }) => metric)).toEqual(['nopm']);
  expect(warnings.map(({ message }) => message).join(' ')).toContain('the version of the client is HammerDB v4.12');
});

it('gives each run the version that was printed before it', () => {
  const older = recorded('v412-run.log');
  const both = parseOutput(`${older}\n${recorded('v6-run.log')}`);
  expect(both.map(({ clientVersion }) => clientVersion)).toEqual([
    parseOutput(older)[0]?.clientVersion,
    parseOutput(recorded('v6-run.log'))[0]?.clientVersion,
  ]);
  expect(new Set(both.map(({ clientVersion }) => clientVersion)).size).toBe(2);
});

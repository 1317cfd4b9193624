import { readdirSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Run } from '../../../runner/contract/tool-output.ts';
import { renderRuns } from '../../../runner/report/terminal/runs-table.ts';
import { UserError } from '../../../runner/contract/errors.ts';
import { compareSources } from '../../../runner/analysis/sources/compare-sources.ts';
import { readOutput } from '../../../runner/workloads/read-output.ts';
import { isHammerdbOutput, parseOutput } from '../../../runner/workloads/hammerdb/output/parse-output.ts';
import { recorded, recording } from '../../helpers/hammerdb/stand-in.ts';

/** Without the carriage returns that HammerDB puts before a line. */
const whole = recorded('v6-run.log').replaceAll('\r', '');
const sources = readdirSync(path.dirname(recording('v6-run.log'))).filter((name) => name.endsWith('.log'));

describe('a timed run of HammerDB 6.0', () => {
  it('is read with its result, its users and the times of its procedures', async () => {
    const [run, ...others] = await readOutput(whole, 'v6-run.log');
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      tool: 'hammerdb',
      clientVersion: 'HammerDB v6.0',
      serverVersion: '15.18 (Debian 15.18-0+deb12u1)',
      clients: 2,
      scale: 2,
      durationSeconds: 60,
      nopm: 44_994,
      tpm: 103_096,
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
    const runs = parseOutput(recorded('v6-np-sweep.log'), 'sweep');
    expect(runs.length).toBeGreaterThan(1);
    expect(runs.map(({ complete }) => complete)).toEqual(runs.map(() => true));
    expect(new Set(runs.map(({ clients }) => clients)).size).toBe(runs.length);
    expect(runs[0]?.nopm).toBe(46_581);
  });
});

it('reads a run of HammerDB 4.12, which has no time profile and does not tell the warehouses', () => {
  const [run] = parseOutput(recorded('v412-run.log'), 'v412');
  expect(run).toMatchObject({
    ...{ clientVersion: 'HammerDB v4.12', clients: 4, scale: null, durationSeconds: 60, nopm: 15_828, tpm: 36_140 },
    ...{ scripts: [], complete: true, problems: [] },
  });
});

describe('a run that failed is not complete', () => {
  it.each([
    ['v6-fail-wrongpw.log', /password authentication|Connection to database failed/],
    ['v6-run-allvus-failed-example.log', /its result is 0 NOPM/],
    ['v6-fail-terminate-raise-true.log', /Error in Virtual User 2: SSL connection has been closed unexpectedly/],
    ['v6-fail-terminate-raise-false.log', /New Order Procedure Error/],
  ])('%s', (name, why) => {
    const [run] = parseOutput(recorded(name), name);
    expect(run?.complete).toBe(false);
    expect(run?.problems.join('; ')).toMatch(why);
  });

  it('although HammerDB reports a plausible result', () => {
    const [run] = parseOutput(recorded('v6-fail-terminate-raise-true.log'), 'killed');
    expect(run?.nopm).toBeGreaterThan(10_000);
    expect(run?.complete).toBe(false);
  });

  it.each([
    ['Vuser 3:FINISHED SUCCESS', /2 of 3 virtual users finished/],
    ['ALL VIRTUAL USERS COMPLETE', /not all virtual users are complete/],
    ['vudestroy success', /were not ended/],
    ['Vuser 1:TEST RESULT : System achieved 44994 NOPM from 103096 PostgreSQL TPM', /it has no result/],
  ])('also if only the line %j is missing', (line, why) => {
    const [run] = parseOutput(whole.replace(`\n${line}\n`, '\n'), 'cut');
    expect(run?.problems).toEqual([expect.stringMatching(why)]);
  });
});

describe('output without a timed run', () => {
  it.each(['v6-build.log', 'v6-check.log', 'v412-build.log', 'v6-fail-exit3.log', 'v6-fail-tclerror.log'])(
    '%s is refused, with what is expected',
    (name) => {
      expect(isHammerdbOutput(recorded(name))).toBe(true);
      expect(() => parseOutput(recorded(name), name)).toThrow(UserError);
      expect(() => parseOutput(recorded(name), name)).toThrow(`${name} holds no timed run of HammerDB`);
    },
  );
});

it('never takes a part of an output for a whole run, wherever it is cut, and never throws anything but what users read', () => {
  const end = whole.indexOf('vudestroy success');
  fc.assert(
    fc.property(fc.constantFrom(...sources), fc.nat(20_000), (name, at) => {
      const text = recorded(name).replaceAll('\r', '').slice(0, at);
      try {
        const runs = parseOutput(text, name);
        const complete = runs.filter((run) => run.complete);
        if (name === 'v6-run.log' && at < end) expect(complete).toEqual([]);
        for (const run of complete) expect(run.nopm).toBeGreaterThan(0);
      } catch (error) {
        expect(error).toBeInstanceOf(UserError);
      }
    }),
    { numRuns: 300 },
  );
});

it('reads lines with the carriage returns that HammerDB prints, as on a terminal', () => {
  const [run] = parseOutput(recorded('v6-run.log'), 'terminal');
  expect(run).toMatchObject({ nopm: 44_994, complete: true });
});

it('has columns of its own in the table of runs, which outputs of other tools do not have', () => {
  const options = { columns: 160, colour: false };
  const run = parseOutput(whole, 'v6-run.log')[0] as Run;
  const table = renderRuns([{ file: 'v6-run.log', run }], options);
  expect(table).toMatch(/NOPM +TPM/);
  expect(table).toMatch(/v6-run.log.* 44,994 +103,096/);
  const { nopm: _, tpm: __, ...other } = run;
  expect(renderRuns([{ file: 'other.log', run: other }], options)).not.toContain('NOPM');
});

it('takes nothing of another tool', () => {
  expect(isHammerdbOutput('pgbench (15.18)\nscaling factor: 1\n')).toBe(false);
});

it('compares outputs by NOPM unless asked otherwise, and says that versions differ', () => {
  const side = (name: string) => ({
    kind: 'outputs' as const,
    files: [name],
    runs: parseOutput(recorded(name), name),
  });
  const { comparisons, warnings } = compareSources(side('v412-run.log'), side('v6-run.log'), {
    paired: false,
    decision: {},
  });
  expect(comparisons.filter(({ primary }) => primary).map(({ metric }) => metric)).toEqual(['nopm']);
  expect(warnings.join(' ')).toContain('the version of the client is HammerDB v4.12');
});

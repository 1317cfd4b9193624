import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRun, runsIn } from '../../../runner/workloads/pgbench/output/parse-output.ts';
import type { ToolRun } from '../../../runner/contract/tool-output.ts';
import { capturedOutput, type ExpectedRun, expectedRuns } from '../../helpers/samples/captured-output.ts';

const cases = expectedRuns();
const pgbenchs = cases.filter(([, runs]) => runs.length > 0);
const whole = pgbenchs.filter(([, runs]) => runs.every(({ complete }) => complete));
const postgresPro = 'default transaction isolation level: read committed\ntransaction maximum tries number: 1\n';
const broken = pgbenchs.filter(([, runs]) => !runs.every(({ complete }) => complete));

/** What is done to an output, and what its runs are then: damaged, whole as before, or incomplete for a reason. */
type Change = [what: string, name: string, from: RegExp | string, to: string, then: 'damaged' | 'whole' | RegExp];
const changes: Change[] = [
  ['a summary without its end', '15.18/plain', /latency average[^]*/, '', /^the summary is cut off before its tps/],
  ['half a summary', '15.18/plain', /number of transactions act[^]*/, '', /^the summary is cut off$/],
  ['one of two scripts', '18.6/both-scripts', /SQL script 2[^]*/, '', /^the sections of its scripts/],
  ['scripts without figures', '13.4/both-scripts', /SQL script 1[^]*/, '', /^the sections of its scripts/],
  ['a line without its name', '15.18/plain', 'of failed transactions: 0', 'of failed: 0', 'damaged'],
  ['a line twice', '15.18/plain', /(number of clients: \d+\n)/, '$1$1', 'damaged'],
  ['no number', '15.18/plain', /(latency average = )\S+/, '$1NaN', 'damaged'],
  ['a number beyond counting', '15.18/plain', /(processed: )\d+/, '$199999999999999999999', 'damaged'],
  ['another number asked for', '13.4/plain', /(processed: \d+)\/\d+/, '$1', 'damaged'],
  ['a script without speed', '14.1/per-statement-scripts', /( - [1-9].*tps = )[\d.]+/, '$1NaN', 'damaged'],
  ['another order', '15.18/plain', /(scaling factor: .*\n)(query mode: .*\n)/, '$2$1', 'damaged'],
  ['a speed without its point', '15.18/plain', /(tps = \d+)\./, '$1', 'damaged'],
  ['a speed of fewer digits', '13.4/plain', /(tps = )\d+\.(\d+ \(excl)/, '$11.$2', 'damaged'],
  ['a latency of one digit', '13.4/plain', /(latency average = )\d+\.\d+/, '$19', 'damaged'],
  ['a latency rounded to another', '13.4/plain', /(latency average = )\d+\.\d+/, '$190.1', 'damaged'],
  ['a speed against its latency', '15.18/plain', /(tps = )(\d)/, '$19', 'damaged'],
  ['a latency without time for it', '15.18/progress', /(latency average = )/, '$19', 'damaged'],
  ['a share of another number', '15.18/latency-limit', /(latency limit: )(\d)/, '$17', 'damaged'],
  ['more late than there were', '15.18/latency-limit', /limit: .*/, 'limit: 2602/1301 (200.000%)', 'damaged'],
  ['more late than carried out', '13.4/rate-limit', /limit: .*/, 'limit: 4000 (67.092 %)', 'damaged'],
  ['another share', '15.18/failures-deadlocks', /(failed transactions: \d+ \()\d/, '$19', 'damaged'],
  ['fewer failures', '15.18/failures-detailed', /(serialization failures: )\d+ \(.*/, '$199 (0.000%)', 'damaged'],
  ['more transactions than asked for', '15.18/plain', 'processed: 100', 'processed: 101', 'damaged'],
  ['connections of both kinds', '15.18/reconnect', 'average connection', 'initial connection', 'damaged'],
  ['more threads than clients', '15.18/plain', /(threads: )/, '$19', 'damaged'],
  ['a script at another speed', '15.18/both-scripts', /( - .*tps = )\d/, '$19', 'damaged'],
  ['no speed of an unused script', '13.4/weights', /( - 0 transactions .*tps = )[\d.]+/, '$1NaN', 'damaged'],
  ['a share that is no number', '18.6/weights', '(100.0% of total)', '(NaN% of total)', 'damaged'],
  ['the share of another script', '15.18/both-scripts', /( transactions \()\d/, '$19', 'damaged'],
  ['a carriage return in a name', '17.10/weights', /(SQL script 3: <b)([^]*% of )/, '$1\r$2x', 'damaged'],
  ['an impossible name', '15.18/both-scripts', /(SQL script 1: )/, `$1${'1 '.repeat(60_000)}`, 'damaged'],
  ['a line behind its end', 'by-hand/9.5/timed-rate', /(rate limit schedule lag: .*\n)([^]*)$/, '$2$1', 'damaged'],
  ['a space before a percent sign', '15.18/latency-limit', /(latency limit: .*)%/, '$1 %', 'whole'],
  ['spaces before percent signs', '18.6/failures-scripts', /(\d)%/g, '$1 %', 'whole'],
  ['a margin', '18.6/both-scripts', /^/gm, '    ', 'whole'],
  ['lines of Postgres Pro', '13.4/plain', /(transaction type: .*\n)/, `$1${postgresPro}`, 'whole'],
  ['a speed of one decimal', '15.18/plain', /(tps = \d+\.\d)\d+/, '$1', 'whole'],
  ['a speed of no decimal, but timed', '15.18/both-streams', /(tps = \d+)\.\d+/g, '$1', 'whole'],
  ['two speeds of one decimal', '13.4/plain', /(tps = \d+\.\d)\d+/g, '$1', 'whole'],
  ['times of one decimal', '13.4/plain-timed', /(\d+\.\d)\d+ ms/g, '$1 ms', 'whole'],
  ['all speeds of two decimals', '14.1/both-scripts', /(tps = \d+\.\d\d)\d+/g, '$1', 'whole'],
  ['a line less', '15.18/plain', /number of failed tr.*\n/, '', / missing: "number of failed transactions"$/],
  ['no retries', '16.14/retries', /number of .* retried: .*\n.*\n/, '', / missing: .*, "total number of retries"$/],
  ['no duration', '15.18/server-gone', /duration: .*\n/, '', / missing: "number of transactions per client"$/],
  ['no latency', 'by-hand/12/plain', /latency average.*\n/, '', / missing: "latency average"$/],
  ['no first lines', '15.18/plain', /^[^]*scaling factor: .*\n/, '', / missing: "transaction type", "scaling factor"$/],
  ['one rounded time', '15.18/plain', /(latency average = \d+)\.\d+/, '$1', /times have different numbers/],
  ['one rounded speed', '14.1/both-scripts', /(tps = \d+\.\d)\d+ \(/, '$1 (', /speeds have different numbers/],
  ['an unconfirmed speed', '15.18/progress-rate', /(tps = )\d+\.(\d+)/, '$1$2', /no other figure confirms/],
  ['a speed of one digit', '15.18/progress', /tps = \d+\.\d+/, 'tps = 3', /no other figure confirms/],
];

describe('an output that somebody kept', () => {
  it.each(pgbenchs)('reads what stands in %s', (name, expected) => {
    expect(parse(capturedOutput(name).kept).map(facts)).toEqual(expected.map(asRun));
  });

  it.each(whole.filter(([, runs]) => runs.length === 1))(
    'reads late transactions, retries, and the times to connect and behind schedule in %s',
    (name) => {
      const { stdout } = capturedOutput(name);
      const [run] = parse(stdout);
      for (const [field, line] of Object.entries(singleLines)) {
        const printed = line.exec(stdout)?.[1];
        const unit = field.endsWith('Seconds') ? 1000 : 1;
        const value = run?.[field as keyof typeof singleLines];
        const number = Number(printed) / unit;
        const read: unknown = Number.isNaN(number) ? (printed ?? null) : expect.closeTo(number, 9);
        expect(value, field).toEqual(read);
      }
    },
  );

  it('tells failed transactions by why they failed, if pgbench did', () => {
    const { stdout } = capturedOutput('15.18/failures-detailed');
    const printed = (kind: string) => Number(new RegExp(`${kind} failures: (\\d+)`).exec(stdout)?.[1]);
    const [serialization, deadlock] = [printed('serialization'), printed('deadlock')];
    expect(parse(stdout)[0]?.failures).toEqual({ serialization, deadlock, other: null });
    expect(parse(capturedOutput('15.18/plain').stdout)[0]?.failures).toBeNull();
  });

  it.each(broken)('says what is wrong with %s', (name) => {
    const problems = parse(capturedOutput(name).kept).flatMap((run) => run.problems);
    expect(problems.join('\n')).toMatch(
      /aborted in command|no summary|Run was aborted|pgbench: (fatal|error): .*(connection|number of branches|client)/,
    );
  });

  it.each(whole)('finds nothing wrong with the stdout of %s alone', (name) => {
    const runs = parse(capturedOutput(name).stdout);
    expect(runs.flatMap((run) => run.problems)).toEqual([]);
  });

  it('takes a run whose tries have no limit, of which pgbench prints no line, for whole', () => {
    expect(parse(unlimitedTries).map(({ complete, problems }) => ({ complete, problems }))).toEqual([
      { complete: true, problems: [] },
    ]);
    const without = unlimitedTries.replace(/^.*retr.*\n/gm, '');
    expect(parse(without)[0]?.problems).toEqual([expect.stringContaining('"maximum number of tries"')]);
  });

  it.each([
    ['its pauses between transactions explain', 96, 49.0, []],
    ['its pauses cannot explain', 75, 49.0, ['the clients had stopped after 75.0 of 100 s']],
  ])('of a run with a rate, takes an end for early that %s', (_, seconds, tps, problems) => {
    const transactions = Math.round(seconds * tps);
    const text = withRate(transactions, transactions / seconds);
    expect(parse(text)[0]?.problems).toEqual(problems);
  });

  it.each(['11.13', '13.4', '14.1', '15.18', '16.14', '17.10', '18.6'])(
    'tells from the stdout of %s alone what the numbers of an aborted run give away',
    (version) => {
      const problems = (name: string): string[] =>
        parse(capturedOutput(`${version}/${name}`).stdout).flatMap((run) => run.problems);
      expect(problems('aborted-client')).toEqual(['40 of 60 transactions were completed']);
      expect(problems('all-aborted')).toEqual(['0 of 40 transactions were completed']);
      expect(problems('server-gone')).toEqual([expect.stringMatching(/^the clients had stopped after 1\.\d of 20 s$/)]);
    },
  );

  it('keeps what goes wrong with the run it belongs to, in a file of several', () => {
    const good = capturedOutput('13.4/progress').kept;
    const bad = capturedOutput('13.4/server-gone').kept;
    const newer = capturedOutput('18.6/progress').kept;
    const runs = parse(good + bad + newer + good + good);
    expect(runs.map(({ complete, clientVersion }) => [complete, clientVersion])).toEqual([
      [true, null],
      [false, null],
      [true, '18.6'],
      [true, null],
      [true, null],
    ]);
  });

  it('leaves a line that was cut off to the run that printed it, whatever stands behind the cut', () => {
    const { stdout } = capturedOutput('14.1/per-statement-scripts');
    const cut = stdout.slice(0, stdout.lastIndexOf(' - statement') + 4);
    const [first] = parse(cut + capturedOutput('11.13/aborted-client').kept);
    expect(first).toMatchObject({ clientVersion: '14.1', complete: false });
  });

  it('reads a file with line ends of Windows', () => {
    const { stdout } = capturedOutput('15.18/failures-scripts');
    expect(parse(stdout.replaceAll('\n', '\r\n'))).toEqual(parse(stdout));
  });

  it.each(changes)('with %s is read as what it is', (_, name, from, to, then) => {
    const { stdout } = capturedOutput(name);
    const changed = stdout.replace(from, to);
    expect(changed).not.toBe(stdout);
    const [before, after] = [parse(stdout), parse(changed)];
    if (then === 'whole') {
      const outcome = ({ complete, transactions, problems }: ToolRun) => ({ complete, transactions, problems });
      expect(after.map(outcome)).toEqual(before.map(outcome));
      for (const [index, { tps }] of after.entries()) expect((tps ?? 0) / (before[index]?.tps ?? 0)).toBeCloseTo(1, 2);
      return;
    }
    expect(after.filter(({ complete }) => complete)).toEqual([]);
    expect(readRun({ stdout: changed, stderr: '', exitCode: 0, requestedTransactions: null }).complete).toBe(false);
    if (then !== 'damaged') expect(after[0]?.problems.join('\n')).toMatch(then);
    if (to === '' && after[0]?.tps !== null) expect(after[0]?.tps).toBe(before[0]?.tps);
  });

  it('without the names of its lines is what somebody translated', () => {
    const { stdout } = capturedOutput('by-hand/not-pgbench/translated');
    expect(parse(stdout)).toMatchObject([
      { complete: false, problems: [expect.stringContaining('"transaction type:"')], place: { run: 1, fromLine: 1 } },
    ]);
  });

  it.each([
    ...cases.flatMap(([name, runs]) => (runs.length === 0 && !name.endsWith('/translated') ? [name] : [])),
    'by-hand/not-pgbench/sysbench',
  ])('finds no run in %s, which does not say whose it is', (name) => {
    expect(parse(capturedOutput(name).kept)).toEqual([]);
  });

  /** Those with a schedule may have waited in line for most of so short a time. */
  const timed = whole.filter(([name]) => {
    const [run, ...others] = parse(capturedOutput(name).stdout);
    const { durationSeconds = null, latencyStddevSeconds: deviation = null } = run ?? {};
    const { lagAverageSeconds: lag = null, connectionAverageSeconds: connection = null } = run ?? {};
    const isTimed = durationSeconds !== null && deviation !== null && lag === null && connection === null;
    return others.length === 0 && isTimed && !run?.failedTransactions;
  });
  it.each(timed)('does not count %s with a speed that its transactions and duration do not give', (name) => {
    const { stdout } = capturedOutput(name);
    const slower = stdout.replace(/(tps = )(\d+\.\d+)/g, (_, before: string, tps: string) => {
      return before + (0.7 * Number(tps)).toFixed(6);
    });
    expect(slower).not.toBe(stdout);
    expect(parse(slower).flatMap(({ problems }) => problems)).toEqual([
      expect.stringContaining('its summary contradicts itself about'),
    ]);
  });

  it('says of a run in which nothing came to an end what may have taken its time, and where errors would be', () => {
    const { stdout } = capturedOutput('15.18/progress');
    const nothing = stdout.replace(/(actually processed: )\d+/, '$10').replace(/latency average[^]*/, '');
    const withProgress = nothing.replace('\n', '\nprogress: 1.0 s, 0.0 tps, lat 0.000 ms stddev 0.000, 0 failed\n');
    const advice = /^connecting, or the first transactions, took all of the \d+ s/;
    for (const [{ complete, problems } = { complete: true, problems: [] }, then] of [
      [readRun({ stdout: nothing, stderr: '', exitCode: 0, requestedTransactions: null }), advice],
      [parse(withProgress)[0], advice],
      [
        parse(nothing)[0],
        /^errors of its clients are on stderr, .*; without any, connecting, .* took all of the \d+ s/,
      ],
    ] as const) {
      expect(complete).toBe(false);
      expect(problems).toEqual(['no transaction completed', expect.stringMatching(then)]);
    }
  });

  it('leaves to whoever kept the output what they say behind it, in whatever words', () => {
    const { stdout } = capturedOutput('13.4/plain');
    const [first] = parse(`${stdout}and now\nnumber of clients: 8\nscaling factor: 100\n${stdout}`);
    expect(first).toMatchObject({ complete: true, clients: parse(stdout)[0]?.clients });
  });

  it('knows the version behind a byte order mark', () => {
    const { stdout } = capturedOutput('15.18/plain');
    expect(parse(`\ufeff${stdout}`)).toEqual(parse(stdout));
  });

  it('reads a line of any length in a moment', () => {
    const line = `progress: 1.0 s, 1.0 tps, lat 1.0 ms stddev 1.0${'1'.repeat(500_000)}`;
    const started = performance.now();
    parse(`${line}, ${'9'.repeat(500_000)}x`);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it('takes no cut-off summary for a whole one', () => {
    const cut = fc
      .constantFrom(...whole.filter(([, runs]) => runs.length === 1))
      .map(([name]) => capturedOutput(name).stdout)
      .chain((text) => fc.nat(summaryEnd(text) - 1).map((length) => text.slice(0, length)));
    fc.assert(
      fc.property(cut, (text) => {
        expect(parse(text).some((run) => run.complete)).toBe(false);
        expect(readRun({ stdout: text, stderr: '', exitCode: 0, requestedTransactions: null }).complete).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('readRun', () => {
  it.each(pgbenchs.filter(([, runs]) => runs.length === 1))('reads %s as a run of our own', (name, expected) => {
    const { stdout, stderr } = capturedOutput(name);
    const exitCode = expected[0]?.complete === true ? 0 : 2;
    expect(facts(readRun({ stdout, stderr, exitCode, requestedTransactions: null }))).toEqual(expected.map(asRun)[0]);
  });

  it('takes no run for complete that did not end by itself', () => {
    const { stdout } = capturedOutput('15.18/plain');
    const read = (exitCode: number | null, requestedTransactions: number | null): string[] =>
      readRun({ stdout, stderr: '', exitCode, requestedTransactions }).problems;
    expect(read(0, 100)).toEqual([]);
    expect(read(2, 100)).toEqual(['pgbench exited with exit code 2']);
    expect(read(null, null)).toEqual(['pgbench exited with a signal']);
    expect(read(0, 101)).toEqual(['100 of 101 transactions were completed']);
  });

  it('needs no exit code to see that clients of pgbench 11 gave up, which ends with 0 all the same', () => {
    const { stdout, stderr } = capturedOutput('11.13/aborted-client-timed');
    expect(readRun({ stdout, stderr, exitCode: 0, requestedTransactions: null }).problems).toEqual([
      'client 0 aborted in command 1 (SQL) of script 0; ERROR:  division by zero',
    ]);
  });
});

// As pgbench 19rc1 printed it.
it('a run with --continue-on-error is whole, and has its failed transactions by cause', () => {
  const [run] = parse(
    `pgbench (19rc1 (Debian 19~rc1-1), server 15.18 (Debian 15.18-0+deb12u1))
transaction type: f.sql
scaling factor: 1
query mode: simple
number of clients: 2
number of threads: 1
maximum number of tries: 1
duration: 1 s
number of transactions actually processed: 11676
number of failed transactions: 1358 (10.419%)
number of serialization failures: 0 (0.000%)
number of deadlock failures: 0 (0.000%)
number of other failures: 1358 (10.419%)
latency average = 0.127 ms
latency stddev = 0.544 ms
initial connection time = 34.022 ms
tps = 12029.151840 (without initial connection time)
statement latencies in milliseconds and failures:
         0.000           0 \\set r random(1, 10)
         0.127        1358 SELECT 1/(:r - 1);
`,
  );
  expect(run).toMatchObject({
    clientVersion: '19rc1',
    serverVersion: '15.18',
    transactions: 11676,
    failedTransactions: 1358,
    failures: { serialization: 0, deadlock: 0, other: 1358 },
    tps: 12029.15184,
    complete: true,
    problems: [],
  });
});

/** Read by a line each, in another test: expected.json does not have them. */
const singleLines = {
  latencyLimitSeconds: /^number of transactions above the (\S+) ms latency limit: /m,
  lateTransactions: /^number of transactions above the \S+ ms latency limit: (\d+)/m,
  retries: /^total number of retries: (\d+)/m,
  connectionAverageSeconds: /^average connection time = (\S+) ms/m,
  initialConnectionSeconds: /^initial connection time = (\S+) ms/m,
  lagAverageSeconds: /^rate limit schedule lag: avg (\S+) /m,
  lagMaxSeconds: /^rate limit schedule lag: .*\(max (\S+)\) ms/m,
  maxTries: /^maximum number of tries: (\d+)/m,
  queryMode: /^query mode: (\w+)/m,
} satisfies Partial<Record<keyof ToolRun, RegExp>>;

const parse = (text: string): ToolRun[] => [...runsIn(text)];

function facts(run: ToolRun): Partial<ToolRun> {
  const left = Object.entries(run).filter(([name]) => !(name in singleLines) && !['failures', 'place'].includes(name));
  // What each script lost is compared with its lines in measures.test.ts.
  const scripts = run.scripts.map(({ failedTransactions: _, skippedTransactions: __, ...script }) => script);
  return { ...Object.fromEntries(left), scripts, problems: undefined };
}

function asRun(expected: ExpectedRun): Partial<ToolRun> {
  const seconds = (milliseconds: number | undefined): unknown =>
    milliseconds === undefined ? null : expect.closeTo(milliseconds / 1000, 9);
  const { transactions = null, tps = null } = expected;
  const latencyAverageSeconds = seconds(expected.latencyAverageMs) as number | null;
  return {
    tool: 'pgbench',
    clientVersion: expected.clientVersion ?? null,
    serverVersion: expected.serverVersion ?? null,
    clients: expected.clients ?? null,
    threads: expected.threads ?? null,
    scale: expected.scale ?? null,
    scripts:
      expected.script === undefined
        ? (expected.scripts ?? []).map(({ name, weight, transactions, tps, latencyAverageMs }) => ({
            name,
            weight,
            transactions,
            tps: tps ?? null,
            latencyAverageSeconds: seconds(latencyAverageMs) as number | null,
          }))
        : [{ name: expected.script, weight: null, transactions, tps, latencyAverageSeconds }],
    transactions,
    failedTransactions: expected.failedTransactions ?? null,
    skippedTransactions: expected.skippedTransactions ?? null,
    retriedTransactions: expected.retriedTransactions ?? null,
    durationSeconds: expected.durationSeconds ?? null,
    tps,
    latencyAverageSeconds,
    latencyStddevSeconds: seconds(expected.latencyStddevMs) as number | null,
    complete: expected.complete,
  };
}

/**
 * Position of the last number that a run is made from. Statements may follow, and nothing tells how many there are. Nor
 * does anything tell that a script with weight 0 is missing.
 */
function summaryEnd(text: string): number {
  const counted = text.split(/^SQL script \d+: .*\n - weight: 0 /m)[0] ?? text;
  const lines = [...counted.matchAll(/^(tps = .*\)| - latency stddev = .*| - \d+ transactions .*)$/gm)];
  const last = lines.at(-1);
  return last === undefined ? counted.length : last.index + last[0].length;
}

it('a speed that somebody noted behind a whole run, or that is damaged, does not harm it', () => {
  const text = withRate(5000, 50);
  for (const appended of ['tps = 48', 'old server:\ntps = 48', '$ head -c 99 other.txt\ntps = 48.1 (wit']) {
    expect(parse(text + appended)[0]).toMatchObject({ tps: 50, complete: true });
  }
});

describe('two starts that printed into one text at the same time', () => {
  const [slow = [], fast = []] = [
    [withRate(1000, 10), '4000.000'],
    [withRate(2000, 20), '2000.000'],
  ].map(([text = '', latency]) =>
    text
      .replace(/latency average.*\nlatency stddev.*\nrate limit.*\n/, `latency average = ${latency ?? ''} ms\n`)
      .replace(/number of clients: 4/, 'number of clients: 40')
      .trimEnd()
      .split('\n'),
  );

  it('are both whole one after the other', () => {
    expect(parse([...slow, ...fast].join('\n')).map(({ complete }) => complete)).toEqual([true, true]);
  });

  it.each(fast.map((_, at) => at).slice(1))('never make a run with figures of both, as after line %i', (at) => {
    const text = [...slow.slice(0, at), ...fast.slice(0, at), ...slow.slice(at), ...fast.slice(at)].join('\n');
    const figures = ({ transactions, tps }: ToolRun) => `${transactions} at ${tps}`;
    const whole = parse(text).filter(({ complete }) => complete);
    for (const run of whole) expect(['1000 at 10', '2000 at 20']).toContain(figures(run));
  });
});

/** Printed by pgbench 15.18 with --max-tries=0 and --latency-limit=20, on scripts that conflict. */
const unlimitedTries = `pgbench (15.18 (Debian 15.18-0+deb12u1))
transaction type: ser.sql
scaling factor: 1
query mode: simple
number of clients: 8
number of threads: 1
duration: 1 s
number of transactions actually processed: 840
number of failed transactions: 132 (13.580%)
number of transactions retried: 569 (58.539%)
total number of retries: 2049
number of transactions above the 20.0 ms latency limit: 28/840 (3.333%)
latency average = 4.629 ms
latency stddev = 6.604 ms
initial connection time = 47.745 ms
tps = 871.434381 (without initial connection time)
`;

/** Printed by pgbench 15.18 with --rate=50 and --time=100, with other numbers. */
function withRate(transactions: number, tps: number): string {
  return `pgbench (15.18 (Debian 15.18-0+deb12u1))
transaction type: <builtin: TPC-B (sort of)>
scaling factor: 1
query mode: simple
number of clients: 4
number of threads: 1
maximum number of tries: 1
duration: 100 s
number of transactions actually processed: ${transactions}
number of failed transactions: 0 (0.000%)
latency average = 2.629 ms
latency stddev = 1.604 ms
rate limit schedule lag: avg 0.300 (max 5.600) ms
initial connection time = 7.745 ms
tps = ${tps.toFixed(6)} (without initial connection time)
`;
}

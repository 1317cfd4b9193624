import { type ChildProcessByStdio, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { assembleResult } from '../../runner/analysis/assemble.ts';
import { seededRandom } from '../../bench/statistics/noise.ts';
import type { CarriedOutStep, Result } from '../../runner/contract/result.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import { runFiles } from '../../runner/storage/run-files.ts';
import { runFolder } from '../../runner/storage/run-folder.ts';
import { changedSample } from '../helpers/samples/changed-sample.ts';
import { crossedSample } from '../helpers/samples/crossed-sample.ts';
import { recordReplicas, replicatedRun } from '../helpers/samples/replicated-sample.ts';
import { recordSample, sampleResult, seriesInMemory } from '../helpers/samples/sample-result.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'pgduet-recompute-'));
});
afterEach(() => rm(folder, { recursive: true }));

const script = path.resolve(import.meta.dirname, '../../docs/recompute.py');

/** The script in one process for all files that it only reads: for each line with a path, a line with its exit code and text. */
const reader = `
import contextlib, importlib.util, io, json, sys
spec = importlib.util.spec_from_file_location("recompute", sys.argv[1])
script = importlib.util.module_from_spec(spec)
spec.loader.exec_module(script)
for line in sys.stdin:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        code = script.main(line[:-1])
    print(json.dumps({"code": code, "stdout": printed.getvalue()}), flush=True)
`;
let python: ChildProcessByStdio<Writable, Readable, null>;
let answers: AsyncIterator<string, undefined>;

/** What the script prints for the file that a run with this result leaves. @throws with that if it does not say the same */
async function recompute(result: Result): Promise<string> {
  await runFolder(folder, folder).saveResult(result);
  python.stdin.write(`${path.join(folder, runFiles.result)}\n`);
  const { value = '' } = await answers.next();
  const { code, stdout } = JSON.parse(value) as { code: number; stdout: string };
  if (code !== 0) throw Object.assign(new Error(`exit code ${code}`), { stdout });
  return stdout;
}

function primaryOf({ comparisons }: Result): Result['comparisons'][number] {
  const primary = comparisons.find((comparison) => comparison.primary);
  if (!primary) throw new Error('nothing decides');
  return primary;
}

/** Nothing else in the project needs Python, so it may be missing. */
const hasPython = spawnSync('python3', ['--version']).status === 0;
const same = 'result.json says the same\n';
const candidate = 'with-log-volume';

describe.skipIf(!hasPython)('docs/recompute.py', () => {
  beforeAll(() => {
    python = spawn('python3', ['-c', reader, script], { stdio: ['pipe', 'pipe', 'inherit'] });
    answers = createInterface(python.stdout)[Symbol.asyncIterator]() as typeof answers;
  });
  afterAll(() => void python.stdin.end());

  it('finds no verdict where typical and total disagree', async () => {
    const { result } = await changedSample({ blocks: 20, variants: { a: 1, b: 1.06 } }, ({ trials }) => {
      for (const { block, conditions, measures } of trials) {
        if (conditions.variant === 'b' && block % 9 === 3) measures['tps'] = 0.1 * (measures['tps'] ?? 0);
      }
    });
    expect(primaryOf(result)).toMatchObject({ undecided: 'typical and total disagree' });
    const output = await recompute(result);
    expect(output).toMatch(/verdict: inconclusive/);
    expect(output).toContain(same);
  });

  it.each([
    { effect: 8, others: [0.6, 0.6], awake: 1, verdict: 'better', isCondition: false },
    { effect: 1.3, others: [0.6, 0.6], awake: 1, verdict: 'better', isCondition: true },
    { effect: 1.3, others: [0.2, 0], awake: 1, verdict: 'inconclusive' },
    { effect: 1.3, others: [0, 0.2], awake: 1, verdict: 'better', isCondition: false },
    { effect: 1.3, others: [0, 0.2], awake: 0, verdict: 'inconclusive' },
    { effect: 1, others: [0.1, 0.1], awake: 1, verdict: 'inconclusive' },
    { effect: 1, others: [0.01, 0.01], awake: 1, verdict: 'equivalent' },
    { effect: 1.3, others: [0.55, 0.3], always: [0.5, 0.25], awake: 1, verdict: 'better', isCondition: true },
    { effect: 1.3, others: [0.65, 0.25], always: [0.5, 0.25], awake: 1, verdict: 'inconclusive' },
  ])(
    'judges beside other programs as pgduet does: $effect, $others, $always, $awake',
    async ({ others, always = [0, 0], awake, effect, ...judged }) => {
      for (const control of [[], ['again']]) {
        const variants: Record<string, number> = {
          a: 1,
          b: effect,
          ...Object.fromEntries(control.map((name) => [name, 1])),
        };
        const { result } = await changedSample({ blocks: 8, variants }, ({ trials }) => {
          for (const { conditions, measures, facts } of trials) {
            const side = conditions.variant === 'b' ? 1 : 0;
            const taken = others[side] ?? 0;
            facts.alwaysRunnable = { thread: always[side] ?? 0 };
            Object.assign(measures, {
              'driver.others': taken,
              'driver.own': 1 - taken,
              'driver.awake': awake,
              'driver.processors': 2,
              'load.clients': 1,
            });
          }
        });
        const found = primaryOf(result);
        const { isCondition } = judged;
        expect(found).toMatchObject({
          verdict: judged.verdict,
          ...(isCondition !== undefined && { beside: { isCondition } }),
        });
        expect(await recompute(result)).toContain(same);
      }
    },
  );

  it('takes the folder of a run, and says in one line what it cannot read', async () => {
    await runFolder(folder, folder).saveResult(await sampleResult({ blocks: 6 }));
    const reported = (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync('python3', [script, ...args], { encoding: 'utf8' });
      return { status, stdout, stderr };
    };
    expect(reported(folder)).toMatchObject({ status: 0, stderr: '' });
    expect(reported(path.join(folder, 'gone'))).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^.*gone is not there: name the folder of a run .*\n$/) as string,
    });
    await writeFile(path.join(folder, 'cut.json'), '{');
    expect(reported(path.join(folder, 'cut.json')).stderr).toMatch(/^.*cut\.json is not JSON: .*\n$/);
    await writeFile(path.join(folder, 'other.json'), '[]');
    expect(reported(path.join(folder, 'other.json')).stderr).toMatch(/^.*other\.json is not a result of pgduet\.\n$/);
    expect(reported().stderr).toContain('Usage: ');
  });

  it('refuses a result that is not as its manifest has it, or is damaged, and prints no control character of it', async () => {
    const result = await sampleResult({ blocks: 6 });
    const reported = async (changed: object, file: string) => {
      await writeFile(path.join(folder, file), JSON.stringify({ kind: 'pgduet-result', ...changed }));
      return spawnSync('python3', [script, path.join(folder, file)], { encoding: 'utf8', timeout: 20_000 });
    };
    const { definition } = result.experiment;
    for (const damaged of [
      { ...result, comparisons: 1 },
      { ...result, experiment: {} },
      { ...result, experiment: { definition: { ...definition, decision: { ...definition.decision, level: 1e308 } } } },
    ]) {
      const { status, stderr } = await reported(damaged, 'damaged.json');
      expect(status).toBe(1);
      expect(stderr).toMatch(/^.*damaged\.json is damaged \(.*\)\n$/);
    }
    const named = JSON.parse(JSON.stringify(result).replaceAll('"with-log-volume"', '"\\u001b[2J\\u202e"')) as object;
    expect((await reported(named, 'named.json')).stdout).toMatch(/^\?\[2J\? against without-log-volume/);
    await runFolder(folder, folder).saveResult(result);
    expect((await reported({ ...result, warnings: ['another'] }, 'result.json')).stderr).toContain(
      'is not what SHA256SUMS',
    );
  });

  it.each([6, 7, 10, 23])('finds the interval of %i blocks that result.json states', async (blocks) => {
    const output = await recompute(await sampleResult({ blocks, variants: { one: 1, two: 1.2 } }));
    expect(output).toMatch(/^two against one, tps, .*% to .*% at the 9[5-9]\.\d\d% level; verdict: better$/m);
    expect(output).toContain(same);
  });

  it.each([
    [[0.999, 0.98], 'worse'],
    [[0.999, 0.9991], 'equivalent'],
  ] as const)('takes shares within a limit by their difference: %j is %s', async ([before, after], verdict) => {
    const { result } = await changedSample({ blocks: 8 }, ({ run, trials }) => {
      Object.assign(run.experiment.definition.decision, { metric: 'latency.withinLimit', practicalThreshold: 0.002 });
      for (const trial of trials) {
        const share = (trial.conditions.variant === candidate ? after : before) - trial.block * 1e-5;
        trial.measures = { ...trial.measures, 'latency.withinLimit': share };
      }
    });
    const output = await recompute(result);
    expect(output).toMatch(new RegExp(`latency.withinLimit, 8 pairs: .*verdict: ${verdict}$`, 'm'));
    expect(output).toContain(same);
  });

  it('knows the metric of one script', async () => {
    const { result } = await changedSample({ blocks: 8 }, ({ run, trials }) => {
      Object.assign(run.experiment.definition.decision, { metric: 'latency.p99', script: 'order' });
      for (const trial of trials) {
        const { 'latency.p99': whole = null } = trial.measures;
        const value = whole !== null && trial.conditions.variant === candidate ? whole * 3 : whole;
        trial.measures = { ...trial.measures, 'latency.p99@order': value };
      }
    });
    const output = await recompute(result);
    expect(output).toMatch(/latency.p99@order, 8 pairs: .*verdict: worse$/m);
    expect(output).toContain(same);
  });

  it('leaves out blocks in which a trial failed, as pgduet does', async () => {
    const output = await recompute(await sampleResult({ blocks: 8, failedTrial: { block: 2, variant: candidate } }));
    expect(output).toContain('7 pairs');
    expect(output).toContain('no interval; verdict: descriptive (7 pairs are too few with 1 unknown)');
    expect(output).toContain(same);
    const many = await recompute(await sampleResult({ blocks: 14, failedTrial: { block: 2, variant: candidate } }));
    expect(many).toMatch(/13 pairs: .* to .* at the 9[5-9]\.\d\d% level; verdict: better/);
    expect(many).toContain(same);
  });

  it('takes a repeated block from the attempt that is valid', async () => {
    const result = await sampleResult({ blocks: 8, repeatedBlock: { block: 3, factor: 7 } });
    const output = await recompute(result);
    expect(output).toMatch(/8 pairs: \+3\d\.\d+%, \+2\d\.\d+% to \+3\d\.\d+% at/);
    expect(output).toContain(same);

    const affected = result.trials.find((trial) => trial.block === 3 && trial.attempt === 1 && trial.checks.length > 0);
    const pair = primaryOf(result).pairs[2];
    if (!pair) throw new Error('there is a third block');
    pair.candidate = affected?.measures['tps'] ?? NaN;
    await expect(recompute(result)).rejects.toMatchObject({
      stdout: expect.stringContaining('something else') as string,
    });
  });

  it.each([1, 3])('takes the blocks of a crossover of %i exchanges two by two', async (exchanges) => {
    const { result } = await crossedSample({ blocks: 18, exchanges, repeatedBlock: { block: 12, factor: 7 } });
    const output = await recompute(result);
    expect(output).toMatch(/9 pairs: .* to .* at the 9[5-9]\.\d\d% level; verdict: better/);
    expect(output).toContain(same);
  });

  it('leaves out each exchange of a crossover, and notices an interval of all pairs', async () => {
    const { result } = await crossedSample({ blocks: 24 }, ({ trials }) => {
      // The host of the candidate changes in front of the second exchange.
      for (const { block, conditions, measures } of trials) {
        if (block > 8 && block <= 12 && conditions.variant === candidate) measures.tps = (measures.tps ?? NaN) * 1.5;
      }
    });
    expect(await recompute(result)).toContain(same);
    const primary = primaryOf(result);
    for (const pair of primary.pairs) delete pair.exchange;
    await expect(recompute(result)).rejects.toMatchObject({
      stdout: expect.stringContaining('something else') as string,
    });
  });

  it('adds up all trials of a crossover for its totals', async () => {
    const { result } = await crossedSample({ blocks: 18 }, ({ trials }) => {
      for (const { block, conditions, measures } of trials) {
        if ((block === 3 || block === 14) && conditions.variant === candidate)
          measures.tps = (measures.tps ?? NaN) * 0.2;
      }
    });
    const { pairs } = primaryOf(result);
    expect(pairs.every(({ means }) => means !== undefined)).toBe(true);
    expect(await recompute(result)).toContain(same);
    for (const pair of pairs) delete pair.means;
    await expect(recompute(result)).rejects.toMatchObject({
      stdout: expect.stringContaining('something else') as string,
    });
  });

  it.each([18, 36])('leaves an unknown block out with its exchange, of %i blocks', async (blocks) => {
    const { result } = await crossedSample({ blocks, failedTrial: { block: 5, variant: candidate } });
    expect(primaryOf(result)).toMatchObject({ unknownPairs: 1, unknownExchanges: [1] });
    const output = await recompute(result);
    expect(output).toContain(blocks === 18 ? 'descriptive (8 pairs are too few with 1 unknown)' : '17 pairs: ');
    expect(output).toContain(same);
  });

  it('takes the level of the look at which a run stopped', async () => {
    const { result } = await changedSample(
      { blocks: 8 },
      ({ run: { experiment } }) => {
        Object.assign(experiment.definition.protocol, { until: 'precision', blocks: 30 });
      },
      { stoppedAfterBlock: 8 },
    );
    const output = await recompute(result);
    expect(output).toContain('8 pairs');
    expect(output).toContain('at the 99.22% level; verdict: better');
    expect(output).toContain(same);
  });

  it('finds the ratio of totals and the change in slow seconds that result.json states', async () => {
    const result = await sampleResult({ blocks: 8 });
    const output = await recompute(result);
    expect(output).toMatch(/^ {2}tps\.total: \+3\d\.\d+%$/m);
    expect(output).toMatch(/^ {2}tps\.p10: \+3\d\.\d+%$/m);
    const totals = result.comparisons.find(({ metric }) => metric === 'tps.total');
    if (totals) totals.change = 0.9;
    await expect(recompute(result)).rejects.toMatchObject({
      stdout: expect.stringContaining('something else') as string,
    });
  });

  it('forms no interval from five blocks', async () => {
    const output = await recompute(await sampleResult({ blocks: 5 }));
    expect(output).toContain('no interval; verdict: descriptive (5 pairs are too few)\n');
    expect(output).toContain(same);
  });

  it('judges several candidates together, step by step', async () => {
    const variants = { one: 1, two: 1.2, three: 0.97, four: 1.01 };
    for (const blocks of [6, 8, 12]) {
      const output = await recompute(await sampleResult({ blocks, variants }));
      expect(output).toMatch(
        blocks === 6 ? /6 pairs are too few/ : /two against one.*at the 9[89]\.\d\d% level; verdict: better/,
      );
      expect(output).toContain(same);
    }
  });

  const controlled = async (again: number, two: number) => {
    const { result } = await changedSample({ blocks: 8, variants: { one: 1, again, two } }, ({ run }) => {
      const { variants } = run.experiment.definition;
      if (variants['one']) variants['again'] = variants['one'];
      const [first, second] = run.variants;
      if (first && second) second.settings = first.settings;
    });
    return result;
  };

  it('judges a candidate against the control, too', async () => {
    const verdicts: string[] = [];
    for (const [again, two] of [
      [1.03, 1.06],
      [1.03, 1.03],
      [1.015, 1.09],
      [0.97, 1],
      [1.04, 1.05],
      [1.04, 1.055],
      [1.03, 0.98],
    ] as const) {
      const output = await recompute(await controlled(again, two));
      expect(output).toContain(same);
      verdicts.push(/^two .*verdict: (\w+)/m.exec(output)?.[1] ?? '');
    }
    expect(verdicts).toEqual(['better', 'equivalent', 'better', 'equivalent', 'inconclusive', 'inconclusive', 'worse']);
  });

  it('judges a control by itself, and withholds what it spoils', async () => {
    for (const factor of [1, 1.3]) {
      const result = await controlled(factor, 1.2);
      const output = await recompute(result);
      expect(output).toMatch(
        factor === 1 ? /two against one.*verdict: better/ : /two against one.*withheld \(control again\)/,
      );
      expect(output).toContain(same);
    }
  });

  /** A run with a control in which one trial of a block came out like this, for several blocks. */
  const affected = (
    of: readonly { block: number; variant: string; change: Partial<Trial> }[],
    { repeated = true }: { repeated?: boolean } = {},
  ) => {
    const variants = { one: 1, again: 1, two: 1.2 };
    return changedSample({ blocks: 17, variants }, ({ run, trials }) => {
      const { variants: defined } = run.experiment.definition;
      if (defined['one']) defined['again'] = defined['one'];
      const [first, second] = run.variants;
      if (first && second) second.settings = first.settings;
      for (const { block, variant, change } of of) {
        const [found] = trials.filter((one) => one.block === block && one.conditions.variant === variant);
        if (!found) throw new Error(`no trial of ${variant} in block ${block}`);
        // A block that was cut off, or disturbed, has been measured anew.
        if (repeated && change.state !== 'failed') {
          const own = trials.filter((one) => one.block === block);
          trials.push(...own.map((one) => ({ ...structuredClone(one), id: `${one.id}-repeat-2`, attempt: 2 })));
        }
        Object.assign(found, change);
      }
    });
  };
  const failed = { state: 'failed', failure: { stage: 'measure', error: 'the server ended' }, measures: {} } as const;
  const cutOff = { ...failed, state: 'interrupted' } as const;
  const disturbed = {
    checks: [{ id: 'clock', name: 'clock', state: 'fail', finding: 'set by 3 s', outside: 'suspended driver' }],
  } satisfies Partial<Trial>;

  it.each([
    {
      what: 'lost by each of three variants',
      // Two blocks are unknown for each pair of variants, of three in all.
      of: [
        { block: 2, variant: 'one', change: failed },
        { block: 5, variant: 'again', change: failed },
        { block: 9, variant: 'two', change: failed },
      ],
      verdict: 'better',
    },
    {
      what: 'cut off by the user in the baseline and in the control',
      of: [
        { block: 2, variant: 'one', change: cutOff },
        { block: 3, variant: 'one', change: cutOff },
        { block: 5, variant: 'again', change: cutOff },
        { block: 6, variant: 'again', change: cutOff },
      ],
      verdict: 'better',
    },
    {
      what: 'disturbed in the baseline alone, or lost by both others',
      of: [
        { block: 2, variant: 'one', change: disturbed },
        { block: 5, variant: 'again', change: failed },
        { block: 6, variant: 'again', change: failed },
        { block: 9, variant: 'two', change: failed },
      ],
      verdict: 'inconclusive',
    },
  ])('judges against a control where blocks are $what', async ({ of, verdict }) => {
    const { result } = await affected(of);
    const output = await recompute(result);
    expect(output).toMatch(new RegExp(`^two against one.*verdict: ${verdict}`, 'm'));
    expect(output).toContain(same);
  });

  it('pairs a candidate with a control on several instances, with a loss', async () => {
    for (const replicas of [2, 6]) {
      const variants = { one: 1, again: 1, two: 1.2 };
      const recorded = recordReplicas(
        Array.from({ length: replicas }, () => 1),
        { variants, blocks: 12 },
      );
      const { definition } = recorded.run.experiment;
      if (definition.variants['one']) definition.variants['again'] = definition.variants['one'];
      for (const variant of recorded.run.variants) variant.settings = recorded.run.variants[0]?.settings ?? {};
      const [trial] = recorded.trials.filter(({ conditions }) => conditions.variant === 'again');
      Object.assign(trial ?? {}, failed);
      const { run, trials, rows, endedAt } = recorded;
      const result = await assembleResult({ run, steps: [], trials }, { endedAt }, seriesInMemory(rows));
      const output = await recompute(result);
      // One unknown of six pairs of instances leaves no interval.
      expect(output).toMatch(replicas === 2 ? /^two .*verdict: better/m : /^two .*verdict: inconclusive/m);
      expect(output).toContain(same);
    }
  });

  it.each([2, 6])(
    'pairs shares with a control on %i pairs of instances as pgduet does, whatever they are',
    async (replicas) => {
      const variants = { one: 1, again: 1, two: 1 };
      const verdicts = new Set<string>();
      for (let seed = 1; seed <= 12; seed += 1) {
        const random = seededRandom(seed);
        const recorded = recordReplicas(Array<number>(replicas).fill(1), { variants, blocks: 8 });
        const { definition } = recorded.run.experiment;
        if (definition.variants['one']) definition.variants['again'] = definition.variants['one'];
        for (const variant of recorded.run.variants) variant.settings = recorded.run.variants[0]?.settings ?? {};
        Object.assign(definition.decision, { metric: 'latency.withinLimit', practicalThreshold: 0.05 });
        // A mean of logarithms and one of shares differ most where one pair of instances has many late transactions.
        const late = Array.from({ length: replicas }, () => random() * 0.9);
        const worse = random() * 0.1;
        for (const trial of recorded.trials) {
          const { replica, variant } = trial.conditions;
          const own = (late[Number(replica) - 1] ?? 0) * (0.8 + 0.2 * random()) + (variant === 'two' ? worse : 0);
          trial.measures = { ...trial.measures, 'latency.withinLimit': 1 - Math.min(own, 0.999) };
        }
        const { run, trials, rows, endedAt } = recorded;
        const output = await recompute(
          await assembleResult({ run, steps: [], trials }, { endedAt }, seriesInMemory(rows)),
        );
        expect(output, `seed ${seed}`).toContain(same);
        verdicts.add(/^two .*verdict: (\w+)/m.exec(output)?.[1] ?? '');
      }
      expect(verdicts.size).toBeGreaterThan(1);
    },
  );

  it('claims nothing where a limit ended a run that had been cut off', async () => {
    const { run, trials, rows, endedAt } = recordSample({ blocks: 8 });
    run.experiment.definition.protocol.blocks = 20;
    for (const isLater of [false, true]) {
      const at = isLater ? (trials[9]?.startedAt ?? '') : run.startedAt;
      const steps: CarriedOutStep[] = [{ step: 'create', startedAt: at, endedAt: at }];
      const end = { endedAt, stoppedBy: 'Stopped by limits.hours: 1' };
      const output = await recompute(await assembleResult({ run, steps, trials }, end, seriesInMemory(rows)));
      expect(output).toMatch(isLater ? /descriptive \(ended after 8 of 20 blocks\)/ : /verdict: better/);
      expect(output).toContain(same);
    }
  });

  it.each(['without a break', 'but for the last block'])(
    'takes a ladder for complete that left out the levels past its knee, %s',
    async (extent) => {
      const speeds = { 1: 0.5, 2: 1, 4: 1.01, 8: 1 };
      const { result } = await changedSample(
        { blocks: 12, variants: { one: 1, two: 1.2 } },
        ({ run, trials, rows }) => {
          const { definition } = run.experiment;
          Object.assign(definition.workload, { clients: [1, 2, 4, 8] });
          definition.ladder.stopPastKneeAfter = 3;
          const climbed = trials.splice(0).flatMap((trial) =>
            Object.entries(speeds).map(([clients, factor]): Trial => {
              const id = `${trial.id}-${clients}`;
              rows.set(id, rows.get(trial.id) ?? []);
              const { tps } = trial.measures;
              return {
                ...structuredClone(trial),
                id,
                conditions: { clients: Number(clients), ...trial.conditions },
                measures: { ...trial.measures, tps: (tps ?? NaN) * factor },
              };
            }),
          );
          const last = extent === 'without a break' ? 12 : 11;
          const isMeasured = ({ block, conditions: { clients } }: Trial) =>
            block <= 3 || (Number(clients) < 8 && (block <= last || Number(clients) < 4));
          trials.push(...climbed.filter(isMeasured));
        },
      );
      const output = await recompute(result);
      expect(output).toMatch(
        extent === 'without a break'
          ? /^two .* clients 4, tps, 12 pairs: .*verdict: better$/m
          : /^two .* clients 2, .*descriptive \(ended after 11 of 12 blocks\)$/m,
      );
      expect(output).toMatch(/^two .* clients 8, .*descriptive .*3 pairs are too few/m);
      expect(output).toContain(same);
    },
  );

  it.each([
    ['fixed', 'descriptive (order: fixed)'],
    ['together', 'descriptive (order: together)'],
  ])('claims nothing from an order that is %s', async (order, words) => {
    const { result } = await changedSample({ blocks: 8 }, ({ run: { experiment } }) => {
      Object.assign(experiment.definition.protocol, { order });
    });
    const output = await recompute(result);
    expect(output).toContain(words);
    expect(output).toContain(same);
  });

  it('claims nothing from a run that was interrupted by hand', async () => {
    const { result } = await changedSample({ blocks: 8 }, ({ run: { experiment } }) => {
      experiment.definition.protocol.blocks = 20;
    });
    const output = await recompute(result);
    expect(output).toContain('descriptive (ended after 8 of 20 blocks)');
    expect(output).toContain(same);
  });

  it('knows a failed check', async () => {
    const { result } = await changedSample({ blocks: 8 }, ({ trials }) => {
      trials[3]?.checks.push({
        id: 'restart-or-failover',
        name: 'restart or failover',
        state: 'fail',
        finding: 'it restarted',
        outside: 'other programs',
      });
    });
    const output = await recompute(result);
    expect(output).toContain('verdict: withheld (restart-or-failover)');
    expect(output).toContain(same);
  });

  it('takes values of zero, and values that are missing', async () => {
    const { result } = await changedSample({ blocks: 8 }, ({ trials }) => {
      if (trials[0]) trials[0].measures = { ...trials[0].measures, tps: 0 };
      if (trials[5]) trials[5].measures = { ...trials[5].measures, tps: null };
    });
    const output = await recompute(result);
    expect(output).toContain('descriptive (7 pairs are too few with 1 unknown)');
    expect(output).toContain(same);
  });

  it.each(['one', 'again', 'two'])('takes blocks of which %s has no value for unknown', async (variant) => {
    const withoutValue = [4, 9].map((block) => ({
      block,
      variant,
      change: { state: 'finished', measures: {} } as const,
    }));
    const { result } = await affected(withoutValue, { repeated: false });
    const output = await recompute(result);
    expect(output).toMatch(variant === 'again' ? /^two .* 17 pairs: /m : /^two .* 15 pairs: /m);
    expect(result.comparisons.some(({ primary, unknownPairs }) => primary && unknownPairs === 2)).toBe(true);
    expect(output).toContain(same);
  });

  it.each(['base', 'cand'])('forms no error of totals where all but one trial of %s are zero', async (variant) => {
    const { result } = await changedSample({ blocks: 8, variants: { base: 1, cand: 1.5 } }, ({ trials }) => {
      for (const { block, conditions, measures } of trials) {
        if (block > 1 && conditions.variant === variant) Object.assign(measures, { tps: 0, 'tps.total': 0 });
      }
    });
    expect(await recompute(result)).toContain(same);
  });

  it.each([3, 6])('takes the %i pairs of instances as pgduet does', async (replicas) => {
    const { result } = await replicatedRun(
      Array.from({ length: replicas }, (_, index) => 1 + index / 100),
      { variants: { one: 1, two: 1.2 } },
    );
    const output = await recompute(result);
    expect(output).toMatch(/6 pairs: .*verdict: better/);
    expect(output).toContain(same);
  });

  it('agrees with the fixtures', async () => {
    const fixtures = path.resolve(import.meta.dirname, '../fixtures/results');
    for (const version of ['v2']) {
      const file = path.join(fixtures, version, runFiles.result);
      expect((await promisify(execFile)('python3', [script, file])).stdout).toContain(same);
    }
  });

  it('says where no block counts', async () => {
    const output = await recompute(await sampleResult({ blocks: 1, failedTrial: { block: 1, variant: candidate } }));
    expect(output).toContain('0 pairs: nothing to compare, no interval; verdict: descriptive');
    expect(output).toContain(same);
  });

  it('notices when result.json states another interval', async () => {
    const result = await sampleResult({ blocks: 6 });
    const { interval } = primaryOf(result);
    if (!interval) throw new Error('six blocks have an interval');
    interval.low -= 0.001;
    await expect(recompute(result)).rejects.toMatchObject({
      stdout: expect.stringContaining('something else') as string,
    });
  });
});

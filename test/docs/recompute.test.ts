import { type ChildProcessByStdio, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { assembleResult } from '../../runner/analysis/assemble.ts';
import { stopReason } from '../../runner/contract/stop.ts';
import { seededRandom } from '../../bench/statistics/noise.ts';
import type { CarriedOutStep, Result } from '../../runner/contract/result.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import { runFiles } from '../../runner/storage/run-files.ts';
import { runFolder } from '../../runner/storage/run-folder.ts';
import { answeredResult, answeredResults, scopedResults } from '../helpers/samples/answered-results.ts';
import { changedSample, type RecordedSample } from '../helpers/samples/changed-sample.ts';
import { crossedSample } from '../helpers/samples/crossed-sample.ts';
import { recordReplicas } from '../helpers/samples/replicated-sample.ts';
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
type Change = Parameters<typeof changedSample>[1];

const changed = async (...of: Parameters<typeof changedSample>): Promise<Result> => (await changedSample(...of)).result;
const crossed = async (...of: Parameters<typeof crossedSample>): Promise<Result> => (await crossedSample(...of)).result;

async function assembled({ run, trials, rows, endedAt }: RecordedSample): Promise<Result> {
  return assembleResult({ run, steps: [], trials }, { endedAt }, seriesInMemory(rows));
}

/** Makes the variant `again` the variant `one` once more. */
const makeControl: Change = ({ run }) => {
  const { variants } = run.experiment.definition;
  if (variants['one']) variants['again'] = variants['one'];
  for (const { name, settings } of run.variants)
    if (name === 'one') for (const variant of run.variants) if (variant.name === 'again') variant.settings = settings;
};

/** Throughput times so much where this holds. */
const times =
  (factor: number, where: (trial: Trial) => boolean): Change =>
  ({ trials }) => {
    for (const trial of trials.filter(where)) trial.measures['tps'] = (trial.measures['tps'] ?? NaN) * factor;
  };
const isCandidate = ({ conditions }: Trial): boolean => conditions.variant === candidate;

const controlled = (again: number, two: number): Promise<Result> =>
  changed({ blocks: 8, variants: { one: 1, again, two } }, makeControl);

/** A run with a control in which one trial of a block came out like this, for several blocks. */
const affected = (
  of: readonly { block: number; variant: string; change: Partial<Trial> }[],
  { repeated = true }: { repeated?: boolean } = {},
): Promise<Result> =>
  changed({ blocks: 17, variants: { one: 1, again: 1, two: 1.2 } }, (recorded) => {
    makeControl(recorded);
    const { trials } = recorded;
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
const failed = { state: 'failed', failure: { stage: 'measure', error: 'the server ended' }, measures: {} } as const;
const cutOff = { ...failed, state: 'interrupted' } as const;
const disturbed = {
  checks: [{ id: 'clock', name: 'clock', state: 'fail', finding: 'set by 3 s', outside: 'suspended-driver' }],
} satisfies Partial<Trial>;
const inBlocks = (variant: string, change: Partial<Trial>, ...blocks: number[]) =>
  blocks.map((block) => ({ block, variant, change }));
const withoutValue = { state: 'finished', measures: {} } as const;

/** Instances with a control, of which one trial failed. */
const controlledPairs = (replicas: number): Promise<Result> => {
  const variants = { one: 1, again: 1, two: 1.2 };
  const recorded = recordReplicas(Array<number>(replicas).fill(1), { variants, blocks: 12 });
  makeControl(recorded);
  const [trial] = recorded.trials.filter(({ conditions }) => conditions.variant === 'again');
  Object.assign(trial ?? {}, failed);
  return assembled(recorded);
};

/** A run whose limit ended it, and which had been cut off before if it was started again. */
async function limited(isLater: boolean): Promise<Result> {
  const { run, trials, rows, endedAt } = recordSample({ blocks: 8 });
  run.experiment.definition.protocol.blocks = 20;
  const at = isLater ? (trials[9]?.startedAt ?? '') : run.startedAt;
  const steps: CarriedOutStep[] = [{ step: 'create', startedAt: at, endedAt: at }];
  return assembleResult(
    { run, steps, trials },
    { endedAt, stoppedBy: stopReason('limit-reached', 'Stopped by limits.hours: 1') },
    seriesInMemory(rows),
  );
}

/** A ladder that left out the levels past its knee, up to this block. */
const ladderUntil = (last: number): Promise<Result> =>
  changed({ blocks: 12, variants: { one: 1, two: 1.2 } }, ({ run, trials, rows }) => {
    const { definition } = run.experiment;
    Object.assign(definition.workload, { clients: [1, 2, 4, 8] });
    definition.ladder.stopPastKneeAfter = 3;
    const climbed = trials.splice(0).flatMap((trial) =>
      Object.entries({ 1: 0.5, 2: 1, 4: 1.01, 8: 1 }).map(([clients, factor]): Trial => {
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
    const isMeasured = ({ block, conditions: { clients } }: Trial) =>
      block <= 3 || (Number(clients) < 8 && (block <= last || Number(clients) < 4));
    trials.push(...climbed.filter(isMeasured));
  });

const noErrorOf = (variant: string): Promise<Result> =>
  changed({ blocks: 8, variants: { base: 1, cand: 1.5 } }, ({ trials }) => {
    for (const { block, conditions, measures } of trials)
      if (block > 1 && conditions.variant === variant) Object.assign(measures, { tps: 0, 'tps.total': 0 });
  });
const lost = (blocks: number) => crossed({ blocks, failedTrial: { block: 5, variant: candidate } });

const unlike = (variants: Record<string, number>, blocks: number): Promise<Result> =>
  sampleResult({ blocks, variants });

/** Results that need more than what answers are made for (test/helpers/samples/answered-results.ts), and what must be printed. */
const cases: [about: string, make: () => Promise<Result>, says: RegExp][] = [
  ...[6, 7, 10, 23].map((blocks): (typeof cases)[number] => [
    `${blocks} blocks`,
    () => unlike({ one: 1, two: 1.2 }, blocks),
    /^two against one, tps, .*% to .*% at the 9[5-9]\.\d\d% level; verdict: better$/m,
  ]),
  ['no block that counts', () => sampleResult({ blocks: 1, failedTrial: { block: 1, variant: candidate } }), /0 pairs/],
  [
    'a repeated block',
    () => sampleResult({ blocks: 8, repeatedBlock: { block: 3, factor: 7 } }),
    /8 pairs: \+3\d\.\d+%, \+2\d\.\d+% to \+3\d\.\d+% at/,
  ],
  ['one exchange', () => crossed({ blocks: 18, exchanges: 1, repeatedBlock: { block: 12, factor: 7 } }), /9 pairs: /],
  ['an unknown block of a crossover of 18', () => lost(18), /descriptive \(8 pairs are too few with 1 unknown\)/],
  ['an unknown block of a crossover of 36', () => lost(36), /17 pairs: /],
  ['totals and slow seconds', () => sampleResult({ blocks: 8 }), /^ {2}tps\.total: \+3\d[^]*^ {2}tps\.p10: \+3\d/m],
  ...[8, 12].map((blocks): (typeof cases)[number] => [
    `four variants in ${blocks} blocks`,
    () => unlike({ one: 1, two: 1.2, three: 0.97, four: 1.01 }, blocks),
    /two against one.*at the 9[89]\.\d\d% level; verdict: better/,
  ]),
  ...(
    [
      [1.03, 1.06, 'better'],
      [1.03, 1.03, 'equivalent'],
      [1.015, 1.09, 'better'],
      [0.97, 1, 'equivalent'],
      [1.04, 1.05, 'inconclusive'],
      [1.04, 1.055, 'inconclusive'],
      [1.03, 0.98, 'worse'],
      [1.3, 1.2, 'withheld \\(control again\\)'],
    ] as const
  ).map(([again, two, verdict]): (typeof cases)[number] => [
    `a candidate of ${two} against a control of ${again}`,
    () => controlled(again, two),
    new RegExp(`^two .*verdict: ${verdict}`, 'm'),
  ]),
  [
    // Two blocks are unknown for each pair of variants, of three in all.
    'blocks that each of three variants lost',
    () => affected([...inBlocks('one', failed, 2), ...inBlocks('again', failed, 5), ...inBlocks('two', failed, 9)]),
    /^two against one.*verdict: better/m,
  ],
  [
    'blocks that the user cut off in the baseline and in the control',
    () => affected([...inBlocks('one', cutOff, 2, 3), ...inBlocks('again', cutOff, 5, 6)]),
    /^two against one.*verdict: better/m,
  ],
  [
    'blocks that were disturbed in the baseline alone, or lost by both others',
    () =>
      affected([...inBlocks('one', disturbed, 2), ...inBlocks('again', failed, 5, 6), ...inBlocks('two', failed, 9)]),
    /^two against one.*verdict: inconclusive/m,
  ],
  ['a loss of a control on two pairs of instances', () => controlledPairs(2), /^two .*verdict: better/m],
  // One unknown of six pairs of instances leaves no interval.
  ['a loss of a control on six pairs of instances', () => controlledPairs(6), /^two .*verdict: inconclusive/m],
  [
    'a limit that ended a run which had been cut off',
    () => limited(true),
    /descriptive \(ended after 8 of 20 blocks\)/,
  ],
  [
    'a ladder that left out the levels past its knee',
    () => ladderUntil(12),
    /^two .* clients 4, tps, 12 pairs: .*verdict: better$[^]*^two .* clients 8, .*descriptive .*3 pairs are too few/m,
  ],
  [
    'a ladder without its last block',
    () => ladderUntil(11),
    /^two .* clients 2, .*descriptive \(ended after 11 of 12 blocks\)$[^]*^two .* clients 8, .*descriptive .*3 pairs are too few/m,
  ],
  ...['one', 'again', 'two'].map((variant): (typeof cases)[number] => [
    `blocks of which ${variant} has no value`,
    () => affected(inBlocks(variant, withoutValue, 4, 9), { repeated: false }),
    variant === 'again' ? /^two .* 17 pairs: /m : /^two .* 15 pairs: /m,
  ]),
  ['all but one trial of the baseline at zero', () => noErrorOf('base'), /verdict/],
  ['all but one trial of the candidate at zero', () => noErrorOf('cand'), /verdict/],
];

/** What another result.json would state. */
const wrong: [about: string, make: () => Promise<Result>, change: (result: Result) => void][] = [
  [
    'another interval',
    () => sampleResult({ blocks: 6 }),
    (result) => void ((primaryOf(result).interval ?? { low: 0 }).low -= 0.001),
  ],
  [
    'other totals',
    () => sampleResult({ blocks: 8 }),
    ({ comparisons }) => {
      for (const comparison of comparisons) if (comparison.metric === 'tps.total') comparison.change = 0.9;
    },
  ],
  [
    'the attempt at a block that does not count',
    () => sampleResult({ blocks: 8, repeatedBlock: { block: 3, factor: 7 } }),
    (result) => {
      const spoilt = result.trials.find(
        ({ block, attempt, checks }) => block === 3 && attempt === 1 && checks.length > 0,
      );
      Object.assign(primaryOf(result).pairs[2] ?? {}, { candidate: spoilt?.measures['tps'] });
    },
  ],
  [
    // The host of the candidate changes in front of the second exchange.
    'the interval of all pairs of a crossover',
    () =>
      crossed(
        { blocks: 24 },
        times(1.5, (of) => of.block > 8 && of.block <= 12 && isCandidate(of)),
      ),
    (result) => primaryOf(result).pairs.forEach((pair) => delete pair.exchange),
  ],
  [
    'the totals of the means of a crossover’s pairs',
    () =>
      crossed(
        { blocks: 18 },
        times(0.2, (of) => (of.block === 3 || of.block === 14) && isCandidate(of)),
      ),
    (result) => primaryOf(result).pairs.forEach((pair) => delete pair.means),
  ],
];

describe.skipIf(!hasPython)('docs/recompute.py', () => {
  beforeAll(() => {
    python = spawn('python3', ['-c', reader, script], { stdio: ['pipe', 'pipe', 'inherit'] });
    answers = createInterface(python.stdout)[Symbol.asyncIterator]() as typeof answers;
  });
  afterAll(() => void python.stdin.end());

  it.each(Object.entries(answeredResults))('says the same where %s', async (_, answered) => {
    expect(await recompute((await answeredResult(answered)).result)).toContain(same);
  });

  it.each(scopedResults.filter(({ verdict }) => verdict === 'better'))('says the same of $name', async (scoped) => {
    expect(await recompute((await scoped.open()).result)).toContain(same);
  });

  it.each(cases)('says the same of %s', async (_, make, says) => {
    const output = await recompute(await make());
    expect(output).toMatch(says);
    expect(output).toContain(same);
  });

  it.each(wrong)('says the same of what has no error, and notices %s', async (_, make, change) => {
    const result = await make();
    expect(await recompute(result)).toContain(same);
    change(result);
    await expect(recompute(result)).rejects.toMatchObject({
      stdout: expect.stringContaining('something else') as string,
    });
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

  it.each([2, 6])(
    'pairs shares with a control on %i pairs of instances as pgduet does, whatever they are',
    async (replicas) => {
      const variants = { one: 1, again: 1, two: 1 };
      const verdicts = new Set<string>();
      for (let seed = 1; seed <= 12; seed += 1) {
        const random = seededRandom(seed);
        const recorded = recordReplicas(Array<number>(replicas).fill(1), { variants, blocks: 8 });
        makeControl(recorded);
        Object.assign(recorded.run.experiment.definition.decision, {
          metric: 'latency.withinLimit',
          practicalThreshold: 0.05,
        });
        // A mean of logarithms and one of shares differ most where one pair of instances has many late transactions.
        const late = Array.from({ length: replicas }, () => random() * 0.9);
        const worse = random() * 0.1;
        for (const trial of recorded.trials) {
          const { replica, variant } = trial.conditions;
          const own = (late[Number(replica) - 1] ?? 0) * (0.8 + 0.2 * random()) + (variant === 'two' ? worse : 0);
          trial.measures = { ...trial.measures, 'latency.withinLimit': 1 - Math.min(own, 0.999) };
        }
        const output = await recompute(await assembled(recorded));
        expect(output, `seed ${seed}`).toContain(same);
        verdicts.add(/^two .*verdict: (\w+)/m.exec(output)?.[1] ?? '');
      }
      expect(verdicts.size).toBeGreaterThan(1);
    },
  );

  it('agrees with the fixtures', async () => {
    const file = path.resolve(import.meta.dirname, '../fixtures/results/v2', runFiles.result);
    expect((await promisify(execFile)('python3', [script, file])).stdout).toContain(same);
  });
});

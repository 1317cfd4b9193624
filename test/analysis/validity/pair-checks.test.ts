import { describe, expect, it } from 'vitest';
import type { Check } from '../../../runner/contract/check.ts';
import type { Comparison } from '../../../runner/contract/comparison.ts';
import type { Trial } from '../../../runner/contract/trial.ts';
import { changedSample, type RecordedSample } from '../../helpers/samples/changed-sample.ts';
import type { SampleOptions } from '../../helpers/samples/sample-result.ts';

const [baseline, candidate] = ['without-log-volume', 'with-log-volume'];

async function primaryOf(options: SampleOptions, change: (trial: Trial) => void): Promise<Comparison> {
  const { result } = await changedSample(options, ({ trials }: RecordedSample) => trials.forEach(change));
  const primary = result.comparisons.find((one) => one.primary);
  if (!primary) throw new Error('nothing decides');
  return primary;
}

async function checkOf(name: string, options: SampleOptions, change: (trial: Trial) => void): Promise<Check> {
  const found = (await primaryOf(options, change)).checks.find((one) => one.name === name);
  if (!found) throw new Error(`no check ${name}`);
  return found;
}

describe('the blocks that count', () => {
  const p99 = { decision: { metric: 'latency.p99' } };
  const withoutP99 = ({ block, conditions, measures }: Trial): void => {
    if (block === 4 && conditions.variant === candidate) measures['latency.p99'] = null;
  };

  it('are those of the metric that decides, not those in which both sides were measured', async () => {
    expect(await checkOf('blocks', { ...p99, blocks: 7 }, withoutP99)).toMatchObject({
      state: 'warn',
      finding: '6 of 7 planned blocks count',
    });
    expect(await checkOf('blocks', { blocks: 7 }, withoutP99)).toMatchObject({
      state: 'pass',
      finding: 'all 7 planned blocks count',
    });
  });

  it('are too few for a verdict if the metric that decides has five', async () => {
    expect(await primaryOf({ ...p99, blocks: 6 }, withoutP99)).toMatchObject({
      verdict: 'descriptive',
      baseline: { n: 5 },
      withheld: [
        expect.stringMatching(
          /^block \d is unknown \(.*: .* measured no latency\.p99\), .* a verdict then takes 12 blocks, but there are 6$/,
        ) as string,
      ],
    });
  });

  it('lie far from the others, or not, in the metric that decides', async () => {
    const oddIn = (metric: string) => (trial: Trial) => {
      const odd = trial.block === 5 && trial.conditions.variant === candidate;
      if (odd) trial.measures[metric] = (trial.measures[metric] ?? 0) * 4;
    };
    const options = { ...p99, blocks: 8 };
    expect(await checkOf('outliers', options, oddIn('latency.p99'))).toMatchObject({
      state: 'warn',
      finding: expect.stringMatching(/^block 5 \(\d+ %\) lies far from the others in latency p99/) as string,
    });
    expect((await checkOf('outliers', options, oddIn('tps'))).state).toBe('pass');
  });
});

describe('work that one side did not do', () => {
  const losing =
    (share: number, on: string, count: 'transactions.skipped' | 'transactions.failed') =>
    ({ conditions, measures }: Trial): void => {
      const done = measures['transactions'] ?? 0;
      measures['transactions.skipped'] = 0;
      measures['transactions.failed'] = 0;
      if (conditions.variant === on) measures[count] = (done * share) / (1 - share);
    };
  const latency = { decision: { metric: 'latency.p99' } };

  it.each([
    ['a quarter skipped', 0.25, 'transactions.skipped', latency, 'fail'],
    ['two in a thousand skipped', 0.002, 'transactions.skipped', latency, 'fail'],
    ['one in two thousand failed', 0.0005, 'transactions.failed', latency, 'pass'],
    ['half a percent failed', 0.005, 'transactions.failed', {}, 'pass'],
    ['two percent failed', 0.02, 'transactions.failed', {}, 'fail'],
  ] as const)('takes the verdict away, or not: %s', async (_, share, count, options, state) => {
    for (const on of [baseline, candidate]) {
      const primary = await primaryOf(options, losing(share, on, count));
      expect(primary.checks.find(({ name }) => name === 'work')?.state).toBe(state);
      expect(primary.verdict).toBe(state === 'fail' ? null : 'better');
    }
  });

  it('is no matter where both sides lost the same share', async () => {
    const both = (trial: Trial): void => losing(0.25, trial.conditions.variant, 'transactions.skipped')(trial);
    expect(await primaryOf(latency, both)).toMatchObject({ verdict: 'better', withheld: [] });
  });

  const slow = { decision: { metric: 'latency.p99', script: 'slow' } };
  /** `slow` is one transaction of a hundred, and the script that decides. */
  const losingOf =
    (script: string, share: number) =>
    ({ conditions, measures }: Trial): void => {
      const done = { slow: 1000, fast: 99_000 }[script] ?? NaN;
      const lost = conditions.variant === candidate ? (done * share) / (1 - share) : 0;
      for (const name of ['slow', 'fast']) {
        measures[`transactions@${name}`] = name === 'slow' ? 1000 : 99_000;
        measures[`transactions.failed@${name}`] = name === script ? lost : 0;
        measures[`latency.p99@${name}`] = measures['latency.p99'] ?? null;
      }
      measures['transactions'] = 100_000;
      measures['transactions.failed'] = lost;
      measures['transactions.skipped'] = 0;
    };

  it('is that of the script that decides, however few of the run’s transactions are its own', async () => {
    const primary = await primaryOf(slow, losingOf('slow', 0.0909));
    expect(primary).toMatchObject({ metric: 'latency.p99@slow', verdict: null });
    expect(primary.checks).toContainEqual(
      expect.objectContaining({
        id: 'work',
        name: 'work',
        state: 'fail',
        finding: expect.stringContaining('9.1 % on with-log-volume') as string,
      }),
    );
  });

  it('of another script does not take the verdict of the one that decides away', async () => {
    const primary = await primaryOf(slow, losingOf('fast', 0.5));
    expect(primary).toMatchObject({ verdict: 'better', withheld: [] });
    expect(primary.checks).toContainEqual({
      id: 'work',
      name: 'work',
      state: 'pass',
      finding: 'both sides carried out all of it',
    });
  });

  it('takes the verdict of a script’s share within the limit away, which counts nothing of what was skipped', async () => {
    const decision = { metric: 'latency.withinLimit', script: 'slow' };
    const skipping = (trial: Trial): void => {
      losingOf('slow', 0)(trial);
      const isCandidate = trial.conditions.variant === candidate;
      trial.measures['latency.withinLimit@slow'] = isCandidate ? 0.97 : 0.8 + trial.block / 1000;
      if (isCandidate) trial.measures['transactions.skipped'] = 400_000;
    };
    const primary = await primaryOf({ decision }, skipping);
    expect(primary).toMatchObject({ metric: 'latency.withinLimit@slow', verdict: null });
    expect(primary.withheld.join()).toContain('80 % on with-log-volume');
  });

  it.each([
    ['as much of it is skipped as would matter', 0.009, 0, 'fail'],
    ['a tenth of what matters is', 0.00009, 0, 'pass'],
    ['it failed, which the share counts', 0, 0.009, 'pass'],
    ['there is no rate, and so no word of what was skipped', null, 0, 'pass'],
  ])('of a script’s share within the limit, %s', async (_, skipped, failed, state) => {
    const decision = { metric: 'latency.withinLimit', script: 'slow', practicalThreshold: 0.001 };
    const check = await checkOf('work', { decision }, (trial) => {
      losingOf('slow', 0)(trial);
      const [isBaseline, { measures }] = [trial.conditions.variant === baseline, trial];
      measures['latency.withinLimit@slow'] = isBaseline ? 0.999 : 0.995;
      const done = measures['transactions'] ?? 0;
      if (skipped === null) measures['transactions.skipped'] = null;
      if (!isBaseline) return;
      if (skipped !== null) measures['transactions.skipped'] = (done * skipped) / (1 - skipped);
      measures['transactions.failed'] = done * failed;
      measures['transactions.failed@slow'] = done * failed;
    });
    expect(check.state).toBe(state);
  });

  it('is not known where the run lost some, and nothing says of which script', async () => {
    const check = await checkOf('work', slow, (trial) => {
      losingOf('slow', 0.5)(trial);
      trial.measures['transactions.failed@slow'] = null;
    });
    expect(check).toMatchObject({ state: 'not assessed', finding: expect.stringContaining('of slow') as string });
    expect((await checkOf('work', slow, losingOf('slow', 0))).state).toBe('pass');
  });

  it('is not known where the tool says nothing of it', async () => {
    const check = await checkOf('work', {}, ({ measures }) => {
      measures['transactions.failed'] = null;
      measures['transactions.skipped'] = null;
    });
    expect(check.state).toBe('not assessed');
  });
});

describe('the ratio of totals beside the typical change', () => {
  it('is warned of where a few trials of one side are far worse than its others', async () => {
    const stalls = ({ block, conditions, measures }: Trial): void => {
      if (block % 5 === 2 && conditions.variant === baseline) measures['tps'] = (measures['tps'] ?? 0) * 0.7;
    };
    expect(await checkOf('totals', { blocks: 20 }, stalls)).toMatchObject({
      state: 'warn',
      finding: expect.stringMatching(
        /^typical change 3\d %, ratio of totals 4\d %: a few trials of one side are far better or worse than its other trials$/,
      ) as string,
    });
    expect((await checkOf('totals', { blocks: 20 }, () => undefined)).state).toBe('pass');
  });

  it('is a metric of its own: TPS, mean of all trials', async () => {
    const { result } = await changedSample({}, () => undefined);
    const total = result.comparisons.find(({ metric }) => metric === 'tps.total');
    const sum = (side: 'baseline' | 'candidate') => total?.pairs.reduce((all, pair) => all + pair[side], 0) ?? NaN;
    expect(total?.change).toBeCloseTo(sum('candidate') / sum('baseline') - 1, 12);
    expect(total).toMatchObject({ primary: false, interval: null, verdict: null, baseline: { n: 6 } });
  });
});

describe('clients that wait for the last transactions of others', () => {
  const tpsOf: Record<string, number> = { [baseline]: 100, [candidate]: 110 };
  /** The share of the trials in which they wait, by variant; and throughput in the same way. */
  const waiting =
    (shares: Record<string, number>, throughput = tpsOf) =>
    ({ block, conditions: { variant }, measures }: Trial): void => {
      const share = shares[variant] ?? 0;
      const planned = 20;
      const tps = (throughput[variant] ?? NaN) * (1 + block / 10_000);
      const turn = 8 / tps;
      const transactions = (tps * planned) / (1 - share);
      Object.assign(measures, { tps, transactions, 'client.turn': turn, 'latency.average': turn * (1 - share) });
    };

  it('take a verdict away that would be another one without that', async () => {
    const primary = await primaryOf({}, waiting({ [baseline]: 0.12, [candidate]: 0.01 }));
    expect(primary.verdict).toBeNull();
    expect(primary.withheld).toEqual([
      expect.stringMatching(
        /^end of the trials: clients waited .* for up to 12 % of the trials of without-log-volume, and 1 % of those of with-log-volume: without that, the change would be −2\.2 to −2\.2 %/,
      ) as string,
    ]);
  });

  it('are named if that changes the size of the effect', async () => {
    const faster = { [baseline]: 100, [candidate]: 200 };
    const primary = await primaryOf({}, waiting({ [baseline]: 0.1, [candidate]: 0.02 }, faster));
    expect(primary.verdict).toBe('better');
    expect(primary.checks.find(({ name }) => name === 'end of the trials')).toMatchObject({
      state: 'warn',
      finding: expect.stringContaining('without that, the change would be +83.7 to +83.7 %') as string,
    });
  });

  it('are no trouble where both sides wait as long, and not worth a line where hardly any wait', async () => {
    expect((await checkOf('end of the trials', {}, waiting({ [baseline]: 0.1, [candidate]: 0.1 }))).state).toBe('pass');
    const primary = await primaryOf({}, waiting({ [baseline]: 0.001, [candidate]: 0.005 }));
    expect(primary.checks.map(({ name }) => name)).not.toContain('end of the trials');
  });

  it('say nothing about a latency', async () => {
    const latency = { decision: { metric: 'latency.average' } };
    const primary = await primaryOf(latency, waiting({ [baseline]: 0.1, [candidate]: 0.02 }));
    expect(primary.checks.map(({ name }) => name)).not.toContain('end of the trials');
  });
});

describe('a client with few transactions in a trial', () => {
  const name = 'transactions of a client';
  const latency = { decision: { metric: 'latency.average' } };
  /** Trials of 14 s, whose latency varies by so much from block to block. */
  const slow =
    (each: number, spread: number) =>
    ({ block, conditions: { variant }, measures }: Trial): void => {
      const sign = (block % 2 === 0) === (variant === candidate) ? 1 : -1;
      const seconds = { 'latency.average': 5 * (1 + sign * spread), 'load.seconds': 14 };
      Object.assign(measures, { ...seconds, 'load.clients': 8, transactions: 8 * each, tps: (8 * each) / 14 });
    };

  it('is named with the length of trials that settles more, where nothing is settled', async () => {
    expect(await checkOf(name, latency, slow(2, 0.2))).toMatchObject({
      state: 'warn',
      finding:
        'a client ended 2 transactions in a trial of without-log-volume: 3 of them take trials of 21 s (workload.durationSeconds)',
    });
  });

  it('is no doubt about an answer, and not named if it has enough', async () => {
    expect((await checkOf(name, latency, slow(2, 0.001))).state).toBe('pass');
    const enough = await primaryOf(latency, slow(4, 0.2));
    expect(enough.checks.map((check) => check.name)).not.toContain(name);
  });
});

describe('a variant that drifts over the blocks', () => {
  const drifting =
    (perBlock: number, ...variants: string[]) =>
    ({ block, conditions, measures }: Trial): void => {
      if (variants.includes(conditions.variant)) measures['tps'] = 1000 * perBlock ** (block - 1);
      else measures['tps'] = 1000;
    };

  it('alone is named, with how far it went', async () => {
    expect(await checkOf('drift', { blocks: 6 }, drifting(0.915, candidate))).toMatchObject({
      state: 'warn',
      finding: expect.stringMatching(
        /^from the first block to the last, with-log-volume divided by without-log-volume fell by 36 % \(with-log-volume fell by 36 %\): /,
      ) as string,
    });
  });

  it('only against the other is named by the move between them, for neither moved by itself', async () => {
    const shared = [1000, 1400, 900, 1300, 1000, 1200];
    const apart = ({ block, conditions, measures }: Trial): void => {
      const own = conditions.variant === candidate ? 0.94 ** (block - 1) : 1;
      measures['tps'] = (shared[block - 1] ?? NaN) * own;
    };
    expect((await checkOf('drift', { blocks: 6 }, apart)).finding).toMatch(
      /^from the first block to the last, with-log-volume divided by without-log-volume fell by 27 % \(neither side alone moved beyond noise\): /,
    );
  });

  it('is not looked for where a block has no throughput at all, and says so', async () => {
    const still = ({ block, measures }: Trial): void => {
      measures['tps'] = block === 2 ? 0 : 1000;
    };
    expect(await checkOf('drift', { blocks: 6 }, still)).toMatchObject({
      state: 'not assessed',
      finding: 'a value of zero has no ratio to the others',
    });
  });

  it('together with the other is none: the effect stays the same', async () => {
    expect((await checkOf('drift', { blocks: 6 }, drifting(0.9, baseline, candidate))).state).toBe('pass');
  });

  it('by less than matters is none', async () => {
    expect((await checkOf('drift', { blocks: 6 }, drifting(0.999, candidate))).state).toBe('pass');
  });
});

describe('checkpoints', () => {
  const checkpoint = { reason: 'wal', restartpoint: false, buffers: 1, writeSeconds: 1, syncSeconds: 1 };
  const without =
    (...trials: [variant: string, block: number][]) =>
    ({ block, conditions, measures, facts }: Trial): void => {
      delete facts.checkpoints;
      const isSpared = trials.some(([variant, of]) => variant === conditions.variant && of === block);
      measures['checkpoints.timed'] = isSpared ? 0 : 1;
      measures['checkpoints.requested'] = 0;
    };
  const logged =
    (shareOf: (variant: string) => number) =>
    ({ conditions, measures, facts }: Trial): void => {
      const seconds = measures['runtime'] ?? 0;
      facts.checkpoints = [
        // One that began before the trial, and one that was under way at its end.
        { ...checkpoint, startedAt: -3, endedAt: (seconds * shareOf(conditions.variant)) / 2 },
        { ...checkpoint, startedAt: seconds * (1 - shareOf(conditions.variant) / 2), endedAt: null },
      ];
    };

  it('cost nothing that matters where neither side writes', async () => {
    const spared = without([candidate, 2], [candidate, 3], [candidate, 6]);
    const readOnly = (of: Trial): void => {
      spared(of);
      of.measures['wal.bytes'] = 1000;
    };
    expect((await checkOf('checkpoints', { blocks: 6 }, readOnly)).finding).toBe(
      'no side writes enough for them to matter',
    );
  });

  it('that one side was spared are named', async () => {
    const spared = without([candidate, 2], [candidate, 3], [candidate, 6]);
    expect(await checkOf('checkpoints', { blocks: 6 }, spared)).toMatchObject({
      state: 'warn',
      finding: expect.stringMatching(
        /^counted in 100 % of the trials of without-log-volume and 50 % of those of with-log-volume: unless/,
      ) as string,
    });
  });

  it('that both were spared alike, or that all trials had, are no trouble', async () => {
    const alike = without([candidate, 2], [baseline, 3], [candidate, 6], [baseline, 6]);
    expect((await checkOf('checkpoints', { blocks: 6 }, alike)).state).toBe('pass');
    expect((await checkOf('checkpoints', { blocks: 6 }, without())).state).toBe('pass');
  });

  it('are weighed by how long they were under way, where the log tells', async () => {
    const uneven = logged((variant) => (variant === baseline ? 0.9 : 0.3));
    expect(await checkOf('checkpoints', { blocks: 6 }, uneven)).toMatchObject({
      state: 'warn',
      finding: expect.stringMatching(
        /^under way for 90 % of the time of without-log-volume and 30 % of that of with-log-volume: unless/,
      ) as string,
    });
    const even = logged((variant) => (variant === baseline ? 0.9 : 0.8));
    expect((await checkOf('checkpoints', { blocks: 6 }, even)).state).toBe('pass');
  });
});

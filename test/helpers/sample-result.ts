import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { experimentSchema } from '../../runner/contract/experiment/schema.ts';
import type { Comparison, FinishedTrial, Result, Trial, Verdict } from '../../runner/contract/result.ts';
import { finishedTrial, sampleBaselineTps, sampleClients } from './sample-trial.ts';

export interface SampleOptions {
  /** By name, how many times the baseline's throughput; the first is the baseline. */
  variants?: Record<string, number>;
  blocks?: number;
  verdict?: Verdict;
  /** This one trial fails. */
  failedTrial?: { block: number; variant: string };
  trialSeconds?: number;
  /** Everything that may be null is. */
  silent?: boolean;
  seed?: number;
}

/** A result.json as a local run of experiments/quick.yaml would leave it; the same options give the same result. */
export function sampleResult({
  variants = { 'without-log-volume': 1, 'with-log-volume': 1.31 },
  blocks = 6,
  verdict = blocks < 6 ? 'descriptive' : 'better',
  failedTrial,
  trialSeconds = 20,
  silent = false,
  seed = 1,
}: SampleOptions = {}): Result {
  const generator = xoroshiro128plus(seed);
  const random = () => uniformFloat64(generator);
  const names = Object.keys(variants);
  const baseline = names[0] ?? '';
  const startSecond = Date.UTC(2026, 10, 6, 14, 3) / 1000;

  const trials = Array.from({ length: blocks }, (_, index) => index + 1).flatMap((block) => {
    const drift = 1 + 0.04 * (random() - 0.5);
    const order = block % 2 === 0 ? [...names].reverse() : names;
    return order.map((variant, place): Trial => {
      const position = place + 1;
      const second = startSecond + ((block - 1) * names.length + place) * (trialSeconds + 6);
      const identity = {
        id: `block-${String(block).padStart(2, '0')}-${position}-${variant}`,
        variant,
        block,
        position,
        startedAt: isoTime(second),
        endedAt: isoTime(second + trialSeconds),
      };
      if (failedTrial?.block === block && failedTrial.variant === variant) {
        return {
          ...identity,
          state: 'failed',
          stage: 'measure',
          error: 'pgbench exited with 2: connection to server was lost',
        };
      }
      const tps = sampleBaselineTps * (variants[variant] ?? 1) * drift * (1 + 0.02 * (random() - 0.5));
      return { ...identity, ...finishedTrial({ tps, second, trialSeconds, random, silent }) };
    });
  });

  const comparisons = names.slice(1).flatMap((name) => compare(trials, baseline, name, verdict));
  return {
    kind: 'pgduet-result',
    schemaVersion: 1,
    toolVersion: '0.1.0',
    experiment: {
      name: 'quick',
      question: 'Is PostgreSQL faster when its WAL has a volume of its own?',
      profile: 'local',
      baseline,
      seed: 1,
      definition: definition(names, blocks, trialSeconds),
    },
    place: {
      kind: 'local',
      description: 'local clusters of PostgreSQL 16.15 on this machine (2 cores), one volume of limited IOPS for each',
      caveats: [
        'Local volumes of limited IOPS stand in for storage of a cloud: the direction of an effect carries over, its size need not.',
      ],
    },
    startedAt: isoTime(startSecond),
    endedAt: silent ? null : isoTime(startSecond + trials.length * (trialSeconds + 6)),
    complete: failedTrial === undefined,
    variants: names.map((name, index) => ({
      name,
      description: silent
        ? null
        : index === 0
          ? 'data and WAL on one volume'
          : 'the same IOPS in all, a third for WAL alone',
      serverVersion: silent ? null : '16.15',
      settings: silent ? {} : settings(index),
    })),
    trials,
    comparisons: silent ? comparisons.map(withoutValues) : comparisons,
    warnings: [],
  };
}

const lowerIsBetter: Record<string, (trial: FinishedTrial) => number | null> = {
  'latency.average': ({ run }) => run.latencyAverageSeconds,
  'latency.p50': ({ latency }) => latency?.latencySeconds.p50 ?? null,
  'latency.p95': ({ latency }) => latency?.latencySeconds.p95 ?? null,
  'latency.p99': ({ latency }) => latency?.latencySeconds.p99 ?? null,
  'latency.p999': ({ latency }) => latency?.latencySeconds.p999 ?? null,
  'wal.writeTime': ({ server }) => server?.wal?.writeSeconds ?? null,
  'wal.syncTime': ({ server }) => server?.wal?.syncSeconds ?? null,
};

/** Plausible only: middle values and made-up intervals, for what a report has to show. */
function compare(trials: readonly Trial[], baseline: string, candidate: string, verdict: Verdict): Comparison[] {
  const values = (variant: string, read: (trial: FinishedTrial) => number | null) =>
    trials.flatMap((trial) => (trial.state === 'finished' && trial.variant === variant ? [read(trial) ?? 0] : []));
  const one = (
    metric: string,
    better: 'higher' | 'lower',
    read: (trial: FinishedTrial) => number | null,
  ): Comparison => {
    const sides = [values(baseline, read), values(candidate, read)] as const;
    const [before, after] = [middle(sides[0]), middle(sides[1])];
    const n = Math.min(sides[0].length, sides[1].length);
    const change = before === null || after === null ? null : after / before - 1;
    const primary = metric === 'tps';
    return {
      metric,
      unit: better === 'higher' ? '1/s' : 's',
      better,
      primary,
      method: 'paired blocks, Hodges-Lehmann on log-ratios',
      scope: 'these-instances',
      baseline: { variant: baseline, median: before, n },
      candidate: { variant: candidate, median: after, n },
      change,
      speedup: change === null ? null : better === 'higher' ? change : 1 / (1 + change) - 1,
      interval: change === null || n < 6 ? null : { low: change - 0.035, high: change + 0.041, level: 0.96875 },
      verdict: primary ? verdict : null,
    };
  };
  return [
    one('tps', 'higher', ({ run }) => run.tps),
    ...Object.entries(lowerIsBetter).map(([metric, read]) => one(metric, 'lower', read)),
  ];
}

function withoutValues(comparison: Comparison): Comparison {
  const { baseline, candidate } = comparison;
  return {
    ...comparison,
    baseline: { ...baseline, median: null, n: 0 },
    candidate: { ...candidate, median: null, n: 0 },
    change: null,
    speedup: null,
    interval: null,
    verdict: null,
  };
}

function definition(names: readonly string[], blocks: number, durationSeconds: number) {
  return experimentSchema.parse({
    name: 'quick',
    question: 'Is PostgreSQL faster when its WAL has a volume of its own?',
    variants: Object.fromEntries(
      names.map((name, index) => [
        name,
        {
          storage: index === 0 ? { type: 'local', iops: 1500 } : { type: 'local', iops: 1000, logVolumeIops: 500 },
          dedicatedLogVolume: index > 0,
          engine: { parameters: { log_directory: index === 0 ? 'log-a' : 'log-b' } },
        },
      ]),
    ),
    baseline: names[0],
    workload: {
      tool: 'pgbench',
      scale: 20,
      clients: sampleClients,
      threads: 2,
      durationSeconds,
      scripts: [{ builtin: 'simple-update' }],
    },
    protocol: { blocks, warmUpSeconds: 2 },
  });
}

function settings(index: number): Record<string, string> {
  return {
    checkpoint_timeout: '30 (s)',
    commit_delay: '0',
    log_directory: index === 0 ? 'log-a' : 'log-b',
    max_wal_size: '128 (MB)',
    shared_buffers: '16384 (8kB)',
    synchronous_commit: 'on',
    track_wal_io_timing: 'on',
    wal_buffers: '512 (8kB)',
    wal_compression: 'off',
    wal_segment_size: '16777216 (B)',
    wal_writer_delay: '200 (ms)',
    wal_writer_flush_after: '128 (8kB)',
    work_mem: '4096 (kB)',
  };
}

function middle(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  const upper = sorted[Math.floor(half)];
  const lower = sorted[Math.ceil(half) - 1];
  return upper === undefined || lower === undefined ? null : (lower + upper) / 2;
}

function isoTime(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString();
}

import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { assembleResult } from '../../../runner/analysis/assemble.ts';
import type { OpenedResult } from '../../../runner/analysis/open-result.ts';
import type { Experiment } from '../../../runner/contract/experiment/schema.ts';
import type { SeriesRow, TrialSeries } from '../../../runner/contract/metric.ts';
import type { ParameterFinding } from '../../../runner/contract/server-facts.ts';
import type { Result } from '../../../runner/contract/result.ts';
import type { RunRecord } from '../../../runner/contract/run-record.ts';
import type { Trial } from '../../../runner/contract/trial.ts';
import { asSeries, type SeriesSource } from '../../../runner/storage/series.ts';
import { failedCheck, trial } from './measured-trial.ts';
import { sampleBaselineTps, sampleClients, sampleFindings } from './sample-trial.ts';
import { parsedExperiment } from './parsed-experiment.ts';

export interface SampleOptions {
  /** Throughput of each variant, by name, relative to the baseline. The first variant is the baseline. */
  variants?: Record<string, number>;
  blocks?: number;
  /** This trial fails, and its block is not measured again. */
  failedTrial?: { block: number; variant: string };
  /**
   * A check fails in the first attempt at this block, in which candidates were faster by the factor. The block is measured
   * again.
   */
  repeatedBlock?: { block: number; factor: number };
  trialSeconds?: number;
  /** Makes everything null that may be null. */
  silent?: boolean;
  seed?: number;
  decision?: Partial<Experiment['decision']>;
}

/**
 * A run of experiments/quick.yaml as this machine would measure it, through the real analysis. The same options give the
 * same run.
 */
export async function sampleRun(options: SampleOptions = {}): Promise<OpenedResult> {
  const { run, trials, rows, endedAt } = recordSample(options);
  const series = seriesInMemory(rows);
  return { result: await assembleResult({ run, steps: [], trials }, { endedAt }, series), series };
}

export async function sampleResult(options: SampleOptions = {}): Promise<Result> {
  return (await sampleRun(options)).result;
}

/** Series by the id of their trial, in memory. */
export function seriesInMemory(rows: ReadonlyMap<string, readonly SeriesRow[]>): SeriesSource {
  return { read: ({ id }): Promise<TrialSeries> => Promise.resolve(asSeries(rows.get(id) ?? [])) };
}

/** What such a run leaves before anything is compared. */
export function recordSample({
  variants = { 'without-log-volume': 1, 'with-log-volume': 1.31 },
  blocks = 6,
  failedTrial,
  repeatedBlock,
  trialSeconds = 20,
  silent = false,
  seed = 1,
  decision = {},
}: SampleOptions): { run: RunRecord; trials: Trial[]; rows: Map<string, SeriesRow[]>; endedAt: string | null } {
  const generator = xoroshiro128plus(seed);
  const random = (): number => uniformFloat64(generator);
  const names = Object.keys(variants);
  const rows = new Map<string, SeriesRow[]>();
  const trials: Trial[] = [];
  let second = Date.UTC(2026, 10, 6, 14, 3) / 1000;
  const startedAt = isoTime(second);

  for (let block = 1; block <= blocks; block++) {
    const drift = 1 + 0.04 * (random() - 0.5);
    const order = block % 2 === 0 ? [...names].reverse() : names;
    for (const attempt of block === repeatedBlock?.block ? [1, 2] : [1]) {
      for (const [place, variant] of order.entries()) {
        const disturbed = block === repeatedBlock?.block && attempt === 1;
        const factor = (variants[variant] ?? 1) * (disturbed && variant !== names[0] ? repeatedBlock.factor : 1);
        const tps = sampleBaselineTps * factor * drift * (1 + 0.02 * (random() - 0.5));
        const { measures, facts, series } = sampleFindings({ tps, trialSeconds, random, silent });
        const fails = failedTrial?.block === block && failedTrial.variant === variant;
        const failure = { stage: 'measure', error: 'pgbench exited with 2: connection to server was lost' } as const;
        const [from, to] = [isoTime(second), isoTime(second + trialSeconds)];
        const measured = trial(variant, block, fails ? {} : measures, {
          position: place + 1,
          attempt,
          startedAt: from,
          endedAt: to,
          ...(fails ? { state: 'failed', failure } : { facts }),
          checks: disturbed && variant !== names[0] ? [failedCheck] : [],
        });
        if (!fails) rows.set(measured.id, series);
        trials.push(measured);
        second += trialSeconds + 6;
      }
    }
  }
  const endedAt = silent ? null : isoTime(second);
  return { run: runRecord({ names, blocks, trialSeconds, silent, startedAt, decision }), trials, rows, endedAt };
}

function runRecord({
  names,
  blocks,
  trialSeconds,
  silent,
  startedAt,
  decision,
}: {
  names: readonly string[];
  blocks: number;
  trialSeconds: number;
  silent: boolean;
  startedAt: string;
  decision: Partial<Experiment['decision']>;
}): RunRecord {
  return {
    toolVersion: '0.1.0',
    experiment: {
      name: 'quick',
      question: 'Is PostgreSQL faster when WAL has its own volume?',
      profile: 'local',
      baseline: names[0] ?? '',
      seed: 1,
      definition: definition(names, blocks, trialSeconds, decision),
    },
    place: {
      kind: 'local',
      description: 'local clusters of PostgreSQL 16.15 on this machine (2 cores), one volume of limited IOPS for each',
      caveats: [
        'IOPS-limited volumes on one machine: on RDS, the effect of a log volume may differ in cause, size and direction.',
      ],
      volumes: [],
    },
    startedAt,
    variants: names.map((name, index) => ({
      name,
      description: silent
        ? null
        : index === 0
          ? 'data and WAL on one volume'
          : 'the same IOPS in all, a third for WAL alone',
      serverVersion: silent ? null : '16.15',
      settings: silent ? {} : settings(index),
      ...(silent ? {} : { parameters: [logDirectory(index)] }),
    })),
    warnings: [],
  };
}

function definition(
  names: readonly string[],
  blocks: number,
  durationSeconds: number,
  decision: Partial<Experiment['decision']>,
): Experiment {
  return parsedExperiment({
    name: 'quick',
    question: 'Is PostgreSQL faster when WAL has its own volume?',
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
    decision,
  });
}

function logDirectory(index: number): ParameterFinding {
  const folder = index === 0 ? 'log-a' : 'log-b';
  return { name: 'log_directory', asked: folder, found: folder, inForce: true, pendingRestart: false };
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

function isoTime(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString();
}

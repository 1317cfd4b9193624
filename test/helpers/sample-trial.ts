import type { FinishedTrial } from '../../runner/contract/result.ts';

export const sampleClients = 8;
export const sampleBaselineTps = 1450;

/** What one trial of the sample is made from. */
export interface TrialShape {
  tps: number;
  second: number;
  trialSeconds: number;
  random: () => number;
  silent: boolean;
}

/** A trial that finished, with everything that a local run records; or, silent, with all null that may be. */
export function finishedTrial(
  shape: TrialShape,
): Omit<FinishedTrial, 'id' | 'variant' | 'block' | 'position' | 'startedAt' | 'endedAt'> {
  const { tps, trialSeconds, silent } = shape;
  const transactions = Math.round(tps * trialSeconds);
  const mean = (sampleClients / tps) * 0.97;
  return {
    state: 'finished',
    run: {
      tool: 'pgbench',
      clientVersion: silent ? null : '16.15',
      serverVersion: silent ? null : '16.15',
      clients: silent ? null : sampleClients,
      threads: silent ? null : 2,
      scale: silent ? null : 20,
      scripts: [],
      transactions: silent ? null : transactions,
      failedTransactions: silent ? null : 0,
      skippedTransactions: null,
      retriedTransactions: null,
      durationSeconds: silent ? null : trialSeconds,
      tps: silent ? null : tps,
      latencyAverageSeconds: silent ? null : mean,
      latencyStddevSeconds: silent ? null : mean * 0.8,
      complete: true,
      problems: [],
    },
    latency: silent ? null : digest(shape, transactions, mean),
    server: silent ? null : serverObservation(shape, transactions),
    warnings: [],
  };
}

function digest({ tps, second, trialSeconds, random }: TrialShape, transactions: number, mean: number) {
  const stallAt = 5 + Math.floor(random() * Math.max(1, trialSeconds - 8));
  const percentile = (factor: number) => mean * factor * (1 + 0.1 * (random() - 0.5));
  return {
    transactions,
    failedTransactions: 0,
    skippedTransactions: 0,
    latencySeconds: {
      mean,
      p50: percentile(0.86),
      p90: percentile(1.5),
      p95: percentile(1.9),
      p99: percentile(4.4),
      p999: percentile(14),
      max: percentile(40),
    },
    perSecond: Array.from({ length: trialSeconds + 1 }, (_, index) => {
      const part = index === 0 ? 0.4 : index === trialSeconds ? 0.6 : index === stallAt ? 0.55 : 1;
      return {
        second: second + index,
        transactions: Math.round(tps * part * (1 + 0.12 * (random() - 0.5))),
        latencyMeanSeconds: mean / part,
      };
    }),
    exact: true,
  };
}

function serverObservation({ tps, trialSeconds, random }: TrialShape, transactions: number): FinishedTrial['server'] {
  const syncs = Math.round(transactions * 0.31);
  const full = Math.round(9000 + 900 * random());
  return {
    wal: {
      records: Math.round(transactions * 4.1),
      fullPageImages: full,
      bytes: transactions * 420 + full * 7200,
      buffersFull: Math.round(40 * random()),
      writes: syncs + 180,
      syncs,
      writeSeconds: 0.31 + 0.05 * random(),
      syncSeconds: trialSeconds * 0.8 * (sampleBaselineTps / tps),
    },
    checkpoints: {
      timed: 0,
      requested: 2,
      writeSeconds: 7.2 + random(),
      syncSeconds: 0.8 * random(),
      buffersWritten: Math.round(9400 + 500 * random()),
      buffersWrittenByBackends: Math.round(2100 + 300 * random()),
      buffersWrittenByBackgroundWriter: Math.round(700 * random()),
    },
    database: {
      commits: transactions + 3,
      rollbacks: 0,
      deadlocks: 0,
      temporaryBytes: 0,
      blocksRead: Math.round(transactions * 1.1),
      blocksHit: transactions * 21,
      sizeBytes: 402_653_184,
    },
    problems: [],
  };
}

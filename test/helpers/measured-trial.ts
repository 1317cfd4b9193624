import type { WalActivity } from '../../runner/collect/postgres/server-observation.ts';
import type { Measured } from '../../runner/metrics/catalogue.ts';
import type { FinishedTrial, UnfinishedTrial } from '../../runner/contract/result.ts';
import type { Run } from '../../runner/contract/tool-output.ts';

type Shape = Partial<Run> & { wal?: Partial<WalActivity> };

/** What was measured, of which only what matters to a test need be said; the rest is null. */
export function measured({ wal, ...run }: Shape): Measured {
  return {
    run: {
      tool: 'pgbench',
      clientVersion: null,
      serverVersion: null,
      clients: null,
      threads: null,
      scale: null,
      scripts: [],
      transactions: null,
      failedTransactions: null,
      skippedTransactions: null,
      retriedTransactions: null,
      durationSeconds: null,
      tps: null,
      latencyAverageSeconds: null,
      latencyStddevSeconds: null,
      complete: true,
      problems: [],
      ...run,
    },
    latency: null,
    server: wal
      ? {
          wal: {
            records: null,
            fullPageImages: null,
            bytes: null,
            buffersFull: null,
            writes: null,
            syncs: null,
            writeSeconds: null,
            syncSeconds: null,
            ...wal,
          },
          checkpoints: null,
          database: null,
          problems: [],
        }
      : null,
  };
}

export function trial(variant: string, block: number, shape: Shape): FinishedTrial {
  return { ...identity(variant, block), state: 'finished', ...measured(shape), warnings: [] };
}

export function unfinishedTrial(variant: string, block: number): UnfinishedTrial {
  return { ...identity(variant, block), state: 'failed', stage: 'measure', error: 'the server went away' };
}

function identity(variant: string, block: number) {
  const time = new Date(Date.UTC(2026, 10, 6, 14, block)).toISOString();
  return {
    id: `block-${String(block).padStart(2, '0')}-${variant}`,
    variant,
    block,
    position: 1,
    startedAt: time,
    endedAt: time,
  };
}

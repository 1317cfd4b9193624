import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from './events.ts';
import { execute } from './execute.ts';
import { timeLimit } from './time-limit.ts';
import { readDriver } from '../collect/driver/processors.ts';
import type { Place } from '../places/place.ts';
import type { ResultStore } from '../storage/result-store.ts';
import type { Result } from '../contract/result.ts';
import { pgbench } from '../workloads/pgbench/generator.ts';
import type { Stages } from './verb-options.ts';
import type { PreparedRun } from './prepare-run.ts';

/** When the run was started for the first time, and what has been measured since. */
export type Earlier = Pick<Result, 'startedAt' | 'trials' | 'switches'>;

export function nothingEarlier(now: Date): Earlier {
  return { startedAt: now.toISOString(), trials: [] };
}

/** Carries out a run on a place until it ends, is interrupted, or its time is over. */
export async function carryOutRun(
  { experiment, plan, scriptFolder }: PreparedRun,
  where: { place: Place; programs: string; store: ResultStore },
  how: { stages: Stages; earlier: Earlier; dollarsPerHour: number | null; report: Report; signal: AbortSignal },
): Promise<Result | null> {
  const now = (): Date => new Date();
  for (const caveat of where.place.caveats) how.report({ kind: 'warning', text: caveat });
  const limit = timeLimit(experiment.limits, {
    startedAt: new Date(how.earlier.startedAt),
    dollarsPerHour: how.dollarsPerHour,
    now,
  });
  try {
    return await execute(
      {
        plan,
        experiment,
        place: where.place,
        generator: pgbench({
          workload: experiment.workload,
          programs: where.programs,
          scriptFolder,
          logTransactions: experiment.collect.includes('transaction-log'),
        }),
        store: where.store,
        report: how.report,
        signal: AbortSignal.any([how.signal, limit.signal]),
        now,
        readDriver,
        pause: (seconds, signal) => sleep(seconds * 1000, undefined, { signal }),
      },
      how.stages,
      how.earlier,
    );
  } finally {
    limit.clear();
  }
}

import type { WorkloadDurations } from '../tool.ts';
import type { PgbenchRun, PgbenchWorkload } from './schema.ts';

/**
 * Rows that one `pgbench -i` loads per second, including its vacuum and primary keys. PostgreSQL on two cores and a
 * local disk does 790,000, measured for this project.
 */
const loadedRows = {
  value: 907_000,
  source: 'published for RDS, 2026-03: 684.9 million in 755 s, PostgreSQL 18.3 on db.m8gd.4xlarge with gp3',
};
const rowsPerScale = 100_000;
/** Tables at fill factor 100, and their indexes. */
const [tableBytesPerScale, indexBytesPerScale] = [12.9e6, 2.2e6];

/** @param data the durations that depend on the data alone */
export function withTrial(data: Omit<WorkloadDurations, 'trialSeconds'>, workload: PgbenchRun): WorkloadDurations {
  const { clients, transactions, durationSeconds = null, expectedTps, rate } = workload;
  const common = { ...data, assumptions: [...data.assumptions, ...tryOfScripts(workload)] };
  if (transactions === undefined) return { ...common, trialSeconds: durationSeconds };
  const tps = rate ?? expectedTps;
  if (tps === undefined) {
    const unknown =
      'no expected duration: trials end after a number of transactions, and workload.expectedTps is missing';
    return { ...common, trialSeconds: null, assumptions: [...common.assumptions, unknown] };
  }
  const origin = rate === undefined ? 'workload.expectedTps' : 'workload.rate';
  return {
    ...common,
    trialSeconds: (transactions * clients) / tps,
    assumptions: [...common.assumptions, `${tps.toLocaleString('en')} transactions per second (${origin})`],
  };
}

/** The first transactions read what no cache holds yet. */
const minSecondsEach = 300;
const maxSecondsEach = 86_400;

/** How long one transaction of a script may take: as long as a trial, because a longer one would never end in it. */
export function secondsToTry({ durationSeconds = 0 }: Pick<PgbenchRun, 'durationSeconds'>): number {
  return Math.min(maxSecondsEach, Math.max(minSecondsEach, durationSeconds));
}

/** Trying pgbench's own scripts, and ours, takes hardly any time. */
function tryOfScripts(workload: PgbenchRun): string[] {
  if (workload.scripts.every((script) => 'builtin' in script)) return [];
  const minutes = Math.ceil(secondsToTry(workload) / 60);
  return [`without trying each script on each server after loading (at most ${minutes} minutes a transaction)`];
}

export function durationsOfTables({ scale, load }: PgbenchWorkload): Omit<WorkloadDurations, 'trialSeconds'> {
  return {
    rows: scale * rowsPerScale,
    bytes: scale * ((tableBytesPerScale * 100) / load.fillFactor + indexBytesPerScale),
    loadedRows,
    assumptions: [],
  };
}

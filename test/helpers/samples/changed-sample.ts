import { assembleResult, type RunEnd } from '../../../runner/analysis/assemble.ts';
import type { OpenedResult } from '../../../runner/analysis/open-result.ts';
import type { Comparison } from '../../../runner/contract/comparison.ts';
import type { Result } from '../../../runner/contract/result.ts';
import { recordSample, type SampleOptions, seriesInMemory } from './sample-result.ts';

export type RecordedSample = ReturnType<typeof recordSample>;

/** A sample run with changes that were made before anything was compared, through the real analysis. */
export async function changedSample(
  options: SampleOptions,
  change: (recorded: RecordedSample) => void,
  end: Partial<RunEnd> = {},
): Promise<OpenedResult> {
  const recorded = recordSample(options);
  change(recorded);
  const { run, trials, rows, endedAt } = recorded;
  const series = seriesInMemory(rows);
  return { result: await assembleResult({ run, steps: [], trials }, { endedAt, ...end }, series), series };
}

/** Two variants in one block. One has the published numbers of the study that our tables follow. */
export function publishedStudy(): Promise<OpenedResult> {
  const measured: Record<string, Record<string, number>> = {
    withoutdlv: {
      runtime: 77 * 60,
      tps: 6984,
      'latency.average': 0.0088,
      'wal.writeTime': 56.656796,
      'wal.syncTime': 4431.62133,
    },
    dlv: {
      runtime: 40 * 60,
      tps: 13_397,
      'latency.average': 0.0045,
      'wal.writeTime': 51.882614,
      'wal.syncTime': 2186.910078,
    },
  };
  return changedSample({ variants: { withoutdlv: 1, dlv: 1.92 }, blocks: 1 }, ({ run, trials, rows }) => {
    const { durationSeconds: _, ...workload } = run.experiment.definition.workload;
    run.experiment.definition.workload = { ...workload, transactions: 320_000 };
    rows.clear();
    for (const trial of trials) trial.measures = measured[trial.conditions.variant] ?? {};
  });
}

/** The comparison that decides. */
export function primaryOf({ comparisons }: Pick<Result, 'comparisons'>): Comparison {
  const primary = comparisons.find((one) => one.primary);
  if (!primary) throw new Error('nothing decides');
  return primary;
}

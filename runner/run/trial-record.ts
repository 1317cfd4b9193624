import { type Warning, warningsOf } from '../contract/warnings.ts';
import type { Findings, MeasuredPart } from '../collect/collector.ts';
import type { SeriesRow, TrialSeries } from '../contract/metric.ts';
import type { MeasureStep, PlannedTrial } from '../contract/plan.ts';
import type { ResultVariant } from '../contract/run-record.ts';
import type { Trial, TrialStage } from '../contract/trial.ts';
import { checkSavedTrial } from '../analysis/validity/rejudge.ts';
import { withDerived } from '../metrics/value.ts';
import type { PlacedTarget } from '../places/place.ts';
import { mergeFindings } from '../storage/stored-run.ts';
import { asSeries } from '../storage/series.ts';
import { lastSecondOf } from '../storage/series-rows.ts';
import type { Collections } from './collection.ts';
import type { ActiveRun } from './run-shape.ts';
import { failureOf, noNetwork } from '../contract/errors.ts';
import { describeFailure } from '../contract/system-failure.ts';
import type { ExternalReason } from '../contract/external-reasons.ts';
import type { PlaceDefinition } from '../places/definition.ts';

/** What the servers say about themselves, by server name. */
export type DescribedVariants = ReadonlyMap<string, ResultVariant>;

/** A trial that has ended and is not saved yet, with its series. */
export interface EndedTrial {
  trial: Trial;
  series: readonly SeriesRow[];
}

/** One running trial. It runs at the same time as the others of its step. */
export interface Attempt {
  planned: PlannedTrial;
  target: PlacedTarget;
  folder: string;
  /** Aborts on Ctrl-C, and when the target's server dies. */
  signal: AbortSignal;
  warmUpStartedAt: Date | null;
  startedAt: Date;
  /** Major version that the server reports right before the warm-up. */
  serverMajor: number;
  resetSeconds?: number;
  resetSteps?: Trial['resetSteps'];
  /** Whether its figures are shown while it runs. */
  figures: 'shown' | 'hidden';
  /** Whether a page about the run is served. */
  live: boolean;
  warnings: Warning[];
  collections?: Collections;
  /** What the kernel has ended since the attempt began because memory ran out, in words; null if nothing. */
  memoryRanOut: () => string | null;
  /** Absent until the load has ended. */
  measuredPart?: MeasuredPart;
  found: Findings[];
  failure: Trial['failure'];
}

/** The record that is left of a trial if the runner is killed in this stage. */
export function cutOff(step: MeasureStep, attempt: Attempt, stage: TrialStage, now: Date): Trial {
  const error = 'cut off: pgduet was killed, the machine stopped, or the trial is still running';
  return { ...recordOf(step, attempt, now), state: 'interrupted', failure: { stage, code: 'cut-off', error } };
}

/** What is known about a trial, however it ends. */
function recordOf(
  { block, position, attempt: number, period }: MeasureStep,
  { planned, warmUpStartedAt, startedAt, resetSeconds, resetSteps, figures, live, warnings, found }: Attempt,
  now: Date,
): Omit<Trial, 'state' | 'failure'> {
  const { id, conditions } = planned;
  return {
    id,
    conditions,
    block,
    position,
    attempt: number,
    ...(period && { period }),
    ...(warmUpStartedAt && { warmUpStartedAt: warmUpStartedAt.toISOString() }),
    startedAt: startedAt.toISOString(),
    endedAt: now.toISOString(),
    figures,
    ...(live && { live }),
    ...(resetSeconds === undefined ? {} : { resetSeconds }),
    ...(resetSteps && resetSteps.length > 0 && { resetSteps }),
    measures: {},
    series: [],
    facts: {},
    checks: [],
    warnings: [
      ...warnings,
      ...warningsOf(
        'measurement',
        found.flatMap((one) => one.warnings ?? []),
      ),
    ],
  };
}

export function recordTrial(
  running: ActiveRun,
  variants: DescribedVariants,
  step: MeasureStep,
  attempt: Attempt,
): EndedTrial {
  const { failure, found } = attempt;
  const { signal, now } = running;
  const { measures, facts } = failure ? { measures: {}, facts: {} } : mergeFindings(found);
  const record = recordOf(step, attempt, now());
  // If the clock was set meanwhile, some have seconds that no trial has. A reader would take that for damage.
  const last = lastSecondOf({ ...record, measures });
  const rows = failure ? [] : found.flatMap((one) => one.series ?? []);
  const series = rows.filter(({ second }) => Math.abs(second) < last);
  const trial: Trial = {
    ...record,
    state: failure ? (signal.aborted ? 'interrupted' : 'failed') : 'finished',
    failure,
    measures: failure ? {} : withDerived(measures, asSeries(series)),
    facts,
  };
  return {
    trial: failure ? trial : { ...trial, checks: judgeTrial(running, variants, trial, asSeries(series)) },
    series,
  };
}

/** Makes the validity ledger of a finished trial. */
export function judgeTrial(
  { tool, experiment, place }: ActiveRun,
  variants: DescribedVariants,
  trial: Trial,
  series: TrialSeries,
): Trial['checks'] {
  const run = { experiment: { definition: experiment }, place, variants: [...variants.values()] };
  return checkSavedTrial(run, trial, series, tool);
}

/**
 * What made a trial fail, if the cause is certainly outside the servers. Otherwise null, and the failure counts as a
 * loss of the trial's side. On this machine, a server shares disk and network with the load, and may have filled or
 * broken them itself.
 */
export function externalReasonOf(error: unknown, place: PlaceDefinition): ExternalReason | null {
  if (failureOf(error) === 'input-changed') return 'changed-files';
  const failure = place.sharesMachine ? null : describeFailure(error);
  return failure && (failure.kind !== 'network' || noNetwork.has(failure.code)) ? 'broken-driver' : null;
}

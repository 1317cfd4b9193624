import { warningsOf } from '../contract/warnings.ts';
import { type CarriedOutStep, type Result, resultHead } from '../contract/result.ts';
import type { RunRecord } from '../contract/run-record.ts';
import type { Trial } from '../contract/trial.ts';
import type { StopReason } from '../contract/stop.ts';
import { placeNamed } from '../places/registry.ts';
import { withCosts } from '../metrics/costs.ts';
import { isLatencyClass } from '../metrics/latency-classes.ts';
import { withDerived } from '../metrics/value.ts';
import { readOnce, type SeriesSource } from '../storage/series.ts';
import { compareRun } from './compare-run.ts';
import { withComparedValues } from './ladder/compared-values.ts';
import { climbLadders } from './ladder/ladders.ts';
import { planOfRun } from './ladder/past-knee.ts';
import { distributionsOf } from './distributions.ts';
import { countedTrials, missingTrials } from './counted-trials.ts';
import { explain } from './explanation/explain.ts';
import { leaveOutStarts } from './estimate.ts';
import { robustnessOf } from './robustness.ts';
import { asLoaded, loadedSettingWarnings } from './loaded-settings.ts';
import { judgeValidity } from './validity/judge-validity.ts';

/** How a run ended. The files of the run do not record this. */
export interface RunEnd {
  /** ISO 8601; null if nothing said that the run ended. */
  endedAt: string | null;
  /** With `until: precision` or `verdict`: the block after which the run stopped by its plan. */
  stoppedAfterBlock?: number | undefined;
  /** What ended the run besides, in words. */
  stoppedBy?: StopReason | undefined;
}

/** Makes the result from everything that was measured. It is pure, except that it reads the series. */
export async function assembleResult(
  {
    run: asDescribed,
    steps,
    trials: measured,
  }: { run: RunRecord; steps: readonly CarriedOutStep[]; trials: readonly Trial[] },
  end: RunEnd,
  series: SeriesSource,
): Promise<Result> {
  const run = { ...asDescribed, variants: asLoaded(asDescribed.variants, steps) };
  const { definition } = run.experiment;
  const plan = planOfRun({ ...run, trials: measured });
  const complete = await Promise.all(
    measured.map(async (trial) =>
      // This also adds the metrics that only a later version of pgduet derives.
      trial.state === 'finished'
        ? { ...trial, measures: withDerived(trial.measures, await series.read(trial)) }
        : trial,
    ),
  );
  const steady = await leaveOutStarts(complete, definition, (trial) => series.read(trial));
  const trials = withCosts(steady, run.variants);
  const finished = trials.filter(({ state }) => state === 'finished');
  await hearSignals();
  const compared = compareRun(
    { ...run, steps: [...steps], trials, ...end },
    { decision: definition.decision, contrasts: definition.contrasts },
    plan,
  );
  const result: Result = {
    ...resultHead,
    ...run,
    endedAt: end.endedAt,
    complete: missingTrials(plan, finished).every(({ block }) => block > (end.stoppedAfterBlock ?? Infinity)),
    ...(end.stoppedAfterBlock === undefined ? {} : { stoppedAfterBlock: end.stoppedAfterBlock }),
    ...(end.stoppedBy === undefined ? {} : { stoppedBy: end.stoppedBy }),
    steps: [...steps],
    trials,
    comparisons: [],
    warnings: [
      ...warningsOf('stopped-early', end.stoppedBy === undefined ? [] : [end.stoppedBy.message]),
      ...run.warnings,
      ...warningsOf('loaded-settings', loadedSettingWarnings(steps)),
      ...warningsOf('resumed', resumeWarnings(run, steps, trials)),
      ...compared.warnings,
    ],
  };
  await hearSignals();
  const comparisons = judgeValidity(compared.comparisons, result);
  const counted = countedTrials({ comparisons });
  // A baseline stands in the comparison with every candidate.
  const seconds = readOnce(series, (name) => name === 'tps' || isLatencyClass(name));
  const explanations = explain({ ...result, comparisons });
  await hearSignals();
  return {
    ...result,
    comparisons,
    ladders: withComparedValues(
      climbLadders(
        definition,
        trials.filter(({ id }) => counted.has(id)),
      ),
      comparisons,
    ),
    explanations,
    distributions: await distributionsOf(comparisons, trials, seconds),
    robustness: await robustnessOf(comparisons, {
      trials,
      series: seconds,
      practicalThreshold: definition.decision.practicalThreshold,
    }),
  };
}

/**
 * Warnings for a resumed run. Deployed instances are the same after a resume; local servers are created again at each
 * start of a run.
 */
function resumeWarnings({ place }: RunRecord, steps: readonly CarriedOutStep[], trials: readonly Trial[]): string[] {
  if (!placeNamed(place.kind).isMadeByRun) return [];
  return steps
    .filter(({ step }) => step === 'create')
    .slice(1)
    .map(({ startedAt }) => {
      const before = trials.filter(({ state, endedAt }) => state === 'finished' && endedAt <= startedAt).length;
      return `The run was resumed after ${before} trials on newly created servers, so earlier and later trials measured different clusters.`;
    });
}

/** Lets this process hear of Ctrl-C between parts that compute for long: the next series that is read then ends the work. */
async function hearSignals(): Promise<void> {
  await new Promise(setImmediate);
}

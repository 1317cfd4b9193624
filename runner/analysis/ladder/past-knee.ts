import type { Experiment } from '../../contract/experiment/schema.ts';
import type { MeasureStep, Plan } from '../../contract/plan.ts';
import type { Result } from '../../contract/result.ts';
import { comparedLevel, type Level, levelKey, levelOf, type Trial } from '../../contract/trial.ts';
import { type Grouped, variantsAt } from '../../experiment/groups.ts';
import { makePlan } from '../../experiment/plan/plan.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { findKnee } from '../../statistics/knee.ts';
import { blocksOf, kneeTolerance, rungsOf, throughputOf } from './ladders.ts';

type Climbed = Grouped & Pick<Experiment, 'workload' | 'decision' | 'ladder'>;

/**
 * Levels that later blocks leave out: with `ladder.stopPastKneeAfter`, those more than one level above the knee of
 * every variant in the blocks up to then. Only these blocks decide, and only once, so that a resumed run decides the
 * same.
 */
export function levelsPastKnee(experiment: Climbed, trials: readonly Trial[]): Level[] {
  const after = experiment.ladder.stopPastKneeAfter;
  const throughput = metricNamed(throughputOf(experiment));
  if (after === undefined || !throughput) return [];
  const first = trials.filter(({ block, state }) => block <= after && state === 'finished');
  return rungsOf(experiment).flatMap((rungs) => {
    const knees = variantsAt(experiment, rungs.conditions).map((variant) => {
      const own = first.filter(({ conditions }) => conditions.variant === variant);
      return findKnee(blocksOf(own, rungs, throughput), kneeTolerance);
    });
    const highest = Math.max(...knees.map((found) => found?.knee ?? rungs.values.length));
    return rungs.values.slice(highest + 2).map((value): Level => ({ ...rungs.conditions, [rungs.axis]: value }));
  });
}

/** The plan of a run, without the trials that `levelsPastKnee` leaves out. */
export function planOfRun({
  experiment: { definition, profile },
  trials,
}: {
  experiment: Pick<Result['experiment'], 'definition' | 'profile'>;
  trials: readonly Trial[];
}): Plan {
  const plan = makePlan(definition, profile);
  const isLeft = stillClimbed(definition, trials);
  return { ...plan, steps: plan.steps.filter((step) => step.kind !== 'measure' || isLeft(step)) };
}

/** Returns a function that says whether a step is still to be measured. */
export function stillClimbed(experiment: Climbed, trials: readonly Trial[]): (step: MeasureStep) => boolean {
  const after = experiment.ladder.stopPastKneeAfter ?? Infinity;
  const past = new Set(levelsPastKnee(experiment, trials).map(levelKey));
  return ({ block, trials: planned }) =>
    block <= after || !planned.every(({ conditions }) => past.has(levelKey(comparedLevel(levelOf(conditions)))));
}

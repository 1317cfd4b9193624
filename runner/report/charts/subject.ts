import { countedTrials } from '../../analysis/counted-trials.ts';
import type { Comparison } from '../../contract/comparison.ts';
import type { Result } from '../../contract/result.ts';
import { serversAt } from '../../contract/server.ts';
import { comparedLevel, type Level, levelKey, levelOf, type Trial } from '../../contract/trial.ts';
import { variantsAt } from '../../experiment/groups.ts';
import { comparedLevelsIn } from '../media/table.ts';

/** What charts are drawn from: a result at one level. */
export interface ChartSubject {
  /** A record for each variant: that of its first server. */
  variants: Result['variants'];
  experiment: Result['experiment'];
  /** Values of what is varied besides the variant; empty if nothing is. */
  level: Level;
  /** The trials that finished, in the order in which they were measured. */
  trials: readonly Trial[];
  /** The comparisons at this level. */
  comparisons: readonly Comparison[];
  /** Whether an estimate used the trial. A trial that does not count is drawn hollow, and named. */
  counts: (trial: Pick<Trial, 'id'>) => boolean;
}

/** One subject for each level of the experiment, in order. */
export function chartSubjects(result: Result): ChartSubject[] {
  const { variants, experiment } = result;
  const counted = countedTrials(result);
  return comparedLevelsIn(result).map((level) => {
    const key = levelKey(level);
    return {
      variants: variantsAt(experiment.definition, level).flatMap((name) => serversAt(variants, {}, name)[0] ?? []),
      experiment,
      level,
      trials: result.trials.filter(
        ({ state, conditions }) => state === 'finished' && levelKey(comparedLevel(levelOf(conditions))) === key,
      ),
      comparisons: result.comparisons.filter(({ conditions }) => levelKey(conditions) === key),
      counts: ({ id }) => counted.has(id),
    };
  });
}

/** A sentence that names the trials that are drawn hollow; empty if every finished trial counts. */
export function hollowWords({ trials, counts }: ChartSubject, drawn = 'Hollow'): string {
  const hollow = trials.filter((trial) => !counts(trial)).map(({ id }) => id);
  if (hollow.length === 0) return '';
  return ` ${drawn}: excluded trials: ${hollow.join(', ')}.`;
}

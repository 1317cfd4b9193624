import { isDeepStrictEqual } from 'node:util';
import type { Result } from '../../contract/result.ts';
import type { Trial } from '../../contract/trial.ts';
import type { Finding } from '../../contract/verification.ts';
import { makePlan } from '../../experiment/plan/plan.ts';
import { atLevelOf } from '../../experiment/plan/start.ts';
import { planFile } from '../../storage/run-files.ts';
import type { ReadSealed } from '../../storage/series.ts';
import { withoutPosition } from '../validity/rejudge.ts';
import { isAlike } from './alike.ts';

/** Says so if the plan that a run has kept is not the plan of its experiment. */
export async function wrongPlan(
  { experiment: { definition, profile }, start }: Pick<Result, 'experiment' | 'start'>,
  { present, read }: { present: readonly string[]; read: ReadSealed },
): Promise<Finding[]> {
  if (!present.includes(planFile)) return [];
  const { bytes } = await read(planFile);
  const right = JSON.stringify(makePlan(atLevelOf(definition, start), profile), withoutSpeeds);
  try {
    if (isAlike(JSON.parse(Buffer.from(bytes).toString('utf8'), withoutSpeeds), JSON.parse(right))) return [];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const message = `${planFile} is not the plan that follows from the experiment of the run`;
  return [{ id: 'plan-disagrees', file: planFile, message }];
}

/**
 * Leaves out the parts of a plan that depend on how fast earlier runs were, the warnings of this run, and which start it
 * is, which its record says.
 */
function withoutSpeeds(name: string, value: unknown): unknown {
  return ['expectedSeconds', 'assumptions', 'warnings', 'start'].includes(name) ? undefined : value;
}

/** Trials of servers that the experiment does not have, and trials with the id of another server's trial. */
export function strayTrials(
  { experiment: { definition, profile } }: Pick<Result, 'experiment'>,
  trials: readonly Trial[],
): Finding[] {
  const planned = new Map(
    makePlan(definition, profile).steps.flatMap((step) =>
      step.kind === 'measure'
        ? step.trials.map(({ id, conditions }) => [withoutPosition(id), conditions] as const)
        : [],
    ),
  );
  return trials.flatMap(({ id, conditions }) => {
    const own = withoutPosition(id);
    const wanted = planned.get(own) ?? planned.get(own.replace(/-repeat-\d+$/, ''));
    return isDeepStrictEqual(wanted, conditions)
      ? []
      : [{ id: 'trial-unplanned', trial: id, message: 'the plan of its experiment has no such trial of this server' }];
  });
}

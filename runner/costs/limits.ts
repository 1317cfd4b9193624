import type { Experiment } from '../contract/experiment/schema.ts';
import type { CostEstimate } from './estimate.ts';

export interface LimitFindings {
  /** Limits that the run is expected to exceed. If there are any, the run must not begin. */
  problems: string[];
  /** What cannot be judged, or would end the run early. */
  warnings: string[];
}

/**
 * Compares the expected time and cost with the limits of the experiment.
 *
 * @param costs null for an experiment on this machine, which costs nothing. With a limit in dollars, all of its prices must be
 *   known
 */
export function checkLimits(
  { limits, expiry }: Pick<Experiment, 'limits' | 'expiry'>,
  expectedSeconds: number | null,
  costs: CostEstimate | null,
): LimitFindings {
  const problems: string[] = [];
  const warnings: string[] = [];
  const hours = expectedSeconds === null ? null : expectedSeconds / 3600;
  if (hours === null) {
    if (limits.hours !== undefined || limits.dollars !== undefined) {
      warnings.push('limits: the length of the run is not known, so that nobody can say whether it keeps to them.');
    }
  } else if (limits.hours !== undefined && hours > limits.hours) {
    problems.push(`limits.hours is ${limits.hours}: the run is expected to take ${hours.toFixed(1)} hours`);
  }
  if (costs === null) return { problems, warnings };

  if (limits.dollars !== undefined) {
    const dollars = costs.run?.dollars.high;
    const lacking = costs.notKnown.length > 0;
    if (dollars !== undefined && dollars > limits.dollars) {
      problems.push(
        `limits.dollars is ${limits.dollars}: the run is expected to cost ${lacking ? 'at least ' : ''}${dollars.toFixed(2)} dollars`,
      );
    } else if (lacking) {
      problems.push(
        `limits.dollars is ${limits.dollars}, and nobody can say whether the run keeps to it: in ${costs.prices.region}, these prices are not known: ${costs.notKnown.join('; ')}. With AWS credentials, they are fetched by: ${costs.remedy}`,
      );
    }
  }
  if (hours !== null && expiry.kind === 'after' && hours > expiry.hours) {
    warnings.push(
      `expiry.hours is ${expiry.hours}: the stack deletes itself before the run, of ${hours.toFixed(1)} hours, has ended.`,
    );
  }
  return { problems, warnings };
}

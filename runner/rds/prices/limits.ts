import { UserError } from '../../contract/errors.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { placeOf } from '../../places/registry.ts';
import { type CostEstimate, keptCosts } from './estimate.ts';
import { deployable, type DeployableExperiment } from '../deploy/deployable.ts';
import { makePlan } from '../../experiment/plan/plan.ts';
import { savingMinutes } from './margin.ts';

/** Why a run must not begin, and what helps. */
interface LimitProblem {
  words: string;
  remedy: string;
}

export interface LimitFindings {
  /** Limits that the run is expected to exceed, or that cannot be judged. If there are any, the run must not begin. */
  problems: LimitProblem[];
  /** What cannot be judged, but need not be. */
  warnings: string[];
}

const measureLess =
  'Raise the limit in the experiment file, or measure less: fewer protocol.blocks, shorter trials, another profile.';

/**
 * Compares the expected time and cost with the limits of the experiment, and with the lifetime of its stack without the
 * minutes that are reserved for saving.
 *
 * @param lifetimeHours from the creation of the stack to its deletion; null if it never expires, or there is none
 * @param costs null for an experiment on this machine, which costs nothing. With a limit in dollars, all of its prices
 *   must be known
 */
export function checkLimits(
  limits: Experiment['limits'],
  lifetimeHours: number | null,
  expectedSeconds: number | null,
  costs: CostEstimate | null,
): LimitFindings {
  const problems: LimitProblem[] = [];
  const exceeds = (words: string): void => void problems.push({ words, remedy: measureLess });
  const warnings: string[] = [];
  const hours = expectedSeconds === null ? null : expectedSeconds / 3600;
  if (hours === null) {
    if (limits.hours !== undefined || limits.dollars !== undefined) {
      warnings.push(
        'limits: run length unknown, so pgduet cannot check them.',
      );
    }
  } else {
    const long = `the run is expected to take ${hours.toFixed(1)} hours`;
    if (limits.hours !== undefined && hours > limits.hours) exceeds(`limits.hours is ${limits.hours}: ${long}`);
    if (lifetimeHours !== null && hours > lifetimeHours - savingMinutes / 60) {
      exceeds(
        `expiry.hours is ${lifetimeHours}, and the last ${savingMinutes} minutes are reserved for saving: ${long}, so it would be stopped before its end`,
      );
    }
  }
  if (costs === null) return { problems, warnings };

  if (limits.dollars === undefined) warnings.push(withoutLimit(lifetimeHours, costs));
  else {
    const dollars = costs.run?.dollars.high;
    const lacking = costs.notKnown.length > 0;
    if (dollars !== undefined && dollars > limits.dollars) {
      exceeds(
        `limits.dollars is ${limits.dollars}: the run is expected to cost ${lacking ? 'at least ' : ''}${dollars.toFixed(2)} dollars`,
      );
    } else if (lacking) {
      problems.push({
        words: `limits.dollars is ${limits.dollars}, but pgduet cannot check whether the run keeps to it: in ${costs.prices.region}, these prices are unknown: ${costs.notKnown.join('; ')}`,
        remedy: `Fetch the prices, which needs no credentials: ${costs.remedy}`,
      });
    }
  }
  return { problems, warnings };
}

/** What ends the bill of a run that does not end by itself, where the experiment has no limit in dollars. */
function withoutLimit(lifetimeHours: number | null, costs: CostEstimate): string {
  const { atMost, deletesItself, dollarsPerHour, notKnown } = costs;
  const min = notKnown.length > 0 ? 'at least ' : '';
  const bill =
    lifetimeHours === null || atMost === null
      ? `${deletesItself ? 'as long as it shows signs of life' : 'until you destroy it'}: ${min}${dollarsPerHour.high.toFixed(2)} dollars an hour`
      : `until it expires after ${lifetimeHours} hours: ${min}${atMost.dollars.high.toFixed(2)} dollars in all`;
  return `limits.dollars is missing, so the stack of a run that does not end bills ${bill}. Set limits.dollars in the experiment file.`;
}

/**
 * Refuses a run that is about to be planned, deployed or begun.
 *
 * @returns warnings
 * @throws {UserError} with the figures if the run is expected to exceed a limit
 */
export function requireWithinLimits({ problems, warnings }: LimitFindings): string[] {
  if (problems.length > 0) {
    const remedies = [...new Set(problems.map(({ remedy }) => remedy))];
    throw new UserError(`Rejected: ${problems.map(({ words }) => words).join('; ')}. ${remedies.join(' ')}`);
  }
  return warnings;
}

/**
 * Refuses a run for which too little of `limits.dollars` is left.
 *
 * @param runDollars from now to the end of the run; null if its length is unknown
 * @throws {UserError} with the sum
 */
export function requireEnoughLeft(
  limits: Pick<Experiment['limits'], 'dollars'>,
  { spentDollars, runDollars }: { spentDollars: number; runDollars: number | null },
): void {
  const { dollars } = limits;
  const sum = spentDollars + (runDollars ?? 0);
  if (dollars === undefined || (runDollars === null ? sum < dollars : sum <= dollars)) return;
  const rest =
    runDollars === null
      ? 'run length unknown'
      : `the rest of the run is expected to cost ${runDollars.toFixed(2)} dollars, which makes ${sum.toFixed(2)}`;
  throw new UserError(
    `Rejected: limits.dollars is ${dollars}: the stack has cost ${spentDollars.toFixed(2)} dollars so far, and ${rest}. Raise the limit in the experiment file, or measure less: another profile, in a new stack.`,
  );
}

/** Hours from the creation of an experiment's stack to its deletion; null if it never expires, or runs on this machine. */
export function lifetimeHours({ expiry, variants }: Pick<Experiment, 'expiry' | 'variants'>): number | null {
  return !placeOf({ variants }).isBilled || expiry.kind === 'never' ? null : expiry.hours;
}

/**
 * The form of an experiment that can be deployed, if its own limits allow it.
 *
 * @param region where it would be deployed; its kept prices count
 * @param folder with the user's own prices. @default the working folder of the process
 * @returns the experiment, with warnings
 * @throws {UserError} if it cannot be deployed, or is expected to exceed a limit or to outlast its stack
 */
export function requireDeployable(
  experiment: Experiment,
  profile: string,
  region: string,
  folder?: string,
): { deployed: DeployableExperiment; warnings: string[] } {
  const deployed = deployable(experiment, profile);
  const { expectedSeconds } = makePlan(experiment, profile);
  const costs = keptCosts(deployed, expectedSeconds, region, folder);
  const found = checkLimits(experiment.limits, lifetimeHours(experiment), expectedSeconds, costs);
  return { deployed, warnings: requireWithinLimits(found) };
}

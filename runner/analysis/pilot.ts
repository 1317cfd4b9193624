import type { CostEstimate } from '../rds/prices/estimate.ts';
import { type Dollars, times } from '../rds/prices/price.ts';
import { makePlan } from '../experiment/plan/plan.ts';
import type { Result } from '../contract/result.ts';
import { decidingMetric, type Experiment } from '../contract/experiment/schema.ts';
import { isCrossedOver } from '../contract/plan.ts';
import { UserError } from '../contract/errors.ts';
import type { Level } from '../contract/trial.ts';
import { reasonsInWords } from '../contract/withheld.ts';
import { type ContrastAt, controlsOf, type Grouped } from '../experiment/groups.ts';
import { designOf, plannedContrasts } from '../experiment/plan/design.ts';
import { metricNamed } from '../metrics/catalogue.ts';
import { spreadWithin, upperSpread } from '../statistics/spread.ts';
import { toolOf } from '../workloads/registry.ts';
import { blocksNeeded, type ComparisonDesign, powerOf } from './blocks-needed.ts';
import { logRatios, widestOf } from './stopping.ts';
import type { Speed } from '../places/definition.ts';
import { placeNamed, placeOf, storageTypes } from '../places/registry.ts';
import type { Speeds } from '../experiment/plan/durations.ts';
import { median } from '../statistics/summaries.ts';

/** What this experiment needs to find an effect, if it varies as much as the pilot did. */
export interface PilotPlan {
  effect: number;
  power: number;
  /** As in the experiment's protocol. */
  until: Experiment['protocol']['until'];
  needs: (PilotFinding & {
    /**
     * Length of a run of `blocksNeeded` blocks (with `until: precision` or `verdict`, the longest); null if it cannot be predicted.
     */
    expectedSeconds: number | null;
    /** Price of that run; null also for a run on this machine. */
    dollars: Dollars | null;
  })[];
}

/**
 * Plans blocks, time and money from the variation in an earlier result of the same variants.
 *
 * @throws {UserError} if the pilot was measured at another place, or if no number of blocks could find the effect
 */
export function planFromPilot(
  experiment: Experiment,
  profile: string,
  costs: CostEstimate | null,
  { pilot, effect, power }: { pilot: Result; effect: number; power: number },
): PilotPlan {
  requireSamePlace(pilot, experiment, profile);
  const speeds = speedsOfPilot(pilot, experiment);
  const findings = judgePilot(pilot, experiment, { effect, power });
  const { until } = experiment.protocol;
  return { effect, power, until, needs: findings.map((finding) => ({ ...finding, ...priceOf(finding.blocksNeeded) })) };

  function priceOf(blocks: number | null): { expectedSeconds: number | null; dollars: Dollars | null } {
    if (blocks === null) return { expectedSeconds: null, dollars: null };
    const planned = { ...experiment, protocol: { ...experiment.protocol, blocks } };
    const { expectedSeconds } = makePlan(planned, profile, [], speeds);
    const dollars = costs && expectedSeconds !== null ? times(costs.dollarsPerHour, expectedSeconds / 3600) : null;
    return { expectedSeconds, dollars };
  }
}

/**
 * Refuses a pilot of another place. How much its blocks vary says nothing about this place: a laptop is noisier than an
 * instance of RDS, or less, and the money that the plan would name rests on nothing else.
 */
function requireSamePlace({ place }: Result, experiment: Experiment, profile: string): void {
  const [measured, planned] = [placeNamed(place.kind), placeOf(experiment)];
  // Kinds of one place, such as servers on this machine and elsewhere, have the same types of storage.
  if (storageTypes(measured).join() === storageTypes(planned).join()) return;
  throw new UserError(
    `--pilot: this result was measured ${measured.words}, but the variants of profile ${profile} are ${planned.words}, where blocks vary differently. Name a result from there, such as one of a small profile, or plan a profile that runs where the pilot ran (--profile).`,
  );
}

/** What a pilot says about a planned experiment, for one candidate. */
export interface PilotFinding {
  candidate: string;
  /** The level, if something besides the variant is varied; otherwise empty. */
  conditions: Level;
  /** Whether the candidate is the baseline once more, so that it should come out equivalent. */
  control: boolean;
  /** Blocks of the pilot that count. */
  blocks: number;
  /** Standard deviation of the blocks' log-ratios; null if too few blocks count. */
  spread: number | null;
  /** The spread that the plan uses: the true one is not above it with a chance of 80%. */
  spreadAtMost: number | null;
  /**
   * Blocks that find the effect, or a control equivalent, with the wanted power; with `until: precision` or `verdict`, the most that
   * may be measured. null if the spread is not known, or if `maxBlocks` are not enough.
   */
  blocksNeeded: number | null;
  /** The chance that this many blocks call two variants equivalent if they do not differ; null without blocks. */
  powerOfEquivalence: number | null;
}

/** The parts of an experiment that decide how often it reaches which verdict. */
export type PlannedExperiment = Grouped & Pick<Experiment, 'protocol' | 'decision' | 'workload'>;

/**
 * How many blocks an experiment needs to find an effect, if they vary like those of the pilot. Experiments are
 * simulated with the rule that decides real ones, and with an upper bound of the pilot's spread.
 *
 * @param pilot an earlier result of the same variants, also of another design
 * @param effect relative: 0.05 is +5%
 * @param power chance of finding it, such as 0.8
 * @throws {UserError} if no number of blocks can give a verdict of better or worse
 */
export function judgePilot(
  pilot: Pick<Result, 'experiment' | 'trials'>,
  experiment: PlannedExperiment,
  { effect, power }: { effect: number; power: number },
): PilotFinding[] {
  const { decision, protocol } = experiment;
  assertDecidable(experiment, effect);
  const controls = controlsOf(experiment);
  const { exchanges, comparisons, controlled } = designOf(experiment);
  const design: ComparisonDesign = {
    decision,
    exchanges,
    widest: { blocks: null, precision: widestOf(experiment), verdict: 'verdict' as const }[protocol.until],
    comparisons,
  };
  return plannedContrasts(pilot.experiment.definition).map((contrast): PilotFinding => {
    const { candidate, level } = contrast;
    const control = controls.includes(candidate);
    const own = control ? { ...design, comparisons: controlled } : design;
    const goal = control
      ? ({ effect: 0, verdict: 'equivalent', power } as const)
      : ({ effect: Math.log1p(effect), verdict: 'better', power } as const);
    const groups = ratiosByHosts(pilot, contrast, decidingMetric(decision));
    const spread = spreadWithin(groups);
    const spreadAtMost = spread && upperSpread(spread);
    const blocks = spreadAtMost === null ? null : blocksNeeded(spreadAtMost, goal, own);
    return {
      candidate,
      conditions: level,
      control,
      blocks: groups.flat().length,
      spread: spread && spread.standardDeviation,
      spreadAtMost,
      blocksNeeded: blocks,
      powerOfEquivalence:
        blocks === null || spreadAtMost === null
          ? null
          : powerOf({ effect: 0, verdict: 'equivalent' }, blocks, spreadAtMost, own),
    };
  });
}

/** log(candidate / baseline) of the blocks on either assignment of the hosts, which a crossover exchanges. */
function ratiosByHosts(
  { experiment: { definition }, trials }: Pick<Result, 'experiment' | 'trials'>,
  contrast: ContrastAt,
  metricName: string,
): number[][] {
  const metric = metricNamed(metricName);
  const { limit } = toolOf(definition.workload).shape(definition.workload);
  return [false, true].map((exchanged) => {
    const own = trials.filter(({ period = 1 }) => isCrossedOver(period) === exchanged);
    return metric ? logRatios(own, contrast, metric, limit).ratios.filter((ratio) => ratio !== null) : [];
  });
}

function assertDecidable(experiment: PlannedExperiment, effect: number): void {
  const { practicalThreshold } = experiment.decision;
  const { obstacles } = designOf(experiment);
  if (obstacles.length > 0) {
    throw new UserError(
      `--pilot: this experiment gets no verdict, whatever the number of blocks: ${reasonsInWords(obstacles)}.`,
    );
  }
  if (metricNamed(decidingMetric(experiment.decision))?.compared === 'difference') {
    throw new UserError(
      `--pilot: ${decidingMetric(experiment.decision)} is compared by differences, but --pilot plans with ratios. See the pilot’s report instead: it says how many blocks settle the comparison.`,
    );
  }
  if (effect < practicalThreshold) {
    throw new UserError(
      `--effect ${effect}: decision.practicalThreshold is ${practicalThreshold}, so more blocks only make it more likely that this change is called equivalent. Ask for an effect of ${practicalThreshold} or more, or set the threshold to ${effect} or less.`,
    );
  }
}

/** Reset steps whose length depends on the number of rows, and the speed that follows from their length. */
const speedsOfReset = { vacuum: 'vacuumedRows', restore: 'copiedRows' } as const;

/**
 * How fast things were in a pilot, as far as the pilot measured them. Speeds of another place say nothing: a disk of
 * this machine is not a volume of AWS. A run does not see how long a stack takes to deploy.
 */
export function speedsOfPilot(pilot: Result, experiment: Experiment): Partial<Speeds> {
  const place = placeNamed(pilot.place.kind);
  if (place !== placeOf(experiment)) return {};
  const { definition } = pilot.experiment;
  const { rows } = toolOf(definition.workload).durations(definition.workload);
  const loads = pilot.steps.flatMap(({ loads: tries }) => (tries ?? []).filter(({ outcome }) => outcome === 'loaded'));
  const touched = pilot.steps.flatMap((step) => step.touched ?? []);
  const create = pilot.steps.filter(({ step }) => place.isMadeByRun && step === 'create').map(secondsOf);
  const slowest = pilot.trials.flatMap(({ measures }) => measures['tps'] ?? []);
  const switched = pilot.steps.filter(({ switches = [] }) => switches.length > 0).map(secondsOf);
  return {
    ...speed('createSeconds', median(create)),
    ...(rows === null ? {} : speed('loadedRows', median(loads.map((load) => rows / secondsOf(load))))),
    ...speed('touchedBytes', median(touched.map(({ bytes, seconds }) => bytes / Math.max(seconds, 1)))),
    ...speed('crossoverSeconds', median(switched)),
    ...(rows === null ? {} : resetSpeed(pilot, rows)),
    ...speed('transactions', slowest.length > 0 ? Math.min(...slowest) : null),
  };
}

/**
 * Known only if a single step of the pilot's reset depends on the rows: trials record the length of all steps together.
 */
function resetSpeed({ experiment: { definition }, trials }: Result, rows: number): Partial<Speeds> {
  const { reset } = definition.protocol;
  const slow = (['vacuum', 'restore'] as const).filter((step) => reset.includes(step));
  const [only, ...others] = slow;
  if (!only || others.length > 0) return {};
  const seconds = median(trials.flatMap(({ resetSeconds }) => resetSeconds ?? []));
  return speed(speedsOfReset[only], seconds === null ? null : rows / Math.max(seconds, 0.1));
}

function speed(name: keyof Speeds, value: number | null): Partial<Record<keyof Speeds, Speed>> {
  return value === null ? {} : { [name]: { value, source: 'measured in the pilot' } };
}

/** At least one second: short steps of small pilots are not measured more exactly. */
function secondsOf({ startedAt, endedAt }: { startedAt: string; endedAt: string }): number {
  return Math.max(1, (Date.parse(endedAt) - Date.parse(startedAt)) / 1000);
}

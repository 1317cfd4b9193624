import type { Check, Effect } from '../../contract/check.ts';
import { decidingMetric, type Decision, type Experiment } from '../../contract/experiment/schema.ts';
import { defaultThreshold } from '../../contract/experiment/protocol.ts';
import type { TrialSeries } from '../../contract/metric.ts';
import type { PlaceDefinition } from '../../places/definition.ts';
import type { Trial } from '../../contract/trial.ts';
import type { WorkloadShape } from '../../workloads/tool.ts';
import type { Comparison } from '../../contract/comparison.ts';
import type { Result } from '../../contract/result.ts';
import type { BlockPair } from '../counted-trials.ts';
import type { Difference, Side } from '../undeclared-differences.ts';
import type { ExternalReason } from '../../contract/external-reasons.ts';
import { metricNamed } from '../../metrics/catalogue.ts';

/** What the checks of a trial need to know besides the trial. */
export interface TrialContext {
  experiment: Pick<Experiment, 'decision' | 'protocol'>;
  place: Pick<PlaceDefinition, 'isDeployed' | 'sharesMachine'>;
  /** Settings in force on the trial's variant, as pg_settings has them. */
  settings: Readonly<Record<string, string>>;
  /** The kind of load at the level of the trial. */
  shape: WorkloadShape;
  /**
   * Size of the loaded data with its indexes, as the tool predicts it; null if it cannot, since the data is the user's
   * own.
   */
  loadedBytes: number | null;
  series: TrialSeries;
}

/** What a check found: its line of the ledger without what the check is called. */
export type Finding = Omit<Check, 'id' | 'name'>;

/** What holds of a check, whatever it finds. */
export interface CheckDefinition {
  /** Stands in results, so that scripts can rely on it: it never changes. */
  id: string;
  /** For people. */
  name: string;
  /** What a warning of it could change in the answer. @default size */
  couldChange?: Effect;
  /** Whether it matters only if the load writes. @default false */
  isOfWrites?: true;
  /** Whether its findings say themselves what they are about, so that its name before them would repeat it. @default false */
  isNamedByFinding?: boolean;
  /** What to do if it failed; sentences. */
  remedy: string;
  /** Whether the remedy changes the experiment, so that the same run would fail again. @default false */
  needsEdit?: true;
}

/** One question about a finished trial; null if the question does not apply. It is pure: it reads only its arguments. */
export interface TrialCheck extends CheckDefinition {
  judge: (trial: Trial, context: TrialContext) => Finding | null;
}

/** The parts of a result that are known before anything is compared. */
export type ValidityFacts = Pick<Result, 'experiment' | 'place' | 'variants' | 'trials' | 'stoppedAfterBlock'>;

/** A side with its trials that the comparison used, one for each block of the pair. */
export interface SideOfPair extends Side {
  measured: readonly Trial[];
}

/** Two variants that are compared, at one level. */
export interface Pair {
  baseline: SideOfPair;
  candidate: SideOfPair;
  /** The comparison by the declared metric. */
  comparison: Comparison;
  /** The blocks that the comparison used. */
  blocks: readonly BlockPair[];
  /** Those of the two sides that nobody declared. */
  differences: readonly Difference[];
  /** Those of a side from what was declared for it. */
  fromDeclared: readonly Difference[];
}

/** One question about two variants; null if it does not apply. */
export interface PairCheck extends CheckDefinition {
  judge: (facts: ValidityFacts, pair: Pair) => Finding | null;
}

/** The line of the ledger. */
export function checked({ id, name }: CheckDefinition, finding: Finding): Check {
  return { id, name, ...finding };
}

export const pass = (finding: string): Finding => ({ state: 'pass', finding });
export const warn = (finding: string): Finding => ({ state: 'warn', finding });
/** @param outside the cause of the failure, if it lies outside the servers: then the block is measured again */
export const fail = (finding: string, outside?: ExternalReason): Finding => ({
  state: 'fail',
  finding,
  ...(outside && { outside }),
});
export const notAssessed = (finding: string): Finding => ({ state: 'not-assessed', finding });

/**
 * The smallest relative change of a level, such as that of throughput, that matters. It is the declared threshold,
 * unless that is in points of a share: a thousandth of the transactions says nothing about a thousandth of the
 * throughput.
 */
export function minLevelChange(decision: Pick<Decision, 'metric' | 'script' | 'practicalThreshold'>): number {
  const isInPoints = metricNamed(decidingMetric(decision))?.compared === 'difference';
  return isInPoints ? defaultThreshold : decision.practicalThreshold;
}

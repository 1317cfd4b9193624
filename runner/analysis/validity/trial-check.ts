import type { Check } from '../../contract/check.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import type { TrialSeries } from '../../contract/metric.ts';
import type { Result } from '../../contract/result.ts';
import type { Trial } from '../../contract/trial.ts';
import type { WorkloadShape } from '../../workloads/tool.ts';

/** What the checks of a trial need to know beside it. */
export interface TrialContext {
  experiment: Pick<Experiment, 'decision'>;
  place: Result['place']['kind'];
  /** Settings in force on its variant, as pg_settings has them. */
  settings: Readonly<Record<string, string>>;
  /** What kind of load it was, at the level of the trial. */
  shape: WorkloadShape;
  series: TrialSeries;
}

/** One question to a finished trial. Pure: it knows what the trial tells and nothing else. null where it does not arise. */
export type TrialCheck = (trial: Trial, context: TrialContext) => Check | null;

import type { Check } from '../../contract/check.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import type { TrialSeries } from '../../contract/metric.ts';
import type { PlaceDefinition } from '../../places/definition.ts';
import type { Trial } from '../../contract/trial.ts';
import type { WorkloadShape } from '../../workloads/tool.ts';

/** What the checks of a trial need to know besides the trial. */
export interface TrialContext {
  experiment: Pick<Experiment, 'decision' | 'protocol'>;
  place: Pick<PlaceDefinition, 'isDeployed' | 'sharesMachine'>;
  /** Settings in force on the trial's variant, as pg_settings has them. */
  settings: Readonly<Record<string, string>>;
  /** The kind of load at the level of the trial. */
  shape: WorkloadShape;
  /** Size of what is loaded, with its indexes, as the tool foretells it; null if it cannot: the data is the user's own. */
  loadedBytes: number | null;
  series: TrialSeries;
}

/** One question about a finished trial; null if the question does not apply. It is pure: it reads only its arguments. */
export type TrialCheck = (trial: Trial, context: TrialContext) => Check | null;

import type { Experiment } from '../../../runner/contract/experiment/schema.ts';
import { experimentSchema } from '../../../runner/experiment/schema.ts';

/** An experiment with every default filled in, and seed 1 where it has none. */
export function parsedExperiment(value: object): Experiment {
  const experiment = experimentSchema.parse(value);
  return { ...experiment, protocol: { ...experiment.protocol, seed: experiment.protocol.seed ?? 1 } };
}

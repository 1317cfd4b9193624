import type { Experiment } from '../contract/experiment/schema.ts';
import { experimentSchema } from './schema.ts';

/**
 * An experiment of our own that needs only one server. Experiments that users write have at least two variants.
 *
 * @param server name of its one variant
 * @param written what an experiment file would have, but with the variant in place of `variants` and `baseline`
 */
export function oneServerExperiment(
  server: string,
  { variant, ...written }: { variant: object } & Record<string, unknown>,
): Experiment {
  const { variants, protocol, ...rest } = experimentSchema.parse({
    ...written,
    variants: { [server]: variant, other: variant },
    baseline: server,
  });
  const { [server]: only } = variants;
  if (!only) throw new Error('the experiment has lost its variant');
  return { ...rest, variants: { [server]: only }, protocol: { ...protocol, seed: 1 } };
}

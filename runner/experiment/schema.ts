import * as z from 'zod';
import { collectors } from '../collect/registry.ts';
import { type Experiment, experimentSchemaOf, recordedExperimentSchemaOf } from '../contract/experiment/schema.ts';
import { declarableMetrics } from '../metrics/catalogue.ts';
import { generalResetSteps } from '../postgres/reset-steps.ts';
import { places } from '../places/every-place.ts';
import { tools } from '../workloads/registry.ts';
import { toolCollectors } from '../workloads/registry.ts';
import { scriptsSchema } from '../workloads/pgbench/schema.ts';

const [firstStorage, ...otherStorages] = places.flatMap(({ storage }) => storage);
const [firstPooler, ...otherPoolers] = places.flatMap(({ poolers }) => poolers?.schemas ?? []);
type PoolerMember = NonNullable<(typeof places)[number]['poolers']>['schemas'][number];
type StorageMember = (typeof places)[number]['storage'][number];
type Member = (typeof tools)[number]['schema'];
const [first, ...others] = tools.map(({ schema }) => schema);

/** Names of collectors that an experiment may leave out of `collect`. */
export const optionalCollectors = [...collectors, ...toolCollectors]
  .filter(({ optional }) => optional)
  .map(({ name }) => name);

/** Everything that an experiment may say, with all tools, sources and metrics that there are. */
export const experimentSchema = experimentSchemaOf({
  storage: z
    .discriminatedUnion('type', [firstStorage as StorageMember, ...otherStorages])
    .describe('Where data and WAL are, and how fast that is.'),
  poolers: z
    .discriminatedUnion('mode', [firstPooler as PoolerMember, ...otherPoolers])
    .describe('The pooler that the load connects through. Everything else connects to the server itself.'),
  workload: z
    .discriminatedUnion('tool', [first as Member, ...others])
    .describe('The data to load, and the load to run on it.'),
  scripts: scriptsSchema,
  deployments: places.flatMap(({ deployments = [] }) => deployments),
  resetSteps: [...new Set([...generalResetSteps, ...tools.flatMap(({ resetSteps }) => Object.keys(resetSteps))])],
  collectors: optionalCollectors,
  declarableMetrics,
});

/** An experiment as results record it. */
export const recordedExperimentSchema = recordedExperimentSchemaOf(experimentSchema);

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

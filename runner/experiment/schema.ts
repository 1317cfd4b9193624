import { z } from 'zod';
import { collectors } from '../collect/registry.ts';
import { experimentSchemaOf, recordedExperimentSchemaOf } from '../contract/experiment/schema.ts';
import { declarableMetrics } from '../metrics/catalogue.ts';
import { generalResetSteps } from '../postgres/reset-steps.ts';
import { places } from '../places/every-place.ts';
import { tools } from '../workloads/every-tool.ts';
import { toolCollectors } from '../workloads/tool-collectors.ts';

const [firstStorage, ...otherStorages] = places.flatMap(({ storage }) => storage);
type StorageMember = (typeof places)[number]['storage'][number];
type Member = (typeof tools)[number]['schema'];
const [first, ...others] = tools.map(({ schema }) => schema);

/** Names of collectors that an experiment may leave out of `collect`. */
export const optionalCollectors = [...collectors, ...toolCollectors]
  .filter(({ optional }) => optional)
  .map(({ name }) => name);

/** Everything that an experiment may say, with all tools, sources and metrics that there are. */
export const experimentSchema = experimentSchemaOf({
  storage: z.discriminatedUnion('type', [firstStorage as StorageMember, ...otherStorages]),
  workload: z.discriminatedUnion('tool', [first as Member, ...others]),
  resetSteps: [...new Set([...generalResetSteps, ...tools.flatMap(({ resetSteps }) => Object.keys(resetSteps))])],
  collectors: optionalCollectors,
  declarableMetrics,
});

/** An experiment as results record it. */
export const recordedExperimentSchema = recordedExperimentSchemaOf(experimentSchema);

import { z } from 'zod';
import { UserError } from '../contract/errors.ts';
import type { RunRecord } from '../contract/result.ts';
import { optionalCollectors, recordedExperimentSchema } from '../experiment/schema.ts';

/**
 * A run whose experiment is as far as this pgduet knows it: with the usual values of what an earlier one did not write, and
 * without the keys and collectors that only another one knows: what they found is in the trials.
 *
 * @param location of the run, for the message
 * @throws {UserError} if it has something that no experiment has
 */
export function withKnownDefinition<Run extends Pick<RunRecord, 'experiment'>>(run: Run, location: string): Run {
  const { experiment } = run;
  const definition = structuredClone(experiment.definition);
  // An earlier pgduet wrote `true`, and made one exchange.
  const { protocol } = definition as { protocol: { crossover?: unknown } };
  if (protocol.crossover === true) protocol.crossover = { exchanges: 1 };
  const { collect } = definition as { collect?: string[] };
  if (Array.isArray(collect)) definition.collect = collect.filter((name) => optionalCollectors.includes(name));
  for (const issue of recordedExperimentSchema.safeParse(definition).error?.issues ?? []) {
    if (issue.code === 'unrecognized_keys') removeKeys(definition, issue.path, issue.keys);
  }
  const { data, error } = recordedExperimentSchema.safeParse(definition);
  if (error) {
    throw new UserError(
      `The experiment of the run in ${location} is damaged:\n${z.prettifyError(error)}\nMeasure again.`,
    );
  }
  const known = { ...data, protocol: { ...data.protocol, seed: experiment.seed } };
  return { ...run, experiment: { ...experiment, definition: known } };
}

function removeKeys(value: unknown, path: readonly PropertyKey[], keys: readonly string[]): void {
  const holder = path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown>)[key], value);
  for (const key of keys) Reflect.deleteProperty(holder as object, key);
}

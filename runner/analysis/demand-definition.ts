import { z } from 'zod';
import { UserError } from '../contract/errors.ts';
import type { RunRecord } from '../contract/result.ts';
import { experimentSchema } from '../experiment/schema.ts';

/**
 * Checks the experiment that a run was made of as far as this pgduet knows it. Of other keys, which a later one may have
 * written, nothing is read.
 *
 * @param location of the run, for the message
 * @throws {UserError} if it has something that no experiment has
 */
export function demandDefinition({ experiment }: Pick<RunRecord, 'experiment'>, location: string): void {
  const { error } = experimentSchema.safeParse(experiment.definition);
  const issues = (error?.issues ?? []).filter(({ code }) => code !== 'unrecognized_keys');
  if (issues.length === 0) return;
  throw new UserError(
    `The experiment of the run in ${location} is damaged:\n${z.prettifyError({ issues })}\nMeasure again.`,
  );
}

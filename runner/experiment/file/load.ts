import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findExperimentFile } from './find.ts';
import { type Problem, problemsMessage, schemaProblems } from './problems.ts';
import { applyProfile, foldCommon, profileNames } from './profiles.ts';
import { withToolDefaults } from './tool-defaults.ts';
import { checkRules } from '../rules/rules.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { experimentSchema } from '../schema.ts';
import { designWarnings } from '../plan/design.ts';
import { ExperimentSource } from './source.ts';
import { UserError } from '../../contract/errors.ts';
import { nearest } from './nearest.ts';

export interface LoadedExperiment {
  experiment: Experiment;
  /** Name of the profile that was applied. */
  profile: string;
  /** All profiles of the file. */
  profiles: string[];
  /** Absolute path of the file; scripts that it names are relative to its folder. */
  path: string;
  /** Things that are allowed, but that the user should know of. */
  warnings: string[];
}

/** The profile that applies the file as it is, without overrides. */
export const fullProfile = 'full';

/**
 * Reads an experiment by name (NAME.yaml below `folder`/experiments) or by path, and applies one profile.
 *
 * @param options.seed replaces the seed in the file
 * @param options.drawSeed gives the seed if neither says one; it gets the name of the experiment
 * @throws {UserError} with every problem of the file at once, in all of its profiles. Each has the line, the path, the
 *   wrong value and what would be right.
 */
export function loadExperiment(
  nameOrPath: string,
  {
    drawSeed = randomSeed,
    ...options
  }: {
    folder: string;
    profile?: string | undefined;
    seed?: number | undefined;
    drawSeed?: (name: string) => number;
  },
): LoadedExperiment {
  const file = findExperimentFile(nameOrPath, options.folder);
  const shownPath = path.relative(options.folder, file) || file;
  const source = new ExperimentSource(readFileSync(file, 'utf8'), shownPath);
  const profile = options.profile ?? fullProfile;
  const known = [...new Set([fullProfile, ...profileNames(source.value)])];

  const problems: Problem[] = [...source.problems];
  const warnings: string[] = [];
  let experiment: Experiment | undefined;
  if (problems.length === 0) {
    for (const name of known) {
      const merged = foldCommon(applyProfile(source.value, name));
      const parsed = experimentSchema.safeParse(withToolDefaults(merged), { reportInput: true });
      const rules = checkRules(merged);
      problems.push(
        ...[...schemaProblems(parsed.error?.issues ?? []), ...rules.problems].map((problem) =>
          source.locate(problem, merged, name),
        ),
      );
      if (name === profile && parsed.success) {
        const seed = options.seed ?? parsed.data.protocol.seed ?? drawSeed(parsed.data.name);
        experiment = { ...parsed.data, protocol: { ...parsed.data.protocol, seed } };
        warnings.push(...rules.warnings, ...designWarnings(experiment));
      }
    }
    const expectedName = path.basename(file).replace(/\.ya?ml$/, '');
    const statedName = experiment?.name;
    if (statedName !== undefined && statedName !== expectedName) {
      problems.push(
        source.locate(
          { path: ['name'], message: `the file is called ${path.basename(file)}; expected "${expectedName}"` },
          { name: statedName },
          fullProfile,
        ),
      );
    }
  }
  if (problems.length > 0) throw new UserError(problemsMessage(shownPath, problems));
  if (!experiment) {
    throw new UserError(
      `${shownPath} has no profile "${profile}". It has: ${known.join(', ')}.${nearest(profile, known, (name) => ` Did you mean "${name}"?`)}`,
    );
  }
  return { experiment, profile, profiles: known, path: file, warnings };
}

/** Every run has an order of its own: with one seed for all of them, the same accident would hit the same variant each time. */
export function randomSeed(): number {
  return randomInt(1_000_000);
}

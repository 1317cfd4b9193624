import path from 'node:path';
import { checkLimits } from '../../costs/limits.ts';
import { loadExperiment, randomSeed } from '../../experiment/file/load.ts';
import { makePlan } from '../../experiment/plan/plan.ts';
import type { PreparedRun } from '../../run/local.ts';
import { seedToGoOnWith } from '../../run/unfinished-run.ts';
import { UserError } from '../../contract/errors.ts';
import { renderPlan } from '../../report/terminal/plan-text.ts';
import type { Io } from '../io.ts';

/**
 * Loads and plans an experiment, and shows the plan: on stdout for a dry run, otherwise on stderr.
 *
 * @throws {UserError} if the run is expected to take longer than the experiment allows
 *
 * @returns null after a dry run
 */
export function prepareRun(
  name: string,
  options: { profile: string | undefined; seed?: number; out: string; resume?: true; dryRun?: true; json?: true },
  io: Io,
): PreparedRun | null {
  const { profile, seed } = options;
  const loaded = loadExperiment(name, {
    folder: io.workingFolder,
    ...{ profile, seed },
    // A run goes on in the order that was drawn at its start.
    drawSeed(experiment, profile) {
      const results = resultsFolder(options.out, experiment.name, io);
      return (options.resume ? seedToGoOnWith(results, { experiment, profile }) : null) ?? randomSeed();
    },
  });
  const { experiment } = loaded;
  const plan = makePlan(experiment, loaded.profile, loaded.warnings);
  const planText = renderPlan(plan, null, io);
  if (options.dryRun) io.stdout.write(options.json ? `${JSON.stringify(plan, null, 2)}\n` : planText);
  else io.stderr.write(`${planText}\n`);
  const { problems } = checkLimits(experiment, plan.expectedSeconds, null);
  if (problems.length > 0) {
    throw new UserError(`Refused: ${problems.join('; ')}. Raise the limit in the experiment file, or measure less.`);
  }
  return options.dryRun ? null : { experiment, profile: loaded.profile, plan, scriptFolder: path.dirname(loaded.path) };
}

/** Where all runs of an experiment lie. */
export function resultsFolder(out: string, experiment: string, { workingFolder }: Pick<Io, 'workingFolder'>): string {
  return path.resolve(workingFolder, out, experiment);
}

import path from 'node:path';
import type { Binding } from '../../contract/binding.ts';
import { UserError } from '../../contract/errors.ts';
import type { QuietMachine } from '../../contract/quiet-machine.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { checkLimits, requireWithinLimits, lifetimeHours } from '../../costs/limits.ts';
import { keptCosts } from '../../costs/estimate.ts';
import { deployable } from '../../experiment/deploy/deployable.ts';
import type { FoundExperiment } from '../../experiment/file/find.ts';
import { foldersProfile, loadExperiment, type LoadedExperiment, randomSeed } from '../../experiment/file/load.ts';
import { makePlan } from '../../experiment/plan/plan.ts';
import { foreseeLoad, foreseeServers } from '../../places/local/room.ts';
import type { Obstacle } from '../../places/local/volumes/choose-volumes.ts';
import { placeHere } from '../../places/registry.ts';
import type { PreparedRun } from '../../run/execution.ts';
import { recordToResume } from '../../run/unfinished-run.ts';
import { renderPlan } from '../../report/terminal/plan-text.ts';
import { toolOf } from '../../workloads/registry.ts';
import type { Io } from '../io.ts';
import { pauseSeconds } from '../../run/time-limit.ts';
import type { SavingOptions } from '../../run/deployed/ended-run.ts';
import { wrapLines } from '../../report/media/wrap.ts';
import { planAsStart, type PlannedRun } from './plan-start.ts';

/**
 * Loads and plans an experiment, and shows the plan: on stdout for a dry run, otherwise on stderr.
 *
 * @param binding of the stack to measure; null on this machine
 * @throws {UserError} if the run is expected to exceed a limit of the experiment, or cannot be blind; for a dry run
 *   also if the load generator refuses a script or an option
 * @returns null after a dry run
 */
export async function prepareRun(
  name: string | FoundExperiment,
  options: {
    profile?: string | undefined;
    /** The profile if nothing else names one. */
    usualProfile?: string;
    /** The same, but only if the file has it. */
    preferredProfile?: string;
    /** Why this run cannot have limited volumes; null if it can. Absent if nothing depends on it. */
    findObstacle?: () => Promise<Obstacle | null>;
    seed?: number;
    quietMachine?: QuietMachine;
    volumes?: string | undefined;
    out: string;
    resume?: true;
    blind?: true;
    pgBindir?: readonly string[] | undefined;
    /** Whether the run makes servers here, for which PostgreSQL must be here. */
    makesServers?: boolean;
    dryRun?: true;
    /** Does not show the plan of a run that begins. */
    quiet?: true;
    json?: true;
  },
  binding: Pick<Binding, 'region' | 'lifetimeHours'> | null,
  io: Io,
): Promise<PreparedRun | null> {
  const { usualProfile, preferredProfile, seed, quietMachine, volumes } = options;
  let hasNewSeed = false;
  const load = (profile: string | undefined): LoadedExperiment =>
    loadExperiment(name, {
      folder: io.workingFolder,
      profile,
      seed,
      quietMachine,
      volumes,
      preferredProfile,
      ...(usualProfile !== undefined && { usualProfile }),
      // A resumed run keeps the order that was drawn at its start.
      drawSeed(experiment, profile) {
        const results = resultsFolder(options.out, experiment.name, io);
        const earlier = options.resume ? recordToResume(results, { experiment, profile }) : null;
        hasNewSeed = earlier === null;
        return earlier?.experiment.seed ?? randomSeed();
      },
    });
  const asWritten = load(options.profile);
  const mayAskAnother = !asWritten.repeated && options.profile === undefined;
  const obstacle =
    mayAskAnother && asWritten.profiles.includes(foldersProfile) ? ((await options.findObstacle?.()) ?? null) : null;
  const loaded = obstacle ? load(foldersProfile) : asWritten;
  const { experiment: written } = loaded;
  if (binding === null) placeHere(written);
  if (obstacle) {
    const note = otherQuestion(asWritten.experiment, written, obstacle);
    // Here it comes before the plan. In the plan, it stays with the result.
    io.stderr.write(`${wrapLines(note, io.errorColumns)}\n\n`);
    loaded.warnings.push(note);
  }
  if (options.blind) requireTimed(written);
  if (binding === null && !options.dryRun && options.makesServers) {
    const newer = await foreseeServers(written, { ...io, explicit: options.pgBindir, isElsewhere: false });
    if (newer !== null) loaded.warnings.push(newer);
  }
  // As `plan` does. A real run checks the scripts later, with the very programs that it has found and will use.
  if (options.dryRun) {
    await foreseeLoad(written, { ...io, explicit: options.pgBindir, scriptFolder: path.dirname(loaded.path) });
  }
  const results = resultsFolder(options.out, written.name, io);
  const { experiment, plan, start }: PlannedRun = binding
    ? { experiment: written, plan: makePlan(written, loaded.profile, loaded.warnings) }
    : planAsStart(loaded, { results, resume: options.resume === true }, io);
  const mostSteps = 40;
  if (options.dryRun) {
    const { columns } = io;
    io.stdout.write(
      options.json ? `${JSON.stringify(plan, null, 2)}\n` : renderPlan(plan, null, { columns, mostSteps }),
    );
  } else if (!options.quiet) {
    io.stderr.write(`${renderPlan(plan, null, { columns: io.errorColumns, mostSteps })}\n`);
  }
  const costs = binding && keptCosts(deployable(experiment, loaded.profile), plan.expectedSeconds, binding.region);
  const hours = binding ? binding.lifetimeHours : lifetimeHours(experiment);
  requireWithinLimits(checkLimits(experiment.limits, hours, plan.expectedSeconds, costs));
  if (options.dryRun) return null;
  const { path: file, text, repeated } = loaded;
  const inputs = { file, text, ...(repeated && { filesOfRun: repeated.files }) };
  return { experiment, profile: loaded.profile, plan, start, inputs, hasNewSeed, repeatedVolumes: repeated?.volumes };
}

/** Which question the run asks because this machine cannot limit volumes, which it does not, and what that would take. */
function otherQuestion(asWritten: Experiment, asked: Experiment, { reason, remedy }: Obstacle): string {
  return `${asked.name} asks what plain folders can answer (profile ${foldersProfile}): “${asked.question}” Its other question, “${asWritten.question}”, needs volumes of limited IOPS, but ${reason}. ${remedy} to ask that one.`;
}

/** If the number of transactions is fixed, anyone who sees when a trial begins and ends can work out its throughput. */
function requireTimed({ workload }: Experiment): void {
  if (toolOf(workload).shape(workload).limit === 'time') return;
  throw new UserError(
    '--blind: the trials have a fixed number of transactions, so the time they take would reveal their throughput. Set workload.durationSeconds instead of workload.transactions, or leave out --blind.',
  );
}

/** Folder of all runs of an experiment. */
export function resultsFolder(out: string, experiment: string, { workingFolder }: Pick<Io, 'workingFolder'>): string {
  return path.resolve(workingFolder, out, experiment);
}

/** How a command reports problems while it saves a run. */
export function savingBy(io: Io): Omit<SavingOptions, 'signal'> {
  return {
    warn: (text) => void io.stderr.write(`${wrapLines(text, io.errorColumns)}\n`),
    now: () => new Date(),
    pause: pauseSeconds,
  };
}

import { warningsOf } from '../../contract/warnings.ts';
import path from 'node:path';
import type { Binding } from '../../rds/contract/binding.ts';
import { UserError } from '../../contract/errors.ts';
import type { Experiment, WrittenExperiment } from '../../contract/experiment/schema.ts';
import type { Plan } from '../../contract/plan.ts';
import { checkLimits, requireWithinLimits, lifetimeHours } from '../../rds/prices/limits.ts';
import { type CostEstimate, keptCosts } from '../../rds/prices/estimate.ts';
import { deployable } from '../../rds/deploy/deployable.ts';
import { type LoadedExperiment, randomSeed } from '../../experiment/file/load.ts';
import { makePlan } from '../../experiment/plan/plan.ts';
import { validateLoad, validateServers } from '../../places/local/room.ts';
import { localClock, type PlannedRun } from '../../run/run-shape.ts';
import { recordToResume } from '../../run/unfinished-run.ts';
import { renderBeginning } from '../../report/terminal/beginning.ts';
import { renderPlan } from '../../report/terminal/plan-text.ts';
import { toolOf } from '../../workloads/registry.ts';
import { type Io, say } from '../io.ts';
import type { Loudness } from '../options.ts';
import type { Consent } from './consent.ts';
import type { SavingOptions } from '../../rds/driver/ended-run.ts';
import { planAsStart, type PlannedStart, resultsFolder } from './plan-start.ts';

/**
 * Plans an experiment, and shows the plan: on stdout for a dry run, otherwise on stderr.
 *
 * @param binding of the stack to measure; null on this machine
 * @throws {UserError} if the run is expected to exceed a limit of the experiment, or cannot be blind; for a dry run
 *   also if the load generator refuses a script or an option
 * @returns null after a dry run
 */
export async function prepareRun(
  loaded: LoadedExperiment,
  options: {
    out: string;
    /** What its user agreed to; only a dry run needs none. */
    consent: Consent;
    resume?: true;
    blind?: true;
    pgBindir?: readonly string[] | undefined;
    /** Whether the run makes servers here, for which PostgreSQL must be here. */
    makesServers?: boolean;
    dryRun?: true;
    json?: true;
    /** How much is shown of a run that begins. */
    beginning: Beginning;
  },
  binding: Pick<Binding, 'region' | 'lifetimeHours'> | null,
  io: Io,
): Promise<PlannedRun | null> {
  const { experiment: written, isSeedDrawn } = loaded;
  if (options.blind) requireTimed(written);
  if (binding === null && !options.dryRun && options.makesServers) {
    const newer = await validateServers(written, {
      ...io,
      explicit: options.pgBindir,
      folder: loaded.repeated?.codeFolder ?? path.dirname(loaded.path),
      say: (line) => say(line, io),
      isElsewhere: false,
    });
    if (newer !== null) loaded.warnings.push(...warningsOf('newer-version', [newer]));
  }
  // As `plan` does. A real run checks the scripts later, with the very programs that it has found and will use.
  if (options.dryRun) {
    const where = { ...io, explicit: options.pgBindir, scriptFolder: path.dirname(loaded.path), isElsewhere: false };
    const { note } = await validateLoad(written, where);
    if (note !== null) loaded.warnings.push(...warningsOf('not-validated', [note]));
  }
  const results = resultsFolder(options.out, written.name, io);
  const { experiment, plan, start }: PlannedStart = binding
    ? { experiment: written, plan: makePlan(written, loaded.profile, loaded.warnings) }
    : planAsStart(loaded, { results, resume: options.resume === true }, io);
  if (options.dryRun) {
    const { columns } = io;
    io.stdout.write(options.json ? `${JSON.stringify(plan, null, 2)}\n` : renderPlan(plan, null, { columns }));
  }
  const costs = binding && keptCosts(deployable(experiment, loaded.profile), plan.expectedSeconds, binding.region);
  if (!options.dryRun && !options.beginning.isLater) showBeginning({ plan, experiment, costs }, options.beginning, io);
  const hours = binding ? binding.lifetimeHours : lifetimeHours(experiment);
  requireWithinLimits(checkLimits(experiment.limits, hours, plan.expectedSeconds, costs));
  if (options.dryRun) return null;
  const { path: file, text, repeated } = loaded;
  const inputs = {
    ...{ file, text },
    ...options.consent,
    ...(repeated && { filesOfRun: repeated.files }),
    ...(repeated?.codeFolder !== undefined && { codeFolder: repeated.codeFolder }),
  };
  return { experiment, profile: loaded.profile, plan, start, inputs, isSeedDrawn, repeatedVolumes: repeated?.volumes };
}

export interface Beginning extends Loudness {
  /** The last line: where the rest of the plan is. */
  more: string;
  /** The caller shows it later. */
  isLater?: boolean;
}

/** Shows what a run that begins will do: in twelve lines, or all of it, or nothing. */
export function showBeginning(
  run: { plan: Plan; experiment: Experiment; costs: CostEstimate | null },
  { quiet, verbose, more }: Beginning,
  io: Io,
): void {
  if (quiet && run.plan.warnings.length === 0) return;
  io.statusLine?.clear();
  const { errorColumns: columns } = io;
  if (verbose) {
    io.stderr.write(`${renderPlan(run.plan, run.costs, { columns })}\n`);
    return;
  }
  const isTerminal = io.statusLine !== null;
  if (!quiet)
    io.stderr.write(`${renderBeginning(run, isTerminal ? more : '', { columns })}\n${isTerminal ? '\n' : ''}`);
  for (const { message } of run.plan.warnings) say(`warning: ${message}`, io);
}

/** If the number of transactions is fixed, anyone who sees when a trial begins and ends can work out its throughput. */
function requireTimed({ workload }: Experiment): void {
  if (toolOf(workload).shape(workload).limit === 'time') return;
  throw new UserError(
    '--blind: with a fixed number of transactions, trial times would reveal throughput. Set workload.durationSeconds instead of workload.transactions, or omit --blind.',
  );
}

/** Draws the seed of a run. A resumed run keeps the one that was drawn at its start. */
export function seedDrawer({ out, resume }: { out: string; resume?: true }, io: Io) {
  return (experiment: WrittenExperiment, profile: string): number => {
    const earlier = resume ? recordToResume(resultsFolder(out, experiment.name, io), { experiment, profile }) : null;
    return earlier?.experiment.seed ?? randomSeed();
  };
}

/** How a command reports problems while it saves a run. */
export function savingBy(io: Io): Omit<SavingOptions, 'signal'> {
  return { ...localClock, warn: (text) => say(text, io) };
}

import { warningsOf } from '../../contract/warnings.ts';
import { UserError } from '../../contract/errors.ts';
import type { QuietMachine } from '../../contract/quiet-machine.ts';
import type { Experiment, WrittenExperiment } from '../../contract/experiment/schema.ts';
import type { FoundExperiment } from '../../experiment/file/find.ts';
import {
  foldersProfile,
  loadInParts,
  type LoadedExperiment,
  localProfile,
  randomSeed,
} from '../../experiment/file/load.ts';
import { onServers } from '../../experiment/file/on-servers.ts';
import type { Obstacle, VolumesChoice } from '../../places/local/volumes/choose-volumes.ts';
import { placeHere, placeOf } from '../../places/registry.ts';
import { type Io, say } from '../io.ts';

export interface LoadedToRun extends LoadedExperiment {
  /** Whether this machine starts it, with its own servers or with those that it finds. Otherwise, it is deployed. */
  isHere: boolean;
}

interface HowToRun {
  /** @default only if it can run nowhere else */
  local?: true | undefined;
  /** @default that of the repeated run; here, `local` if the file has it; otherwise the file as it is */
  profile?: string | undefined;
  seed?: number | undefined;
  /** @default that of the file */
  quietMachine?: QuietMachine | undefined;
  /** Services of existing servers. @default the experiment's own servers */
  servers?: readonly string[] | undefined;
  /** @default those of the repeated run, otherwise auto */
  volumes?: VolumesChoice | undefined;
  /** Folders in which the experiment may name any file. @default none */
  filesIn?: readonly string[] | undefined;
  drawSeed?: (experiment: WrittenExperiment, profile: string) => number;
  /** Whether to install what limited volumes need, as a run does. Otherwise, the answer is that of a run that does. */
  mayInstall: boolean;
}

/**
 * Loads an experiment as a run of it would be: this alone decides where that is, and which profile it has. If the user
 * names no profile, and this machine cannot limit volumes, a run here asks what plain folders can answer.
 *
 * @throws {UserError} if it is to run here, and cannot
 */
export async function loadToRun(named: string | FoundExperiment, how: HowToRun, io: Io): Promise<LoadedToRun> {
  const loaded = await loadWhereItRuns(named, how, io);
  if (!loaded.isHere) return loaded;
  const { variants } = loaded.experiment;
  const { environment, signal } = io;
  const unknown = (await placeOf({ variants }).unknownServices?.(variants, { environment, signal })) ?? [];
  const words = unknown.map(
    (service) =>
      `libpq cannot use the service ${service}: ~/.pg_service.conf does not contain it, or contains a mistake. To see which: psql service=${service}`,
  );
  return { ...loaded, warnings: [...loaded.warnings, ...warningsOf('unknown-service', words)] };
}

async function loadWhereItRuns(
  named: string | FoundExperiment,
  { local, profile, seed, quietMachine, servers, volumes, filesIn, drawSeed = randomSeed, mayInstall }: HowToRun,
  io: Io,
): Promise<LoadedToRun> {
  const options = { folder: io.workingFolder, seed, quietMachine, volumes, filesIn, drawSeed };
  const load = (name: string | undefined, from = named): Promise<LoadedExperiment> =>
    loadInParts(from, { ...options, profile: name }, io.signal);
  const asNamed = await load(profile);
  const isHere = local === true || servers !== undefined || placeOf(asNamed.experiment).opener !== null;
  if (!isHere) return { ...asNamed, isHere };
  const isChosen = profile !== undefined || asNamed.repeated !== undefined;
  const usual = !isChosen && asNamed.profiles.includes(localProfile) ? await load(localProfile) : asNamed;
  if (servers) {
    const text = onServers(usual.inProfiles.get(usual.profile) ?? usual.experiment, usual.profile, servers);
    return { ...(await load(usual.profile, { file: usual.path, text })), isHere };
  }
  placeHere(usual.experiment);
  const mayAskAnother = !isChosen && usual.profiles.includes(foldersProfile);
  const obstacle = mayAskAnother ? await obstacleTo(volumes, mayInstall, io) : null;
  if (obstacle === null) return { ...usual, isHere };
  const instead = await load(foldersProfile);
  const note = otherQuestion(usual.experiment, instead.experiment, obstacle);
  // Here it comes before the plan. In the plan, it stays with the result.
  say(`${note}\n`, io);
  return { ...instead, isHere, warnings: [...instead.warnings, ...warningsOf('another-question', [note])] };
}

/** Why a run with these volumes cannot limit them; null if it can. */
async function obstacleTo(volumes: VolumesChoice | undefined, mayInstall: boolean, io: Io): Promise<Obstacle | null> {
  if (volumes === 'limited') return null;
  if (volumes === 'folders') return { reason: 'this run has --volumes folders', remedy: 'Omit that option' };
  const { findLimitsObstacle } = await import('../../places/local/open.ts');
  return findLimitsObstacle({ mayInstall, say: (line) => say(line, io), signal: io.signal });
}

/** Which question the run asks because this machine cannot limit volumes, which it does not, and what that would take. */
function otherQuestion(asWritten: Experiment, asked: Experiment, { reason, remedy }: Obstacle): string {
  return `${asked.name} runs with profile ${foldersProfile}, for plain folders: “${asked.question}” Its main question, “${asWritten.question}”, needs IOPS-limited volumes, but ${reason}. ${remedy} to ask it.`;
}

/**
 * Options that only a deployed experiment understands.
 *
 * @throws {UserError} naming one that was given for this machine
 */
export function refuseDeployOptions(options: { owner?: string | undefined; region?: string | undefined }): void {
  const option = (['owner', 'region'] as const).find((name) => options[name] !== undefined);
  if (option === undefined) return;
  throw new UserError(`--${option} needs a deployed experiment. Name one, or a deployed profile, or omit the option.`);
}

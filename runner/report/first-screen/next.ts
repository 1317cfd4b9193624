import { awaitsResume } from '../../analysis/claims.ts';
import { maxBlocks } from '../../analysis/blocks-needed.ts';
import { checkById } from '../../analysis/validity/registry.ts';
import type { Comparison } from '../../contract/comparison.ts';
import { withoutStop } from '../../contract/errors.ts';
import { hasLogVolume } from '../../contract/log-volume.ts';
import type { Meaning } from '../../contract/meaning.ts';
import { ownCommand } from '../../contract/own-command.ts';
import type { Result } from '../../contract/result.ts';
import { levelKey } from '../../contract/trial.ts';
import { withheldMeanings } from '../../contract/withheld.ts';
import { placeNamed } from '../../places/registry.ts';
import { isRemote } from '../../storage/run-store.ts';
import type { Reported } from '../reported.ts';
import { isExplained } from '../sections/worse.ts';
import { repeatCommand, resumeCommand, shellWord } from '../sections/repeat.ts';

/** What to do now: one command, and what it is for. */
export interface Next {
  /** Without a stop at its end; empty if the command says it. */
  words: string;
  /** Empty if it depends on how the run was started. */
  command: string;
}

/** The commands of a run, as they are typed where it was started. */
export interface CommandsOfRun {
  /** How commands name the run. */
  location: string;
  resume: string;
  repeat: string;
}

/** @param answered what to do if nothing is open */
export function nextOf(result: Result, commands: CommandsOfRun, answered: Next): Next {
  const { resume, repeat } = commands;
  const { isDeployed } = placeNamed(result.place.kind);
  const primary = result.comparisons.filter((one) => one.primary);
  if (awaitsResume(result)) {
    return isDeployed
      ? { words: 'The run is not complete. Measure the rest with the same command and --resume', command: '' }
      : { words: 'Measure what is left', command: resume };
  }
  // More blocks beside them would settle nothing.
  if (primary.some(isExplained)) return { words: 'Rerun once the other programs have ended', command: repeat };
  const open = primary.filter(({ verdict }) => verdict === 'inconclusive');
  if (open.length > 0) return openNext(open, result, commands);
  const withheld = primary.find(({ verdict }) => verdict === null || verdict === 'descriptive');
  return withheld ? remedyNext(withheld, result, commands) : (nextDeployed(result) ?? answered);
}

/** What more blocks would take, if so many are worth a run. */
function openNext(open: readonly Comparison[], result: Result, commands: CommandsOfRun): Next {
  const { isDeployed, isFound = false } = placeNamed(result.place.kind);
  if (open.every(({ blocksToSettle = 0 }) => blocksToSettle > maxBlocks)) {
    const remedy = 'More blocks are not worth it. Make the trials longer, or raise decision.practicalThreshold.';
    return editNext(remedy, result, commands);
  }
  const run = shellWord(commands.location);
  // A pilot is a folder here.
  if (isRemote(commands.location)) {
    return { words: 'Fetch the run, a pilot for one with more blocks', command: `${ownCommand} report ${run}` };
  }
  const where = isFound || isDeployed ? '' : ' --local';
  return {
    words: 'Plan more blocks, with this run as a pilot',
    command: `${ownCommand} plan ${run}${where} --pilot ${run}`,
  };
}

/** The remedy of what allowed no verdict, and the command that it begins with or ends with. */
function remedyNext({ withheld, change }: Comparison, result: Result, commands: CommandsOfRun): Next {
  const { repeat: command } = commands;
  if (change === null) return { words: 'Find out why no block has valid values on both sides, then rerun', command };
  const reasons: Readonly<Record<string, Meaning>> = withheldMeanings;
  const [found] = withheld.flatMap(({ id }) => checkById(id) ?? reasons[id] ?? []);
  if (!found) return { words: 'Rerun', command };
  const { remedy, needsEdit = false } = found;
  return needsEdit ? editNext(remedy, result, commands) : { words: withoutStop(remedy), command };
}

/** A deploy reads the file of the experiment, a repeat that of its run. */
function editNext(remedy: string, { experiment, place }: Result, { location, repeat }: CommandsOfRun): Next {
  if (placeNamed(place.kind).isDeployed) return { words: `${remedy} Then deploy again`, command: repeat };
  const name = shellWord(`${experiment.name}-2`);
  return {
    words: `${remedy} Begin with a copy of the experiment`,
    command: `${ownCommand} init ${name} --from ${shellWord(location)}`,
  };
}

/** Experiments that pgduet brings, and that ask on RDS what a log volume does: with one load, and with several. */
const logVolumeExperiments = { one: 'dlv-pgbench', several: 'dlv-ladder' } as const;

/** The same question on RDS, if a run on this machine asked what only a deployment can answer; otherwise null. */
function nextDeployed({ experiment, place, comparisons }: Result): Next | null {
  const { isDeployed, isFound = false } = placeNamed(place.kind);
  const withLogVolume = new Set(Object.values(experiment.definition.variants).map(hasLogVolume));
  if (isDeployed || isFound || withLogVolume.size < 2) return null;
  const levels = new Set(comparisons.map(({ conditions }) => levelKey(conditions)));
  const name = logVolumeExperiments[levels.size > 1 ? 'several' : 'one'];
  return { words: 'See time and price on RDS', command: `${ownCommand} plan ${name}` };
}

/** The same for a page, which may be read long after the run; null while the run is under way. */
export function nextOnPage({
  result,
  kept,
  isUnderWay,
}: Pick<Reported, 'result' | 'kept' | 'isUnderWay'>): Next | null {
  if (isUnderWay) return null;
  const { location } = kept;
  const resume = resumeCommand(result, kept);
  const repeat = repeatCommand(result, kept);
  const words = 'Run it again: a rerun may differ more than these blocks do';
  return nextOf(result, { location, resume, repeat }, { words, command: repeat });
}

import { awaitsResume } from '../../analysis/claims.ts';
import { withoutStop } from '../../contract/errors.ts';
import { ownCommand } from '../../contract/own-command.ts';
import type { Result } from '../../contract/result.ts';
import { placeNamed } from '../../places/registry.ts';
import { remedyFor } from '../answer/statement.ts';
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
export function nextOf(result: Result, { location, resume, repeat }: CommandsOfRun, answered: Next): Next {
  const { isDeployed, isFound = false } = placeNamed(result.place.kind);
  const primary = result.comparisons.filter((one) => one.primary);
  if (awaitsResume(result)) {
    return isDeployed
      ? { words: 'The run is not complete. Measure the rest with the same command and --resume', command: '' }
      : { words: 'Measure what is left', command: resume };
  }
  // More blocks beside them would settle nothing.
  if (primary.some(isExplained)) return { words: 'Measure again once the other programs have ended', command: repeat };
  if (primary.some(({ verdict }) => verdict === 'inconclusive')) {
    const run = shellWord(location);
    const where = isFound || isDeployed ? '' : ' --local';
    return {
      words: 'See how many blocks would settle it',
      command: `${ownCommand} plan ${run}${where} --pilot ${run}`,
    };
  }
  const withheld = primary.find(({ verdict }) => verdict === null || verdict === 'descriptive');
  return withheld ? { words: withoutStop(remedyFor(withheld)) || 'Measure again', command: repeat } : answered;
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
  const words = 'Run it again: another run may differ by more than the blocks of this one';
  return nextOf(result, { location, resume, repeat }, { words, command: repeat });
}

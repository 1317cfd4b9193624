import { awaitsResume } from '../../analysis/claims.ts';
import { ownCommand } from '../../contract/own-command.ts';
import { placeNamed } from '../../places/registry.ts';
import { remedyFor } from '../answer/statement.ts';
import type { Reported } from '../reported.ts';
import { loadRunHere, repeatCommand, shellWord } from '../sections/repeat.ts';

/** What to do now: one command, and a sentence on what it does. */
export interface Next {
  words: string;
  command: string;
}

/** null while the run is under way. */
export function nextOf({ result, kept, isUnderWay }: Pick<Reported, 'result' | 'kept' | 'isUnderWay'>): Next | null {
  if (isUnderWay) return null;
  const { isDeployed, isFound = false } = placeNamed(result.place.kind);
  const primary = result.comparisons.filter((one) => one.primary);
  const repeat = repeatCommand(result, kept);
  if (!isDeployed && awaitsResume(result)) {
    const command = `${loadRunHere(kept.location, { isFound, allowActivity: result.place.allowActivity })} --resume`;
    return { words: 'Measure the trials that are left.', command };
  }
  if (!isDeployed && primary.some(({ verdict }) => verdict === 'inconclusive')) {
    const run = shellWord(kept.location);
    const command = `${ownCommand} plan ${run}${isFound ? '' : ' --local'} --pilot ${run}`;
    return { words: 'See how many blocks would settle it. This command starts nothing.', command };
  }
  const withheld = primary.find(({ verdict, change }) => verdict === null && change !== null);
  if (withheld) return { words: remedyFor(withheld) || 'Measure again.', command: repeat };
  return { words: 'Run it again: another run may differ by more than the blocks of this one.', command: repeat };
}

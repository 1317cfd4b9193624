import { awaitsResume } from '../../analysis/claims.ts';
import { ownCommand } from '../../contract/own-command.ts';
import type { Result } from '../../contract/result.ts';
import { placeNamed } from '../../places/registry.ts';
import { remedyFor } from '../../report/answer/statement.ts';
import { shellWord } from '../../report/sections/repeat.ts';
import { loadRunCommand, type RepeatedOptions } from './load-run-command.ts';

/** What to do when a run has ended: one command, and what it is for. */
export interface Next {
  /** Empty if it depends on how the run was started. */
  command: string;
  /** A phrase or sentence before the command; empty if the command says it. */
  words: string;
}

/** @param location of the run, as commands name it that are typed in the working folder */
export function nextOf(result: Result, location: string, options: Omit<RepeatedOptions, 'isFound'>): Next {
  const { isDeployed, isFound = false, isBilled } = placeNamed(result.place.kind);
  const { name, profile } = result.experiment;
  const repeated = { ...options, isFound };
  const run = shellWord(location);
  const primary = result.comparisons.filter((one) => one.primary);
  const where = isFound || isDeployed ? '' : ' --local';
  if (awaitsResume(result)) {
    return isDeployed
      ? { words: 'The run is not complete. Measure the rest with the same command and --resume.', command: '' }
      : { words: 'measure what is left:', command: loadRunCommand(location, repeated, { isResumed: true }) };
  }
  if (isBilled) {
    const command = `npx cdk destroy -c experiment=${shellWord(name)} -c profile=${shellWord(profile)}`;
    return { words: 'to end what the stack costs, once you need its servers no longer:', command };
  }
  if (primary.some(({ verdict }) => verdict === 'inconclusive')) {
    return { words: 'how many blocks would settle it:', command: `${ownCommand} plan ${run}${where} --pilot ${run}` };
  }
  const withheld = primary.find(({ verdict, change }) => verdict === null && change !== null);
  if (withheld) return { words: remedyFor(withheld) || 'measure again:', command: loadRunCommand(location, repeated) };
  return { words: '', command: `${ownCommand} report ${run} --terminal` };
}

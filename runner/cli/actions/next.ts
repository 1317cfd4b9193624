import { awaitsResume } from '../../analysis/claims.ts';
import { ownCommand } from '../../contract/own-command.ts';
import type { Result } from '../../contract/result.ts';
import { placeNamed } from '../../places/registry.ts';
import { type Next, nextOf } from '../../report/first-screen/next.ts';
import { shellWord } from '../../report/sections/repeat.ts';
import { loadRunCommand, type RepeatedOptions } from './load-run-command.ts';

/**
 * What to do when a run has just ended. Money comes first.
 *
 * @param location of the run, as commands name it that are typed in the working folder
 */
export function nextAfterRun(result: Result, location: string, options: Omit<RepeatedOptions, 'isFound'>): Next {
  const { isFound = false, isBilled } = placeNamed(result.place.kind);
  const { name, profile } = result.experiment;
  if (isBilled && !awaitsResume(result)) {
    const command = `npx cdk destroy -c experiment=${shellWord(name)} -c profile=${shellWord(profile)}`;
    return { words: 'Destroy the stack once you no longer need its servers', command };
  }
  const repeated = { ...options, isFound };
  const commands = {
    location,
    resume: loadRunCommand(location, repeated, { isResumed: true }),
    repeat: loadRunCommand(location, repeated),
  };
  return nextOf(result, commands, { words: '', command: `${ownCommand} report ${shellWord(location)} --terminal` });
}

import { type Code, foreignFiles, foreignWords, isRunFromElsewhere, shownFile } from '../../experiment/trust.ts';
import { type Io, say } from '../io.ts';

/** Whose files an experiment has, for what runs nothing of it, such as a plan; empty if they are the user's own. */
export function foreignNotes(code: Code, { environment }: Pick<Io, 'environment'>): string[] {
  const foreign = foreignFiles(code, environment);
  return foreign.length === 0 ? [] : [`${foreignWords(foreign)} A run asks first.`];
}

/** Says of the folder of a run that somebody else, or another machine, made it. */
export function noteOrigin(folder: string, io: Io): void {
  if (!isRunFromElsewhere(folder, io.environment)) return;
  const note = `You did not measure ${shownFile(folder)} here: nothing shows who did, and a repeat runs the code in it.`;
  say(note, io);
}

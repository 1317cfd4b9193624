import type { QuietMachine } from '../../contract/quiet-machine.ts';
import { loadRunHere, shellWord } from '../../report/sections/repeat.ts';
import { defaultOut } from '../options.ts';

/** Options of a run without which its repeat would be another one. */
export interface RepeatedOptions {
  /** @default results */
  out?: string;
  quietMachine?: QuietMachine;
  allowActivity?: true;
  pgBindir?: readonly string[];
  filesIn?: readonly string[];
  /** Whether its servers exist, so that the run is not of this machine. */
  isFound?: boolean;
}

/** The command that repeats a run or measures the rest of one that was cut off, with the options on which that depends. */
export function loadRunCommand(
  location: string,
  { out = defaultOut, quietMachine, allowActivity, pgBindir = [], filesIn = [], isFound = false }: RepeatedOptions,
  { isResumed }: { isResumed: boolean } = { isResumed: false },
): string {
  const options = { ...(out !== defaultOut && { out }), ...(quietMachine && { 'quiet-machine': quietMachine }) };
  return [
    loadRunHere(location, { isFound, allowActivity }),
    ...(isResumed ? ['--resume'] : []),
    ...Object.entries(options).map(([name, value]) => `--${name} ${shellWord(value)}`),
    ...pgBindir.map((folder) => `--pg-bindir ${shellWord(folder)}`),
    ...filesIn.map((folder) => `--files-in ${shellWord(folder)}`),
  ].join(' ');
}

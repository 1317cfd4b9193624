import { pauseSeconds } from '../../run/pause.ts';
import type { SavingOptions } from '../../run/deployed/ended-run.ts';
import { wrapLines } from '../../report/terminal/wrap.ts';
import type { Io } from '../io.ts';

/** How a command says what goes wrong while it saves a run. */
export function savingBy(io: Io): Omit<SavingOptions, 'signal'> {
  return {
    warn: (text) => void io.stderr.write(`${wrapLines(text, io.columns)}\n`),
    now: () => new Date(),
    pause: pauseSeconds,
  };
}

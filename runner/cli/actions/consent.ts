import { createInterface } from 'node:readline/promises';
import { UserError } from '../../contract/errors.ts';
import { type Warning, warningsOf } from '../../contract/warnings.ts';
import {
  type Code,
  codeHash,
  type ForeignFile,
  foreignFiles,
  shownFile,
  trustRefusal,
} from '../../experiment/trust.ts';
import { ownMark } from '../../files/own-mark.ts';
import { hanging } from '../../report/media/wrap.ts';
import type { RunInputs } from '../../run/inputs.ts';
import { hashLargeFiles } from '../../workloads/loaded-with.ts';
import { type Io, say } from '../io.ts';
import { foreignNotes } from './foreign-words.ts';

/** What a run must find unchanged, and how it marks what it was made from. */
export type Consent = Pick<RunInputs, 'agreed' | 'markOf'>;

/**
 * Lets code of somebody else run only after a word for exactly this code: an answer at the terminal, or its hash. One's own
 * code needs none.
 *
 * @param options.trust the hash, from an earlier refusal
 * @param options.dryRun nothing will run
 * @param options.warnings receives whose code it is, if nothing will run
 * @throws {UserError} naming the files and the hash, if there is no such word
 */
export async function consentTo(
  code: Code,
  { trust, dryRun, warnings }: { trust?: string; dryRun?: true; warnings: Warning[] },
  io: Io,
): Promise<Consent> {
  if (dryRun) {
    warnings.push(...warningsOf('code-of-others', foreignNotes(code, io)));
    return {};
  }
  const markOf = (text: string): Promise<string | null> => ownMark(text, io.environment);
  const foreign = foreignFiles(code, io.environment);
  if (foreign.length === 0) return { markOf };
  const agreed = await hashLargeFiles(code.names, code.folder, io.signal);
  const hash = codeHash(code.text, agreed);
  if (trust === undefined && io.canAnswer) await ask(foreign, io);
  else if (trust !== hash) throw trustRefusal(foreign, { hash, answered: trust, word: '--trust ' });
  return { markOf, agreed };
}

async function ask(foreign: readonly ForeignFile[], io: Io): Promise<void> {
  io.statusLine?.clear();
  say('Not all of this experiment is yours:', io);
  for (const { file, why } of foreign) {
    io.stderr.write(`${hanging('  ', `${shownFile(file)} ${why}`, io.errorColumns).join('\n')}\n`);
  }
  say('Its scripts, dumps, archives and parameters can run any program. Read them first.', io);
  io.stderr.write('Run it? [y/N] ');
  if (/^y(es)?$/i.test((await answerOf(io)).trim())) return;
  throw new UserError('Nothing was run.');
}

/** The next line that somebody types; empty if there is none. */
async function answerOf({ stdin, signal }: Io): Promise<string> {
  signal.throwIfAborted();
  const lines = createInterface({ input: stdin, terminal: false });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve).once('close', () => resolve(''));
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  } finally {
    lines.close();
  }
}

import { createHash } from 'node:crypto';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { wordsOf, UserError } from '../contract/errors.ts';
import { type LedgerEntry, ledgerEntrySchema } from '../contract/start.ts';
import { stateFolder } from '../files/own-mark.ts';
import { readTextIfThere } from '../files/read.ts';
import { makeSafeFolder, writeFileIn } from '../files/write.ts';
import { type Lock, takeLock } from '../process/lock.ts';

/**
 * The starts of a question: an append-only file in which each line has the hash of the line before. It is kept beside
 * the results, and once more for the user, so that removing the results does not forget the starts.
 */
export interface LedgerFiles {
  /** Path beside the results. */
  own: string;
  /** Path of the copy of this user; null if nothing says where the user keeps such files. */
  copy: string | null;
  /** What the question asks: a list that was opened for anything else is not one of its lists. */
  asks: string;
}

export interface Ledger {
  entries: LedgerEntry[];
  /** As they are in the file. */
  lines: string[];
  /** SHA-256 of each line. */
  hashes: string[];
  /** What a reader must know: lines that do not count, or copies that differ. */
  notes: string[];
}

type Unchained<Entry> = Entry extends LedgerEntry ? Omit<Entry, 'previous'> : never;

/** An entry before it is chained to the others. */
export type NewEntry = Unchained<LedgerEntry>;

/**
 * @param results folder of all runs of an experiment
 * @param environment of the user, which says where the state folder is
 */
export function ledgerFiles(
  results: string,
  { id, asks }: { id: string; asks: string },
  environment: Readonly<Record<string, string | undefined>>,
): LedgerFiles {
  const state = stateFolder(environment);
  const name = `starts-${id}.jsonl`;
  return { own: path.join(results, name), copy: state === null ? null : path.join(state, name), asks };
}

/**
 * Both copies are read. Usually one is the beginning of the other, and the longer one counts: whoever removes lines of
 * one has not removed them from the other. If each has lines that the other has not, the starts of both count.
 */
export function readLedger({ own, copy, asks }: LedgerFiles): Ledger {
  const [here, other] = [readChain(own, asks), copy === null ? null : readChain(copy, asks)];
  if (!other || copy === null) return here;
  const [longer, shorter] = other.hashes.length > here.hashes.length ? [other, here] : [here, other];
  const [of, than] = longer === other ? [copy, own] : [own, copy];
  const fork = shorter.hashes.findIndex((hash, index) => longer.hashes[index] !== hash);
  const words =
    fork < 0 ? differWords(of, than, shorter) : `${of} and ${than} list different runs of this question. All count.`;
  const notes = fork < 0 && shorter.hashes.length === longer.hashes.length ? [] : [words];
  const both = fork < 0 ? longer : joined(longer, shorter.entries.slice(fork));
  return { ...both, notes: [...here.notes, ...other.notes, ...notes] };
}

function differWords(longer: string, shorter: string, { hashes }: Ledger): string {
  return hashes.length === 0
    ? `Only ${longer} lists earlier runs of this question, and ${shorter} has none.`
    : `${shorter} lists fewer runs of this question than ${longer}. The longer list counts.`;
}

/** Chains the entries of another list to a list. The starts that they open come after those that it has. */
function joined(list: Ledger, others: readonly LedgerEntry[]): Ledger {
  const last = Math.max(0, ...list.entries.map(({ start }) => start));
  const opened = others.filter(({ kind }) => kind === 'opened').map(({ start }) => start);
  return others.reduce<Ledger>((all, entry) => {
    const index = opened.indexOf(entry.start);
    const start = index < 0 ? entry.start : last + index + 1;
    return chained(all, JSON.stringify({ ...entry, previous: all.hashes.at(-1) ?? null, start }));
  }, list);
}

function chained(list: Ledger, line: string): Ledger {
  const entry = parseLine(line);
  if (entry?.previous !== (list.hashes.at(-1) ?? null)) return list;
  return {
    ...list,
    entries: [...list.entries, entry],
    lines: [...list.lines, line],
    hashes: [...list.hashes, hashOf(line)],
  };
}

const maxBytes = 64 * 2 ** 20;

/**
 * Lines count as far as each is chained to the one before. What cannot be read, or belongs to another question, is as
 * if it were not there.
 */
function readChain(file: string, asks: string): Ledger {
  const found: Ledger = { entries: [], lines: [], hashes: [], notes: [] };
  let text: string;
  try {
    text = readTextIfThere(file, { max: maxBytes, links: 'refused' }) ?? '';
  } catch (error) {
    return { ...found, notes: [`Could not read ${file}: ${wordsOf(error)}`] };
  }
  const lines = text.split('\n').filter((line) => line !== '');
  for (const line of lines) {
    const entry = parseLine(line);
    if (entry?.previous !== (found.hashes.at(-1) ?? null)) break;
    found.entries.push(entry);
    found.lines.push(line);
    found.hashes.push(hashOf(line));
  }
  if (found.entries.some((entry) => entry.kind === 'opened' && entry.asks !== asks)) {
    return {
      entries: [],
      lines: [],
      hashes: [],
      notes: [`${file} is ignored: it lists runs of another question.`],
    };
  }
  const lost = lines.length - found.entries.length;
  if (lost === 0) return found;
  const words = lost === 1 && !text.endsWith('\n') ? 'its last line is truncated' : 'it was damaged or changed';
  return { ...found, notes: [`${file}: ${lost} of ${lines.length} lines are ignored, because ${words}.`] };
}

function parseLine(line: string): LedgerEntry | null {
  try {
    return ledgerEntrySchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}

function hashOf(line: string): string {
  return createHash('sha256').update(line).digest('hex');
}

/**
 * Adds an entry to what both copies have by now, and writes both.
 *
 * @param accept looks at the ledger before the entry is added, while nobody else may add any; it may throw
 * @returns the hash of the new line, and why a copy could not be written
 * @throws {UserError} if neither copy could be written
 */
export async function appendTo(
  files: LedgerFiles,
  entry: NewEntry,
  accept: (ledger: Ledger) => void = () => undefined,
): Promise<{ hash: string; problems: string[] }> {
  const problems: string[] = [];
  const lock =
    files.copy === null ? null : await lockOf(files.copy).catch((error: unknown) => void problems.push(wordsOf(error)));
  try {
    const ledger = readLedger(files);
    accept(ledger);
    const line = JSON.stringify({ previous: ledger.hashes.at(-1) ?? null, ...entry });
    const text = [...ledger.lines, line].map((one) => `${one}\n`).join('');
    const places = [files.own, ...(files.copy !== null && lock ? [files.copy] : [])];
    let written = 0;
    for (const file of places) {
      await writeFileIn(path.dirname(file), path.basename(file), text).then(
        () => written++,
        (error: unknown) => problems.push(wordsOf(error)),
      );
    }
    if (written === 0) throw new UserError(`The list of runs cannot be written. ${problems.join(' ')}`);
    return { hash: hashOf(line), problems };
  } finally {
    lock?.release();
  }
}

/** Ten seconds: on a machine that does much else, one that holds it may wait long for a processor. */
const triesForLock = 500;

/** Other experiments of this user may ask the same at the same time; each holds the lock for a moment. */
async function lockOf(copy: string): Promise<Lock> {
  makeSafeFolder(path.dirname(copy), 'set XDG_STATE_HOME to another folder');
  for (let tries = 1; ; tries++) {
    try {
      return takeLock(`${copy}.lock`, `The list of starts ${copy}`);
    } catch (error) {
      if (tries === triesForLock) throw error;
      await pause(20);
    }
  }
}

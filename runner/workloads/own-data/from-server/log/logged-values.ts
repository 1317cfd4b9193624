import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { wordsOf, UserError } from '../../../../contract/errors.ts';
import { sizeOf } from '../../../../files/look.ts';
import type { Parsed } from '../parse.ts';
import type { CountedStatement } from '../read-statements.ts';
import { stringConstant } from '../values.ts';
import { callIn, type LoggedCall } from './calls.ts';
import { readLog } from './entries.ts';
import { type Slot, type Slots, slotsOf } from './slots.ts';

/** What a log has of a statement. */
export interface LoggedValues {
  /** How often the log has it. */
  calls: number;
  /** The values of some of its calls, drawn at random: at most a hundred. */
  sample: CallValues[];
}

/** A value for each parameter of a statement, by its number. */
export type CallValues = ReadonlyMap<number, LoggedValue>;

/** SQL of a constant, or the text of a value that was sent apart from its statement. */
export type LoggedValue = { sql: string } | { text: string | null };

/** A script with more of them would be long, and not much more varied. */
const maxSample = 100;

/**
 * Finds the calls of statements in logs of their server.
 *
 * @param files by path, from the folder of the process
 * @param options.database whose entries are read, where a log says which is which
 * @param options.onProgress gets the part of all bytes that was read, from 0 to 1
 * @returns what the logs have of each statement; those that they do not have are absent
 * @throws {UserError} if a file cannot be read, or if there are no calls in it
 */
export async function readLoggedValues(
  files: readonly string[],
  counted: readonly CountedStatement[],
  options: {
    database: string;
    parse: (text: string) => Parsed;
    signal: AbortSignal;
    onProgress?: ((part: number) => void) | undefined;
  },
): Promise<Map<CountedStatement, LoggedValues>> {
  const { database, parse, signal, onProgress } = options;
  const found = new Map<CountedStatement, LoggedValues>();
  const slotsIn = (text: string): Slots | null => {
    const parsed = parse(text);
    return parsed.kind === 'statement' ? slotsOf(parsed) : null;
  };
  const known = byKey(counted, slotsIn);
  const random = xoroshiro128plus(1);
  const sizes = files.map(bytesOf);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  let read = 0;
  for (const file of files) {
    let calls = 0;
    try {
      for await (const entry of readLog(file, (bytes) => onProgress?.((read += bytes) / total))) {
        signal.throwIfAborted();
        const call = callIn(entry);
        if (!call) continue;
        calls += 1;
        if (entry.database !== null && entry.database !== database) continue;
        const called = slotsIn(call.text);
        for (const { statement, slots } of known.get(called?.key ?? '') ?? []) {
          const values = valuesOf(slots, called?.slots ?? [], call);
          const one = found.get(statement) ?? { calls: 0, sample: [] };
          if (values) found.set(statement, withCall(one, values, random));
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      throw new UserError(`--log ${file}: ${wordsOf(error)}`, { cause: error });
    }
    if (calls === 0) {
      throw new UserError(
        `--log ${file} has no statements. pgduet reads logs of PostgreSQL as text, .csv or .json, in English. Set log_min_duration_statement = 0 for a while, or log_min_duration_sample = 0 with log_statement_sample_rate.`,
      );
    }
  }
  return found;
}

/** Statements with the same key differ in constants that they keep. */
function byKey(
  counted: readonly CountedStatement[],
  slotsIn: (text: string) => Slots | null,
): Map<string, { statement: CountedStatement; slots: Slot[] }[]> {
  const known: ReturnType<typeof byKey> = new Map();
  for (const statement of counted) {
    const found = statement.text === null ? null : slotsIn(statement.text);
    if (found) known.set(found.key, [...(known.get(found.key) ?? []), { statement, slots: found.slots }]);
  }
  return known;
}

/** Counts a call. Each is as likely as any other to be in the sample. */
function withCall({ calls, sample }: LoggedValues, values: CallValues, random: RandomGenerator): LoggedValues {
  const place = calls < maxSample ? calls : uniformInt(random, 0, calls);
  if (place < maxSample) sample[place] = values;
  return { calls: calls + 1, sample };
}

function bytesOf(file: string): number {
  try {
    return sizeOf(file);
  } catch (error) {
    throw new UserError(`--log ${file}: ${wordsOf(error)}`, { cause: error });
  }
}

/** The values of a call for a statement with the same key; null if a constant that the statement keeps is another one. */
function valuesOf(own: readonly Slot[], called: readonly Slot[], { parameters }: LoggedCall): CallValues | null {
  const values = new Map<number, LoggedValue>();
  for (const [index, slot] of own.entries()) {
    const other = called[index];
    if (!other) return null;
    if (slot.kind === 'constant') {
      if (other.kind !== 'constant' || other.sql !== slot.sql) return null;
    } else if (other.kind === 'constant') values.set(slot.number, { sql: other.sql });
    else {
      const text = parameters.get(other.number);
      if (text === undefined) return null;
      values.set(slot.number, { text });
    }
  }
  return values;
}

/**
 * SQL of a value.
 *
 * @param type of its parameter, as the server sees it
 */
export function sqlOf(value: LoggedValue, type: string): string {
  if ('sql' in value) return value.sql;
  return `${value.text === null ? 'NULL' : stringConstant(value.text)}::${type}`;
}

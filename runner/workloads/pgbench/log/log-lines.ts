import { pipeline, type Readable } from 'node:stream';
import { createGunzip, Gunzip } from 'node:zlib';
import { UserError, whyFailed } from '../../../contract/errors.ts';
import { sizeOf } from '../../../files/look.ts';
import { readStream } from '../../../files/read.ts';

/** More fields than any pgbench log has. Further fields of a line are counted, but not read. */
const maxFields = 17;
/** More than the longest line of any pgbench log. A longer line is refused. */
const longestLineBytes = 4096;

const newline = 10;
const carriageReturn = 13;
const space = 32;
const zero = 48;
const nine = 57;

/** One line of fields that are separated by single spaces. All lines come in the same object. */
export interface LogLine {
  path: string;
  /** The first line has number 1. */
  number: number;
  count: number;
  /** Values of the fields: unsigned integers, or NaN for any other field. */
  values: Float64Array;
  /** Number of fields that are not integers. */
  words: number;
  /** Text of the whole line, for the rare cases that need it. */
  text(): string;
}

/**
 * Reads a log, gzipped or not, line by line, without a string for each line.
 *
 * @returns text of an incomplete last line, which `onLine` does not get; null if the file ends with a complete line
 * @throws {UserError} if the file cannot be read; the signal's reason if it aborted
 */
export async function readLogLines(
  path: string,
  onLine: (line: LogLine) => void,
  signal?: AbortSignal,
): Promise<string | null> {
  const reader = new LineReader(path, onLine);
  try {
    const log = openLog(path);
    for await (const chunk of log) {
      signal?.throwIfAborted();
      reader.read(chunk as Buffer);
    }
    if (log instanceof Gunzip) refuseFurtherBytes(path, log);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof UserError || !(error instanceof Error) || !('code' in error)) throw error;
    throw new UserError(`${path} cannot be read: ${whyFailed(error)}. Pass complete pgbench -l logs.`, {
      cause: error,
    });
  }
  return reader.rest();
}

/** zlib silently leaves out zeros that follow the compressed data. */
function refuseFurtherBytes(path: string, { bytesWritten }: Gunzip): void {
  const further = sizeOf(path) - bytesWritten;
  if (further > 0)
    throw new UserError(`${path} has ${further} bytes that are not gzipped. Pass complete pgbench -l logs.`);
}

function openLog(path: string): Readable {
  const file = readStream(path, { chunkBytes: 2 ** 18 });
  // The pipeline passes errors of both streams to its last stream, which the reader reads.
  return path.endsWith('.gz') ? pipeline(file, createGunzip({ chunkSize: 2 ** 18 }), () => undefined) : file;
}

class LineReader {
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;
  #line: LogLine;
  #onLine: (line: LogLine) => void;

  constructor(path: string, onLine: (line: LogLine) => void) {
    this.#onLine = onLine;
    this.#line = {
      path,
      number: 0,
      count: 0,
      values: new Float64Array(maxFields),
      words: 0,
      text: () => this.#bytes.toString('latin1', this.#start, this.#end),
    };
  }

  read(chunk: Buffer): void {
    this.#bytes = this.#start < this.#bytes.length ? Buffer.concat([this.#bytes.subarray(this.#start), chunk]) : chunk;
    this.#start = 0;
    this.#readWholeLines();
    if (this.#bytes.length - this.#start > longestLineBytes) {
      throw new UserError(
        `${this.#line.path}:${this.#line.number + 1} is longer than any line of a pgbench log. Pass the logs of pgbench -l.`,
      );
    }
  }

  rest(): string | null {
    return this.#start < this.#bytes.length ? this.#bytes.toString('latin1', this.#start) : null;
  }

  #readWholeLines(): void {
    const bytes = this.#bytes;
    const line = this.#line;
    const { values } = line;
    let value = 0;
    let digits = 0;
    let field = 0;
    let words = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte >= zero && byte <= nine) {
        value = value * 10 + (byte - zero);
        digits += 1;
        continue;
      }
      // On Windows, lines end so. What is behind the last byte is not read yet, and then the line is read again.
      if (byte === carriageReturn && (at + 1 === bytes.length || bytes[at + 1] === newline)) continue;
      if (byte !== space && byte !== newline) {
        value = NaN;
        continue;
      }
      if (digits === 0) value = NaN;
      if (value !== value) words += 1;
      if (field < maxFields) values[field] = value;
      field += 1;
      value = 0;
      digits = 0;
      if (byte === space) continue;
      line.number += 1;
      line.count = field;
      line.words = words;
      this.#end = at;
      this.#onLine(line);
      this.#start = at + 1;
      field = 0;
      words = 0;
    }
  }
}

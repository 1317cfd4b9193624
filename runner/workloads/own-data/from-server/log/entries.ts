import { createInterface } from 'node:readline';
import { parse as parseCsv } from 'csv-parse';
import * as z from 'zod';
import { readStream } from '../../../../files/read.ts';

/** An entry of a server's log. */
export interface LogEntry {
  /** null if the format does not say it. */
  database: string | null;
  text: string;
  /** Empty if there is none. */
  detail: string;
}

/**
 * Reads a log of PostgreSQL: `.csv` (csvlog), `.json` (jsonlog), or else text (stderr).
 *
 * @param onBytes gets how many bytes were read since it was called last
 * @throws an error of the file system, or of csv-parse
 */
export async function* readLog(file: string, onBytes: (bytes: number) => void): AsyncGenerator<LogEntry> {
  const stream = readStream(file);
  stream.on('data', ({ length }: Buffer) => onBytes(length));
  if (file.endsWith('.csv')) yield* csvEntries(stream);
  else {
    const lines = createInterface({ input: stream, crlfDelay: Infinity });
    yield* file.endsWith('.json') ? jsonEntries(lines) : textEntries(lines);
  }
}

/** Columns of a csvlog: https://www.postgresql.org/docs/current/runtime-config-logging.html#RUNTIME-CONFIG-LOGGING-CSVLOG */
const csvColumns = { database: 2, text: 13, detail: 14 };

async function* csvEntries(stream: NodeJS.ReadableStream): AsyncGenerator<LogEntry> {
  // The last line may be cut off.
  const options = { relax_column_count: true, skip_records_with_error: true };
  for await (const record of stream.pipe(parseCsv(options)) as AsyncIterable<string[]>) {
    const at = (column: number): string => record[column] ?? '';
    yield { database: at(csvColumns.database) || null, text: at(csvColumns.text), detail: at(csvColumns.detail) };
  }
}

const jsonEntry = z.object({ dbname: z.string().optional(), message: z.string(), detail: z.string().optional() });

async function* jsonEntries(lines: AsyncIterable<string>): AsyncGenerator<LogEntry> {
  for await (const line of lines) {
    const found = inJson(line);
    if (found) yield { database: found.dbname ?? null, text: found.message, detail: found.detail ?? '' };
  }
}

/** null for a line that is cut off, such as the last one. */
function inJson(line: string): z.output<typeof jsonEntry> | null {
  try {
    return jsonEntry.parse(JSON.parse(line));
  } catch {
    return null;
  }
}

/** What follows the prefix of a line. Lines that begin with a tab continue the one before. */
const levels = 'DEBUG[1-5]?|LOG|INFO|NOTICE|WARNING|ERROR|FATAL|PANIC|DETAIL|HINT|QUERY|CONTEXT|LOCATION|STATEMENT';
const beginning = new RegExp(`(?:^|[^A-Z])(${levels}): {1,2}(.*)$`);

/** Entries of a log as text. The server writes the detail of an entry together with it. */
export async function* textEntries(lines: AsyncIterable<string> | Iterable<string>): AsyncGenerator<LogEntry> {
  let entry: LogEntry | null = null;
  let part: 'text' | 'detail' | null = null;
  for await (const line of lines) {
    if (line.startsWith('\t')) {
      if (entry && part !== null) entry[part] += `\n${line.slice(1)}`;
      continue;
    }
    const [, level = '', text = ''] = beginning.exec(line) ?? [];
    if (level === 'DETAIL') {
      part = 'detail';
      if (entry) entry.detail = text;
    } else if (/^(?:HINT|QUERY|CONTEXT|LOCATION|STATEMENT)?$/.test(level)) part = null;
    else {
      if (entry) yield entry;
      [entry, part] = [{ database: null, text, detail: '' }, 'text'];
    }
  }
  if (entry) yield entry;
}

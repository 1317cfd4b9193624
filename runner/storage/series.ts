import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { FileMetaData } from 'hyparquet';
import { UserError } from '../contract/errors.ts';
import type { SeriesPoint, SeriesRow, TrialSeries } from '../contract/metric.ts';
import type { Trial } from '../contract/trial.ts';
import { ChangedFileError, largest } from '../contract/versioned-file.ts';
import type { KnownFolder } from '../files/open-folder.ts';
import { readFileIn } from '../files/read.ts';
import { type Agreement, agreementOf, disagreementOf, type Sums } from '../files/sums.ts';
import { writeFileIn } from '../files/write.ts';
import { sumsOf } from './run-files.ts';
import { requireHonestPages } from './series-pages.ts';

export const seriesFile = 'series.parquet';

/**
 * A report draws every second up to the last, so one that no trial has could fill the memory: none takes 11 days, and none has
 * seconds an hour after its end. AWS tells what was minutes ago, and a clock may be set meanwhile.
 */
const farthest = { second: 1e6, afterEnd: 3600 } as const;
/**
 * What a file says of itself before any of its rows is read, and no more than that is read: a file of ten kilobytes may say
 * that it holds a billion rows. A hundred names, second by second, over a day are nine million. We write groups of 100,000.
 */
const most = { rows: 10e6, rowsOfGroup: 2 ** 18, uncompressedBytes: 256 * 2 ** 20, metadataBytes: 2 ** 20 } as const;
/** Of one name; a sampler looks ten times a second, and what it saw is told by the second. */
const mostRowsPerSecond = 10;

/** What is known of the trial whose series are read. */
export type TrialOfSeries = Pick<Trial, 'id' | 'series' | 'measures' | 'warmUpStartedAt' | 'startedAt' | 'endedAt'>;

/** Reads the series of trials. */
export interface SeriesSource {
  /** @throws {UserError} with the file if it is damaged or missing, or holds more than a trial has */
  read(trial: TrialOfSeries): Promise<TrialSeries>;
}

/**
 * Writes series of a trial into its folder, completely or not at all. Writes nothing if there are no rows.
 *
 * @param where.runFolder the run's folder
 * @param where.trial folder of the trial in it
 * @param file where in the folder of the trial
 */
export async function writeSeries(
  { runFolder, trial }: { runFolder: KnownFolder; trial: string },
  rows: readonly SeriesRow[],
  file: string = seriesFile,
): Promise<Trial['series']> {
  if (rows.length === 0) return [];
  // Sorted, since equal neighbours need almost no space in the file.
  const sorted = [...rows].sort((a, b) => (a.name === b.name ? a.second - b.second : a.name < b.name ? -1 : 1));
  const { parquetWriteBuffer } = await import('hyparquet-writer');
  const bytes = parquetWriteBuffer({
    columnData: [
      { name: 'second', data: sorted.map(({ second }) => second), type: 'DOUBLE', nullable: false },
      { name: 'name', data: sorted.map(({ name }) => name), type: 'STRING', nullable: false },
      { name: 'value', data: sorted.map(({ value }) => value), type: 'DOUBLE', nullable: false },
    ],
  });
  await writeFileIn(runFolder, path.join(trial, file), Buffer.from(bytes));
  return [{ file, names: [...new Set(sorted.map(({ name }) => name))] }];
}

export function asSeries(rows: readonly SeriesRow[]): TrialSeries {
  const series = new Map<string, SeriesPoint[]>();
  addTo(series, rows);
  return inOrder(series);
}

function addTo(series: Map<string, SeriesPoint[]>, rows: readonly SeriesRow[]): void {
  for (const { name, second, value } of rows) {
    const points = series.get(name) ?? [];
    if (points.length === 0) series.set(name, points);
    points.push({ second, value });
  }
}

function inOrder(series: Map<string, SeriesPoint[]>): TrialSeries {
  for (const points of series.values()) points.sort((a, b) => a.second - b.second);
  return series;
}

/** Reads a file by its path relative to its run, and says whether the manifest of the run agrees. */
export type ReadSealed = (name: string) => Promise<{ bytes: Uint8Array; agreement: Agreement }>;

/** Reads the series of the trials below a run's folder, and holds them against its manifest as it is then. */
export function folderSeries(folder: string, signal?: AbortSignal): SeriesSource {
  return seriesSource(
    sealedReader((name) => readHere(folder, name), sumsOf(folder)),
    `${folder}/`,
    signal,
  );
}

/** @param read reads a file by its path relative to the run */
export function sealedReader(read: (name: string) => Promise<Uint8Array>, sums: () => Sums | null): ReadSealed {
  return async (name) => {
    const bytes = await read(name);
    return { bytes, agreement: agreementOf(sums(), name, bytes) };
  };
}

export function readHere(folder: string, name: string): Promise<Uint8Array> {
  return Promise.resolve().then(() => readFileIn(folder, name));
}

/**
 * @param location where the run is, for messages
 * @param signal ends a reading that goes on; its reason is thrown
 */
export function seriesSource(read: ReadSealed, location: string, signal?: AbortSignal): SeriesSource {
  return {
    async read(trial) {
      const found = new Map<string, SeriesPoint[]>();
      for (const { file, names } of trial.series) {
        const name = pathOf(trial, file);
        try {
          const { bytes, agreement } = await read(name);
          const error = disagreementOf(`${location}${name}`, agreement);
          if (error) throw error;
          for await (const rows of rowsIn(bytes, { names: new Set(names), lastSecond: lastSecondOf(trial) })) {
            addTo(found, rows);
            // Lets others have their turn: a Ctrl-C is heard between two groups.
            await setImmediate();
            signal?.throwIfAborted();
          }
        } catch (error) {
          signal?.throwIfAborted();
          if (error instanceof ChangedFileError) throw error;
          const why = error instanceof Error ? error.message : String(error);
          throw new UserError(`${location}${name} is missing or damaged: ${why}`, { cause: error });
        }
      }
      return inOrder(found);
    },
  };
}

function pathOf({ id }: Pick<Trial, 'id'>, file: string): string {
  return `trials/${id}/${file}`;
}

/** What of the series of a trial is gone, or not as the manifest of its run has it; null if all of it agrees. */
export async function disagreementOfSeries(
  read: ReadSealed,
  trial: Pick<Trial, 'id' | 'series'>,
  location: string,
): Promise<ChangedFileError | null> {
  for (const { file } of trial.series) {
    const name = pathOf(trial, file);
    try {
      const error = disagreementOf(`${location}${name}`, (await read(name)).agreement);
      if (error) return error;
    } catch {
      return new ChangedFileError(`${location}${name}`, 'is missing');
    }
  }
  return null;
}

/** The columns of a file, with their types as Parquet stores them. */
const columns = { second: 'DOUBLE', name: 'BYTE_ARRAY', value: 'DOUBLE' } as const;

/** The last second that a trial may have; as many may lie before its measured part. */
function lastSecondOf({ measures, warmUpStartedAt, startedAt, endedAt }: TrialOfSeries): number {
  const [from, until] = [warmUpStartedAt ?? startedAt, endedAt].map(Date.parse) as [number, number];
  // Where the clock was set, the load generator knows better.
  const seconds = Math.max((until - from) / 1000, measures['runtime'] ?? 0);
  return Math.min(seconds + farthest.afterEnd, farthest.second);
}

/** What the record of a trial says of the rows of a file. */
interface ToldRows {
  names: ReadonlySet<string>;
  lastSecond: number;
}

/** The rows of a file, group by group. */
async function* rowsIn(bytes: Uint8Array, told: ToldRows): AsyncGenerator<SeriesRow[]> {
  const { parquetMetadata, parquetReadObjects } = await import('hyparquet');
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  requireMetadata(bytes);
  const metadata = parquetMetadata(file);
  for (const [name, type] of Object.entries(columns)) {
    const [column, ...others] = metadata.schema.filter((one) => one.name === name);
    if (column?.type !== type || column.repetition_type !== 'REQUIRED' || others.length > 0) {
      throw new Error(`it has no column ${name} in which every value is a ${type}`);
    }
  }
  // They would be read in another way than those that we write.
  if (metadata.schema.slice(1).some((one) => one.num_children)) throw new Error('it has columns in a column');
  requireBounds(metadata, { ...told, fileBytes: bytes.length });
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    await requireHonestPages(file, group, Object.keys(columns));
    const range = { rowStart, rowEnd, columns: Object.keys(columns) };
    const rows = (await parquetReadObjects({ file, metadata, ...range })) as SeriesRow[];
    requireNumbers(rows, told);
    yield rows;
    rowStart = rowEnd;
  }
}

/** @throws {Error} if what the file says of itself is more than we would ever write */
function requireMetadata(bytes: Uint8Array): void {
  // Its length stands before the last four bytes.
  const length =
    bytes.length < 8 ? 0 : new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 8).getUint32(0, true);
  if (length > most.metadataBytes) throw new Error('it says more of itself than pgduet writes');
}

/** @throws {Error} if the file says that it holds more than any trial has */
function requireBounds(
  { row_groups: groups }: FileMetaData,
  { names, lastSecond, fileBytes }: ToldRows & { fileBytes: number },
): void {
  const rowsOf = groups.map((group) => Number(group.num_rows));
  const rows = rowsOf.reduce((sum, one) => sum + one, 0);
  // A size below zero would hide another one.
  const totalOf = (size: 'total_compressed_size' | 'total_uncompressed_size'): number =>
    groups
      .flatMap((group) => group.columns)
      .reduce((sum, { meta_data: column }) => sum + Math.abs(Number(column?.[size] ?? 0)), 0);
  const [bytes, stored] = [totalOf('total_uncompressed_size'), totalOf('total_compressed_size')];
  const shown = (count: number): string => count.toLocaleString('en');
  const mostRows = Math.min(most.rows, Math.ceil(names.size * 2 * lastSecond * mostRowsPerSecond));
  if (!(rows <= mostRows)) {
    throw new Error(`it holds ${shown(rows)} rows, and a trial of its length has no more than ${shown(mostRows)}`);
  }
  if (!rowsOf.every((one) => one >= 0 && one <= most.rowsOfGroup)) {
    throw new Error(`it holds a group of more than ${shown(most.rowsOfGroup)} rows, which pgduet does not write`);
  }
  if (!(stored <= fileBytes)) throw new Error('it has columns that lie over each other');
  if (!(bytes <= most.uncompressedBytes)) {
    throw new Error(
      `it holds ${shown(bytes)} bytes uncompressed, and no trial has more than ${shown(most.uncompressedBytes)}`,
    );
  }
}

function requireNumbers(rows: readonly SeriesRow[], { names, lastSecond }: ToldRows): void {
  for (const { second, name, value } of rows) {
    // A damaged dictionary has no entry for some of them.
    if (typeof (name as unknown) !== 'string') throw new Error('it holds a value without a name');
    if (!names.has(name)) throw new Error('it holds a name that its trial does not tell of');
    if (!(Math.abs(second) < lastSecond)) throw new Error('it holds a second that its trial does not have');
    if (!Number.isFinite(value)) throw new Error('it holds a value that is no number');
    if (Math.abs(value) > largest) throw new Error('it holds a value that nothing measured has');
  }
}

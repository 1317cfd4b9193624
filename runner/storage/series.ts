import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import type { SeriesPoint, SeriesRow, TrialSeries } from '../contract/metric.ts';
import type { Trial } from '../contract/trial.ts';
import { readFileWhole } from '../files/read.ts';
import { writeFileIn } from '../files/write.ts';

export const seriesFile = 'series.parquet';

/** No trial takes 11 days. A report draws every second up to the last, so a later one could fill the memory. */
const farthestSecond = 1e6;

/** Reads the series of trials. */
export interface SeriesSource {
  /** @throws {UserError} with the file if it is damaged or missing */
  read(trial: Pick<Trial, 'id' | 'series'>): Promise<TrialSeries>;
}

/**
 * Writes series of a trial into its folder, completely or not at all. Writes nothing if there are no rows.
 *
 * @param where.runFolder path of the run's folder
 * @param where.trial folder of the trial in it
 * @param file where in the folder of the trial
 */
export async function writeSeries(
  { runFolder, trial }: { runFolder: string; trial: string },
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
  for (const { name, second, value } of rows) {
    const points = series.get(name) ?? [];
    if (points.length === 0) series.set(name, points);
    points.push({ second, value });
  }
  for (const points of series.values()) points.sort((a, b) => a.second - b.second);
  return series;
}

/** Reads the series of the trials below a run's folder. */
export function folderSeries(runFolder: string): SeriesSource {
  return seriesSource(
    (name) => Promise.resolve().then(() => readFileWhole(path.join(runFolder, name), { links: 'refused' })),
    `${runFolder}/`,
  );
}

/**
 * @param readBytes reads a file by its path relative to the run
 * @param location where the run is, for messages
 */
export function seriesSource(readBytes: (name: string) => Promise<Uint8Array>, location: string): SeriesSource {
  return {
    async read({ id, series }) {
      const rows = await Promise.all(
        series.map(async ({ file }) => {
          const name = `trials/${id}/${file}`;
          try {
            return await readRows(await readBytes(name));
          } catch (error) {
            const why = error instanceof Error ? error.message : String(error);
            throw new UserError(`${location}${name} is missing or damaged: ${why}`, { cause: error });
          }
        }),
      );
      return asSeries(rows.flat());
    },
  };
}

/** The columns of a file, with their types as Parquet stores them. */
const columns = { second: 'DOUBLE', name: 'BYTE_ARRAY', value: 'DOUBLE' } as const;

async function readRows(bytes: Uint8Array): Promise<SeriesRow[]> {
  const { parquetMetadata, parquetReadObjects } = await import('hyparquet');
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const metadata = parquetMetadata(file);
  for (const [name, type] of Object.entries(columns)) {
    const column = metadata.schema.find((one) => one.name === name);
    if (column?.type !== type || column.repetition_type !== 'REQUIRED') {
      throw new Error(`it has no column ${name} in which every value is a ${type}`);
    }
  }
  const rows = (await parquetReadObjects({ file, metadata, columns: Object.keys(columns) })) as SeriesRow[];
  for (const { second, name, value } of rows) {
    // A damaged dictionary has no entry for some of them.
    if (typeof (name as unknown) !== 'string') throw new Error('it holds a value without a name');
    if (!(Math.abs(second) < farthestSecond)) throw new Error('it holds a second that no trial has');
    if (!Number.isFinite(value)) throw new Error('it holds a value that is no number');
  }
  return rows;
}

import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { hasCode, UserError, withoutStop } from '../contract/errors.ts';
import type { SeriesPoint, SeriesRow, TrialSeries } from '../contract/metric.ts';
import type { Trial } from '../contract/trial.ts';
import { ChangedFileError } from '../contract/versioned-file.ts';
import type { KnownFolder } from '../files/open-folder.ts';
import { readFileIn } from '../files/read.ts';
import { type Agreement, agreementOf, disagreementOf, type Sums } from '../files/sums.ts';
import { writeFileIn } from '../files/write.ts';
import { sumsOf } from './run-files.ts';
import { lastSecondOf, type Rows, rowsIn, type TrialOfSeries } from './series-rows.ts';

const seriesFile = 'series.parquet';

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
  for (const { name, second, value } of rows) {
    const points = series.get(name) ?? [];
    series.set(name, points);
    points.push({ second, value });
  }
  return inOrder(series);
}

/** Neighbours mostly have the same name. */
function addTo(series: Map<string, SeriesPoint[]>, { second, name: names, value }: Rows): void {
  let [last, points]: [string | null, SeriesPoint[]] = [null, []];
  for (const [at, name] of names.entries()) {
    if (name !== last) {
      [last, points] = [name, series.get(name) ?? []];
      series.set(name, points);
    }
    points.push({ second: second[at] ?? NaN, value: value[at] ?? NaN });
  }
}

function inOrder(series: Map<string, SeriesPoint[]>): TrialSeries {
  for (const points of series.values()) points.sort((a, b) => a.second - b.second);
  return series;
}

/** Reads a file by its path relative to its run, and says whether the manifest of the run agrees. */
export type ReadSealed = (name: string) => Promise<{ bytes: Uint8Array; agreement: Agreement }>;

/** Reads the series of the trials below a run's folder, and checks them against its manifest as it is then. */
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
 * @param signal ends a reading in progress; its reason is thrown
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
            // Yields, so that a Ctrl-C is handled between two groups.
            await setImmediate();
            signal?.throwIfAborted();
          }
        } catch (error) {
          signal?.throwIfAborted();
          if (error instanceof ChangedFileError) throw error;
          const why = error instanceof Error ? error.message : String(error);
          const what = hasCode(error, 'ENOENT') ? 'is missing' : `is missing or damaged: ${withoutStop(why)}`;
          throw new UserError(`${location}${name} ${what}. Restore the original.`, { cause: error });
        }
      }
      return inOrder(found);
    },
  };
}

/**
 * Reads each trial once, however often it is asked for, and keeps only these of its series: all those of a long run do not fit
 * into memory together.
 */
export function readOnce(source: SeriesSource, isKept: (name: string) => boolean): SeriesSource {
  const known = new Map<string, Promise<TrialSeries>>();
  const read = async (trial: TrialOfSeries): Promise<TrialSeries> =>
    new Map([...(await source.read(trial))].filter(([name]) => isKept(name)));
  return {
    read(trial) {
      const found = known.get(trial.id) ?? read(trial);
      known.set(trial.id, found);
      return found;
    },
  };
}

function pathOf({ id }: Pick<Trial, 'id'>, file: string): string {
  return `trials/${id}/${file}`;
}

/**
 * The first file of a trial's series that is missing or does not match the manifest of its run; null if all of them
 * agree.
 */
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

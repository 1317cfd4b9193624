import type { FileMetaData } from 'hyparquet';
import { largest } from '../contract/versioned-file.ts';
import { validateParquetPages } from './series-pages.ts';
import type { Trial } from '../contract/trial.ts';

/**
 * A report draws every second up to the last, so a second that no trial has could fill the memory. No trial takes 11
 * days, and none has seconds later than an hour after its end. Some come after the end, because AWS reports minutes
 * late, and a clock may be set meanwhile.
 */
const farthest = { second: 1e6, afterEnd: 3600 } as const;
/**
 * Limits on what a file says about itself, checked before any row is read: a file of ten kilobytes may say that it
 * holds a billion rows. A hundred names, second by second, over a day are nine million. We write groups of 100,000.
 */
const max = { rows: 10e6, rowsOfGroup: 2 ** 18, uncompressedBytes: 256 * 2 ** 20, metadataBytes: 2 ** 20 } as const;
/** For one name. A sampler looks ten times a second, but what it saw is recorded by the second. */
const maxRowsPerSecond = 10;

/** What is known about the trial whose series are read. */
export type TrialOfSeries = Pick<Trial, 'id' | 'series' | 'measures' | 'warmUpStartedAt' | 'startedAt' | 'endedAt'>;

/** The columns of a file, with their types as Parquet stores them. */
const columns = { second: 'DOUBLE', name: 'BYTE_ARRAY', value: 'DOUBLE' } as const;

/** The last second that a trial may have; as many may lie before its measured part. */
export function lastSecondOf({ measures, warmUpStartedAt, startedAt, endedAt }: TrialOfSeries): number {
  const [from, until] = [warmUpStartedAt ?? startedAt, endedAt].map(Date.parse) as [number, number];
  // If the clock was set, the time that the load generator reports is better.
  const seconds = Math.max((until - from) / 1000, measures['runtime'] ?? 0);
  return Math.min(seconds + farthest.afterEnd, farthest.second);
}

/** What the record of a trial says about the rows of a file. */
interface DeclaredRows {
  names: ReadonlySet<string>;
  lastSecond: number;
}

/** The rows of a group, column by column: a large run has millions, and an object for each would fill the memory. */
export interface Rows {
  second: Float64Array;
  name: string[];
  value: Float64Array;
}

/** The rows of a file, group by group. */
export async function* rowsIn(bytes: Uint8Array, declared: DeclaredRows): AsyncGenerator<Rows> {
  const { parquetMetadata, parquetRead } = await import('hyparquet');
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  requireMetadata(bytes);
  const metadata = parquetMetadata(file);
  for (const [name, type] of Object.entries(columns)) {
    const [column, ...others] = metadata.schema.filter((one) => one.name === name);
    if (column?.type !== type || column.repetition_type !== 'REQUIRED' || others.length > 0) {
      throw new Error(`it has no column ${name} in which every value is a ${type}`);
    }
  }
  // Nested columns would be read differently from the ones that we write.
  if (metadata.schema.slice(1).some((one) => one.num_children)) throw new Error('it has nested columns');
  requireBounds(metadata, { ...declared, fileBytes: bytes.length });
  let groupStart = 0;
  for (const group of metadata.row_groups) {
    const count = Number(group.num_rows);
    await validateParquetPages(file, group, Object.keys(columns));
    const found = Object.fromEntries(
      Object.keys(columns).map((name) => [name, new Array<unknown>(count)] as const),
    ) as Record<keyof typeof columns, unknown[]>;
    await parquetRead({
      file,
      metadata,
      rowStart: groupStart,
      rowEnd: groupStart + count,
      columns: Object.keys(columns),
      // What it throws would be lost.
      onChunk({ columnName, columnData, rowStart }) {
        const column = columnName in found ? found[columnName as keyof typeof columns] : [];
        for (let at = 0; at < columnData.length; at += 1) column[rowStart - groupStart + at] = columnData[at];
      },
    });
    yield checkedRows(found, declared);
    groupStart += count;
  }
}

/** @throws {Error} if the file has more metadata than we would ever write */
function requireMetadata(bytes: Uint8Array): void {
  // The length of the metadata is just before the last four bytes.
  const length =
    bytes.length < 8 ? 0 : new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 8).getUint32(0, true);
  if (length > max.metadataBytes) throw new Error('it has more metadata than pgduet writes');
}

/** @throws {Error} if the file says that it holds more than any trial has */
function requireBounds(
  { row_groups: groups }: FileMetaData,
  { names, lastSecond, fileBytes }: DeclaredRows & { fileBytes: number },
): void {
  const rowsOf = groups.map((group) => Number(group.num_rows));
  const rows = rowsOf.reduce((sum, one) => sum + one, 0);
  // A negative size would hide another one.
  const totalOf = (size: 'total_compressed_size' | 'total_uncompressed_size'): number =>
    groups
      .flatMap((group) => group.columns)
      .reduce((sum, { meta_data: column }) => sum + Math.abs(Number(column?.[size] ?? 0)), 0);
  const [bytes, stored] = [totalOf('total_uncompressed_size'), totalOf('total_compressed_size')];
  const shown = (count: number): string => count.toLocaleString('en');
  const maxRows = Math.min(max.rows, Math.ceil(names.size * 2 * lastSecond * maxRowsPerSecond));
  if (!(rows <= maxRows)) {
    throw new Error(`it contains ${shown(rows)} rows, but a trial of its length has no more than ${shown(maxRows)}`);
  }
  if (!rowsOf.every((one) => one >= 0 && one <= max.rowsOfGroup)) {
    throw new Error(`it contains a group of more than ${shown(max.rowsOfGroup)} rows, which pgduet does not write`);
  }
  if (!(stored <= fileBytes)) throw new Error('it has columns that overlap');
  if (!(bytes <= max.uncompressedBytes)) {
    throw new Error(
      `it contains ${shown(bytes)} bytes uncompressed, but no trial has more than ${shown(max.uncompressedBytes)}`,
    );
  }
}

function checkedRows(
  { second: seconds, name: names, value: values }: Record<keyof typeof columns, unknown[]>,
  declared: DeclaredRows,
): Rows {
  const rows: Rows = { second: new Float64Array(names.length), name: [], value: new Float64Array(names.length) };
  for (let at = 0; at < names.length; at += 1) {
    const [second, name, value] = [seconds[at], names[at], values[at]];
    // A damaged dictionary has no entry for some of them.
    if (typeof name !== 'string') throw new Error('it contains a value without a name');
    if (!declared.names.has(name)) throw new Error('it contains a name that its trial does not list');
    if (typeof second !== 'number' || !(Math.abs(second) < declared.lastSecond)) {
      throw new Error('it contains a second that its trial does not have');
    }
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      throw new Error('it contains a value that is not a number');
    }
    if (Math.abs(value) > largest) throw new Error('it contains a value larger than anything measured');
    rows.second[at] = second;
    rows.name.push(name);
    rows.value[at] = value;
  }
  return rows;
}

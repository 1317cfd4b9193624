import type { ColumnMetaData, FileMetaData } from 'hyparquet';

/** The parts of hyparquet that we need here; they are loaded when a file is read. */
interface Parquet {
  parquetHeader: typeof import('hyparquet/src/column.js').parquetHeader;
  snappyUncompress: typeof import('hyparquet').snappyUncompress;
}

type PageHeader = ReturnType<Parquet['parquetHeader']>;

/** Ours have a few dozen bytes. */
const maxHeaderBytes = 2 ** 16;

/**
 * Requires that the pages of a group hold what the file says about them. The library trusts each page: a page of a few
 * bytes could fill the memory, or never end.
 *
 * @param names of the columns that will be read; none of them has values that may be missing
 * @throws {Error} in words, if one of them is not as we write them
 */
export async function validateParquetPages(
  file: ArrayBuffer,
  { columns, num_rows: rows }: FileMetaData['row_groups'][number],
  names: readonly string[],
): Promise<void> {
  const [{ parquetHeader }, { snappyUncompress }] = await Promise.all([
    import('hyparquet/src/column.js'),
    import('hyparquet'),
  ]);
  for (const { meta_data: column } of columns) {
    if (!column || !names.includes(column.path_in_schema[0] ?? '')) continue;
    validateColumn(chunkOf(file, column), { column, rows: Number(rows) }, { parquetHeader, snappyUncompress });
  }
}

/** The bytes of the pages of a column in its group. */
function chunkOf(
  file: ArrayBuffer,
  { dictionary_page_offset: dictionary, data_page_offset: data, total_compressed_size: size }: ColumnMetaData,
): Uint8Array {
  const from = Number(dictionary || data);
  if (!(from >= 0 && size >= 0n && from + Number(size) <= file.byteLength)) {
    throw new Error('it has a column outside of the file');
  }
  return new Uint8Array(file, from, Number(size));
}

function validateColumn(
  chunk: Uint8Array,
  { column, rows }: { column: ColumnMetaData; rows: number },
  { parquetHeader, snappyUncompress }: Parquet,
): void {
  let [offset, readSoFar, bytes] = [0, 0, 0];
  let hasDictionary = false;
  while (readSoFar < rows) {
    const left = chunk.subarray(offset);
    const reader = {
      view: new DataView(left.buffer, left.byteOffset, Math.min(left.length, maxHeaderBytes)),
      offset: 0,
    };
    const header = parquetHeader(reader);
    const { compressed_page_size: stored, uncompressed_page_size: size } = header;
    bytes += size;
    if (!(
      stored >= 0 &&
      stored <= left.length - reader.offset &&
      size >= 0 &&
      bytes <= column.total_uncompressed_size
    )) {
      throw new Error('it has a page whose size differs from what it says');
    }
    offset += reader.offset + stored;
    const page = left.subarray(reader.offset, reader.offset + stored);
    const isCompressed = column.codec === 'SNAPPY' && header.data_page_header_v2?.is_compressed !== false;
    if (isCompressed) requireSnappy(page, size);
    else if (stored !== size) throw new Error('it has a page whose size differs from what it says');
    if (header.type === 'DICTIONARY_PAGE' && !hasDictionary && readSoFar === 0) {
      hasDictionary = true;
      requireCount(header.dictionary_page_header?.num_values, rows);
      continue;
    }
    const { count, encoding } = valuesOf(header);
    readSoFar += requireCount(count, rows - readSoFar);
    if (encoding === 'PLAIN') continue;
    if (encoding !== 'RLE_DICTIONARY') throw new Error('it has a page that pgduet does not write');
    const content = isCompressed ? new Uint8Array(size) : page;
    if (isCompressed) snappyUncompress(page, content);
    requireRuns(content, count);
  }
}

/** How many values a page of data says that it has; none of them may be missing. */
function valuesOf({ type, data_page_header_v2: v2 }: PageHeader): { count: number; encoding: string | undefined } {
  const isPlain =
    type === 'DATA_PAGE_V2' &&
    v2?.num_nulls === 0 &&
    v2.num_rows === v2.num_values &&
    v2.definition_levels_byte_length === 0 &&
    v2.repetition_levels_byte_length === 0;
  if (!v2 || !isPlain) throw new Error('it has a page that pgduet does not write');
  return { count: v2.num_values, encoding: v2.encoding };
}

function requireCount(count: number | undefined, most: number): number {
  if (count !== undefined && count > 0 && count <= most) return count;
  throw new Error('it has a page with more or fewer values than it says');
}

/**
 * Requires that Snappy would make exactly this many bytes. Its data are either bytes as they are, or copies of earlier
 * ones.
 *
 * @see https://github.com/google/snappy/blob/main/format_description.txt
 */
function requireSnappy(packed: Uint8Array, size: number): void {
  const length = varint(packed, 0);
  let { next } = length;
  let made = 0;
  while (next < packed.length && made <= size) {
    const tag = packed[next] ?? 0;
    const [kind, high] = [tag & 3, tag >>> 2];
    next += 1;
    if (kind === 0) {
      // From 60 on, it says how many bytes hold the length.
      const extra = Math.max(0, high - 59);
      const count = 1 + (extra === 0 ? high : littleEndian(packed, next, extra));
      next += extra + count;
      made += count;
    } else {
      made += kind === 1 ? (high & 7) + 4 : high + 1;
      next += [0, 1, 2, 4][kind] ?? 0;
    }
  }
  if (length.value !== size || made !== size || next !== packed.length) {
    throw new Error('it has a page whose size differs from what it says');
  }
}

/**
 * Requires that there are this many places in a dictionary, written one by one or as runs of the same one.
 *
 * @see https://parquet.apache.org/docs/file-format/data-pages/encodings/
 */
function requireRuns(content: Uint8Array, count: number): void {
  const width = content[0] ?? 0;
  let [next, readSoFar] = [1, 0];
  while (readSoFar < count) {
    const run = varint(content, next);
    const length = run.value >>> 1;
    // If written one by one, they come in groups of eight, and the last group may be padded.
    const [values, bytes] = run.value % 2 === 1 ? [length * 8, length * width] : [length, Math.ceil(width / 8)];
    readSoFar += values;
    next = run.next + bytes;
    const isWithin = run.value % 2 === 1 ? readSoFar < count + 8 : readSoFar <= count;
    if (values === 0 || width > 32 || !isWithin || next > content.length) {
      throw new Error('it has a page with more or fewer values than it says');
    }
  }
}

/** A number of at most 32 bits, seven of them in each byte; and the position after it. */
function varint(bytes: Uint8Array, from: number): { value: number; next: number } {
  let value = 0;
  for (let index = 0; index < 5; index++) {
    const byte = bytes[from + index];
    if (byte === undefined) break;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value, next: from + index + 1 };
  }
  throw new Error('it has a page that is cut off');
}

function littleEndian(bytes: Uint8Array, from: number, count: number): number {
  let value = 0;
  for (let index = 0; index < count; index++) value += (bytes[from + index] ?? 0) * 2 ** (8 * index);
  return value;
}

import type { ColumnMetaData, FileMetaData } from 'hyparquet';

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
  const { snappyUncompress } = await import('hyparquet');
  for (const { meta_data: column } of columns) {
    if (!column || !names.includes(column.path_in_schema[0] ?? '')) continue;
    validateColumn(chunkOf(file, column), { column, rows: Number(rows) }, snappyUncompress);
  }
}

/** The bytes of the pages of a column in its group. */
function chunkOf(
  file: ArrayBuffer,
  { dictionary_page_offset: dictionary, data_page_offset: data, total_compressed_size: size }: ColumnMetaData,
): Uint8Array {
  const from = Number(dictionary || data);
  if (!(from >= 0 && size >= 0n && from + Number(size) <= file.byteLength)) {
    throw new Error('it has a column outside the file');
  }
  return new Uint8Array(file, from, Number(size));
}

function validateColumn(
  chunk: Uint8Array,
  { column, rows }: { column: ColumnMetaData; rows: number },
  snappyUncompress: typeof import('hyparquet').snappyUncompress,
): void {
  let [offset, readSoFar, bytes] = [0, 0, 0];
  let hasDictionary = false;
  while (readSoFar < rows) {
    const left = chunk.subarray(offset);
    const { header, length } = pageHeader(left);
    const { type, size, stored, dictionary } = header;
    bytes += size;
    if (!(stored >= 0 && stored <= left.length - length && size >= 0 && bytes <= column.total_uncompressed_size)) {
      throw new Error('it has a page whose size differs from what it says');
    }
    offset += length + stored;
    const page = left.subarray(length, length + stored);
    const isCompressed = column.codec === 'SNAPPY' && header.data[7] !== false;
    if (isCompressed) requireSnappy(page, size);
    else if (stored !== size) throw new Error('it has a page whose size differs from what it says');
    if (type === dictionaryPage && !hasDictionary && readSoFar === 0) {
      hasDictionary = true;
      requireCount(numberIn(dictionary, 1), rows);
      continue;
    }
    const { count: said, encoding } = valuesOf(header);
    const count = requireCount(said, rows - readSoFar);
    readSoFar += count;
    if (encoding === plain) continue;
    if (encoding !== dictionaryEncoded) throw new Error('it has a page that pgduet does not write');
    const content = isCompressed ? new Uint8Array(size) : page;
    if (isCompressed) snappyUncompress(page, content);
    requireRuns(content, count);
  }
}

/** Kinds of pages, and encodings, as Parquet numbers them. */
const [dictionaryPage, dataPage, plain, dictionaryEncoded] = [2, 3, 0, 8];

/** What a header has, by the ids of Parquet's definition; a header within it has its own. */
interface Fields {
  [id: number]: number | boolean | Fields | undefined;
}

interface PageHeader {
  type: number;
  /** Bytes of the page as it is, and as it is stored. */
  size: number;
  stored: number;
  /** Of a dictionary: 1 is the number of its values. */
  dictionary: Fields;
  /** Of a page of data: values, missing values, rows, encoding, bytes of levels (two numbers), whether it is compressed. */
  data: Fields;
}

/**
 * Reads the header of a page, which Thrift's compact protocol has written.
 *
 * @see https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift (PageHeader)
 */
function pageHeader(chunk: Uint8Array): { header: PageHeader; length: number } {
  const { fields, next } = readFields(chunk.subarray(0, maxHeaderBytes), 0);
  const inner = (id: number): Fields => (typeof fields[id] === 'object' ? fields[id] : {});
  const [type, size, stored] = [1, 2, 3].map((id) => numberIn(fields, id)) as [number, number, number];
  const header = { type, size, stored, dictionary: inner(7), data: inner(8) };
  return { header, length: next };
}

function numberIn(fields: Fields, id: number): number {
  return typeof fields[id] === 'number' ? fields[id] : NaN;
}

/**
 * What we never write is refused, so that the library cannot read it in another way.
 *
 * @see https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md (struct encoding)
 */
function readFields(bytes: Uint8Array, from: number, depth = 0): { fields: Fields; next: number } {
  const fields: Fields = {};
  let [next, id] = [from, 0];
  for (;;) {
    const tag = bytes[next++];
    if (tag === undefined || depth > 2) throw new Error('it has a truncated page');
    const [delta, type] = [tag >>> 4, tag & 15];
    if (type === 0) return { fields, next };
    if (delta === 0) throw new Error('it has a page that pgduet does not write');
    id += delta;
    if (type === 1 || type === 2) fields[id] = type === 1;
    else if (type === 5 || type === 6) {
      const found = varint(bytes, next);
      // Numbers of 64 bits are only statistics.
      if (type === 5) fields[id] = (found.value >>> 1) ^ -(found.value & 1);
      next = found.next;
    } else if (type === 8) {
      const length = varint(bytes, next);
      next = length.next + length.value;
    } else if (type === 12) {
      const inner = readFields(bytes, next, depth + 1);
      fields[id] = inner.fields;
      next = inner.next;
    } else throw new Error('it has a page that pgduet does not write');
  }
}

/** How many values a page of data says that it has; none of them may be missing. */
function valuesOf({ type, data }: PageHeader): { count: number; encoding: number } {
  const [values, missing, rows, encoding, definition, repetition] = [1, 2, 3, 4, 5, 6].map((id) =>
    numberIn(data, id),
  ) as [number, number, number, number, number, number];
  const isWhole = missing === 0 && rows === values && definition === 0 && repetition === 0;
  if (type !== dataPage || !isWhole) throw new Error('it has a page that pgduet does not write');
  return { count: values, encoding };
}

function requireCount(count: number, max: number): number {
  if (count > 0 && count <= max) return count;
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
  throw new Error('it has a truncated page');
}

function littleEndian(bytes: Uint8Array, from: number, count: number): number {
  let value = 0;
  for (let index = 0; index < count; index++) value += (bytes[from + index] ?? 0) * 2 ** (8 * index);
  return value;
}

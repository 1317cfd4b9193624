import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { type ColumnMetaData, parquetMetadata } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import type { PageHeader } from 'hyparquet/src/types.js';
import { ByteWriter, parquetWriteBuffer } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import { asSeries, folderSeries } from '../../runner/storage/series.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { trial } from '../helpers/samples/measured-trial.ts';

const rows = Array.from({ length: 40 }, (_, index) => ({
  second: index % 20,
  name: index < 20 ? 'latency.average' : 'tps',
  value: Math.sin(index),
}));

/** A small file as we write it, but with the names at its end: what is changed there moves nothing else. */
const whole = parquetWriteBuffer({
  columnData: [
    { name: 'second', data: rows.map(({ second }) => second), type: 'DOUBLE', nullable: false },
    { name: 'value', data: rows.map(({ value }) => value), type: 'DOUBLE', nullable: false },
    { name: 'name', data: rows.map(({ name }) => name), type: 'STRING', nullable: false },
  ],
});

interface Page {
  header: PageHeader;
  /** As it is stored. */
  content: Uint8Array;
  /** Where its header is in the file. */
  from: number;
  to: number;
}

function chunksOf(file: ArrayBuffer): ColumnMetaData[] {
  return parquetMetadata(file).row_groups.flatMap(({ columns }) => columns.flatMap((one) => one.meta_data ?? []));
}

function pagesOf(file: ArrayBuffer, chunk: ColumnMetaData): Page[] {
  const start = Number(chunk.dictionary_page_offset || chunk.data_page_offset);
  const end = start + Number(chunk.total_compressed_size);
  const reader = { view: new DataView(file), offset: start };
  const pages: Page[] = [];
  while (reader.offset < end) {
    const from = reader.offset;
    const header = parquetHeader(reader);
    const to = reader.offset;
    reader.offset += header.compressed_page_size;
    pages.push({ header, content: new Uint8Array(file, to, header.compressed_page_size), from, to });
  }
  return pages;
}

type Lie = (pages: [dictionary: Page, data: Page]) => void;

/** The file with pages of names that are not what they say; the file itself says what it said before. */
function withLie(lie: Lie): Uint8Array {
  const metadata = parquetMetadata(whole);
  const names = metadata.row_groups[0]?.columns[2]?.meta_data;
  if (!names) throw new Error('no column of names');
  const pages = pagesOf(whole, names);
  lie(pages as [Page, Page]);
  const writer = new ByteWriter();
  writer.appendBytes(new Uint8Array(whole, 0, Number(names.dictionary_page_offset)));
  const start = writer.offset;
  for (const { header, content } of pages) {
    if (header.type === 'DATA_PAGE_V2') names.data_page_offset = BigInt(writer.offset);
    writePageHeader(writer, header);
    writer.appendBytes(content);
  }
  names.total_compressed_size = BigInt(writer.offset - start);
  writeMetadata(writer, metadata);
  writer.appendBytes(new TextEncoder().encode('PAR1'));
  return writer.getBytes();
}

async function read(file: Uint8Array) {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'series.parquet'), file);
  const series = folderSeries(folder);
  // A trial has its files in a folder of its own; `..` leads back from there.
  return series.read({
    ...trial('one', 1, {}),
    id: '..',
    series: [{ file: 'series.parquet', names: [...new Set(rows.map(({ name }) => name))] }],
  });
}

/** As Snappy stores bytes as they are: their number, and then a literal. */
const literal = (...bytes: number[]): number[] => [bytes.length, (bytes.length - 1) << 2, ...bytes];

function dataOf(pages: [Page, Page]): NonNullable<PageHeader['data_page_header_v2']> {
  const header = pages[1].header.data_page_header_v2;
  if (!header) throw new Error('no page of data');
  return header;
}

function store(page: Page, stored: readonly number[], size: number): void {
  page.content = Uint8Array.from(stored);
  page.header.compressed_page_size = stored.length;
  page.header.uncompressed_page_size = size;
}

const lies: Record<string, Lie> = {
  'says that it becomes two gigabytes': ([, { header }]) => (header.uncompressed_page_size = 2 ** 31 - 1),
  'says that its dictionary becomes two gigabytes': ([{ header }]) => (header.uncompressed_page_size = 2 ** 31 - 1),
  'says that it becomes less than nothing': ([, { header }]) => (header.uncompressed_page_size = -1),
  'says that it has more bytes than the file': ([, { header }]) => (header.compressed_page_size = 2 ** 30),
  'says that it ends before it begins': ([, { header }]) => (header.compressed_page_size = -40),
  'says that it has two billion values': (pages) =>
    Object.assign(dataOf(pages), { num_values: 2 ** 31 - 1, num_rows: 2 ** 31 - 1 }),
  'says that it has no values': (pages) => Object.assign(dataOf(pages), { num_values: 0, num_rows: 0 }),
  'says that it has fewer values': (pages) => Object.assign(dataOf(pages), { num_values: 39, num_rows: 39 }),
  'says that values are missing': (pages) => (dataOf(pages).num_nulls = 1),
  'says that its dictionary has two billion values': ([{ header }]) =>
    Object.assign(header.dictionary_page_header ?? {}, { num_values: 2 ** 31 - 1 }),
  'is written in another way': (pages) => (dataOf(pages).encoding = 'DELTA_BYTE_ARRAY'),
  // Bits of each place, and a run: twice as many as there are, with six bits in the lowest and the highest byte.
  'repeats a value 268 million times': ([, page]) => store(page, literal(1, 0x80, 0x80, 0x80, 0x80, 0x02, 0), 7),
  'has places of no bits, as many as never end': ([, page]) => store(page, literal(0, 0xff, 0xff, 0xff, 0xff, 0x07), 6),
  // A literal of a negative length leads back to its own beginning.
  'leads back to its own beginning': ([, page]) => store(page, [7, 0xfc, 0xfa, 0xff, 0xff, 0xff, 0, 0, 0, 0], 7),
  'becomes more than it says': ([, page]) =>
    store(page, [2, 0, 1, ...Array.from({ length: 3000 }, () => [0xfe, 1, 0]).flat()], 2),
  'is not compressed, although it says a size of its own': (pages) => (dataOf(pages).is_compressed = false),
};

describe('a page that', () => {
  it.each(Object.entries(lies))('%s is refused at once, in little memory', async (_, lie) => {
    const file = withLie(lie);
    const [before, highest] = [process.cpuUsage(), process.resourceUsage().maxRSS];
    const reading = read(file);
    await expect(reading).rejects.toThrow(UserError);
    await expect(reading).rejects.toThrow(/series\.parquet is missing or damaged: it has a page (whose|with|that) /);
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1);
    expect((process.resourceUsage().maxRSS - highest) / 1024).toBeLessThan(100);
  });

  it('says what it is is read', async () => {
    expect(await read(withLie(() => undefined))).toEqual(asSeries(rows));
  });
});

it('whose header has changed bytes is refused, or gives what was written', async () => {
  const pages = chunksOf(whole).flatMap((chunk) => pagesOf(whole, chunk));
  const inHeaders = pages.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index));
  const right = asSeries(rows);
  // A process begins with the most that its parent has had, here the test runner's.
  const highest = process.resourceUsage().maxRSS;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.tuple(fc.constantFrom(...inHeaders), fc.integer({ min: 1, max: 255 })), {
        minLength: 1,
        maxLength: 4,
      }),
      async (changes) => {
        const file = new Uint8Array(whole.slice(0));
        for (const [at, bits] of changes) file[at] = (file[at] ?? 0) ^ bits;
        const before = process.cpuUsage();
        const outcome: unknown = await read(file).catch((error: unknown) => error);
        expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1);
        if (!(outcome instanceof UserError)) expect(outcome).toEqual(right);
        else refused += 1;
      },
    ),
    { numRuns: 500 },
  );
  expect(refused).toBeGreaterThan(250);
  expect((process.resourceUsage().maxRSS - highest) / 2 ** 20).toBeLessThan(1);
});

it('and every file that we have kept has such pages', async () => {
  const folder = path.resolve(import.meta.dirname, '../fixtures/results/v2');
  const { trials } = JSON.parse(readFileSync(path.join(folder, 'result.json'), 'utf8')) as {
    trials: Trial[];
  };
  for (const trial of trials) {
    const names = [...(await folderSeries(folder).read(trial)).keys()];
    expect(names.sort()).toEqual(trial.series.flatMap((one) => one.names).sort());
  }
});

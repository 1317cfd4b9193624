import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { parquetWriteBuffer, type ParquetWriteOptions } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import type { SeriesRow } from '../../runner/contract/metric.ts';
import { runFolder } from '../../runner/storage/run-folder.ts';
import { asSeries, folderSeries } from '../../runner/storage/series.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { trial, type TrialDetails } from '../helpers/samples/measured-trial.ts';
import { repeats } from '../helpers/repeats.ts';

const rowsArbitrary: fc.Arbitrary<SeriesRow[]> = fc.array(
  fc.record({
    second: fc.oneof(fc.integer({ min: -1, max: 100_000 }), fc.double({ noNaN: true, min: -1e5, max: 1e5 })),
    name: fc.oneof(fc.constantFrom('tps', 'latency.average', 'wal.bytes'), fc.string({ unit: 'grapheme' })),
    // The dictionary of a column has one zero for both.
    value: fc.double({ noNaN: true, min: -1e100, max: 1e100 }).map((value) => value + 0),
  }),
  { maxLength: 300 },
);

type Column = ParquetWriteOptions['columnData'][number];

/** The columns of one row as they are written, with this one in place of its own. */
function shaped(other: Column): Column[] {
  const own: Column[] = [
    { name: 'second', data: [0], type: 'DOUBLE', nullable: false },
    { name: 'name', data: ['tps'], type: 'STRING', nullable: false },
  ];
  return [...own, other];
}

const threeDays = { startedAt: '2026-11-21T12:00:00Z', endedAt: '2026-11-24T12:00:00Z' };

/** One trial that was saved with these rows. */
async function saved(rows: readonly SeriesRow[], folder = temporaryFolder(), details: TrialDetails = threeDays) {
  const store = runFolder(folder, folder);
  const kept = await store.saveTrial(trial('one', 1, {}, details), rows);
  // Without a manifest, as in earlier versions, the reader itself must find what is wrong.
  rmSync(path.join(folder, 'SHA256SUMS'));
  return { store, trial: kept, file: path.join(folder, 'trials', kept.id, 'series.parquet') };
}

describe('the series of a trial', () => {
  it('come back from their file as they were, whatever their values', async () => {
    const folder = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(rowsArbitrary, async (rows) => {
        const { store, trial: kept } = await saved(rows, folder);
        expect(await store.series.read(kept)).toEqual(asSeries(rows));
      }),
      { numRuns: repeats(150, 0.3) },
    );
  });

  it('are told by name in the trial, each once', async () => {
    const folder = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(rowsArbitrary, async (rows) => {
        const { trial: kept } = await saved(rows, folder);
        const names = [...new Set(rows.map(({ name }) => name))].sort();
        expect(kept.series).toEqual(rows.length === 0 ? [] : [{ file: 'series.parquet', names }]);
      }),
      { numRuns: repeats(50, 0.3) },
    );
  });

  it.each([
    [{ second: 1, value: NaN }, 'a value that is not a number'],
    [{ second: 1, value: Infinity }, 'a value that is not a number'],
    [{ second: 1, value: 1e101 }, 'a value larger than anything measured'],
    [{ second: NaN, value: 1 }, 'a second that its trial does not have'],
    [{ second: 1e9, value: 1 }, 'a second that its trial does not have'],
  ])('are refused, by their file, with %j', async (row, why) => {
    const { store, trial: kept, file } = await saved([{ name: 'tps', ...row }]);
    await expect(store.series.read(kept)).rejects.toThrow(`${file} is missing or damaged: it contains ${why}`);
  });

  it('are refused, by their file, with a name that the trial does not tell of, and with more rows than its time has', async () => {
    const { store, trial: kept, file } = await saved([{ second: 1, name: 'tps', value: 1 }]);
    const others = { ...kept, series: [{ file: 'series.parquet', names: ['latency.average'] }] };
    await expect(store.series.read(others)).rejects.toThrow(`${file} is missing or damaged: it contains a name that`);
    const oneMinute = { startedAt: '2026-11-21T12:00:00Z', endedAt: '2026-11-21T12:01:00Z' };
    const rows = Array.from({ length: 80_000 }, (_, index) => ({ second: index % 3, name: 'tps', value: 1 }));
    const many = await saved(rows, temporaryFolder(), oneMinute);
    await expect(many.store.series.read(many.trial)).rejects.toThrow(
      'it contains 80,000 rows, but a trial of its length has no more than 73,200',
    );
  });

  it('are refused, by their file, with a second far behind the end of their trial: each second up to it would be drawn', async () => {
    const oneMinute = { startedAt: '2026-11-21T12:00:00Z', endedAt: '2026-11-21T12:01:00Z' };
    const readWith = async (second: number, measures = {}) => {
      const { store, trial: kept } = await saved([{ second, name: 'tps', value: 1 }], temporaryFolder(), oneMinute);
      return store.series.read({ ...kept, measures });
    };
    // AWS tells some minutes later.
    await expect(readWith(600)).resolves.toMatchObject({ size: 1 });
    await expect(readWith(99_999)).rejects.toThrow('it contains a second that its trial does not have');
    await expect(readWith(99_999, { runtime: 100_000 })).resolves.toMatchObject({ size: 1 });
    await expect(readWith(999_999, { runtime: 1e9 })).resolves.toMatchObject({ size: 1 });
    await expect(readWith(1_000_000, { runtime: 1e9 })).rejects.toThrow(
      'it contains a second that its trial does not have',
    );
  });

  it('are in order of time, whatever order they came in', async () => {
    const rows = [3, 1, 2].map((second) => ({ second, name: 'tps', value: second * 10 }));
    const { store, trial: kept } = await saved(rows);
    expect((await store.series.read(kept)).get('tps')?.map(({ second }) => second)).toEqual([1, 2, 3]);
  });

  it('of a day, second by second, take a few bytes for each value at most', async () => {
    const rows = Array.from({ length: 86_400 }, (_, second) => ({ second, name: 'tps', value: Math.sin(second) }));
    const { file } = await saved(rows);
    expect(readFileSync(file).length).toBeLessThan(86_400 * 17);
  });

  it('that are cut off anywhere are refused, by the name of their file', async () => {
    const {
      store,
      trial: kept,
      file,
    } = await saved([
      { second: 0, name: 'tps', value: 1 },
      { second: 1, name: 'latency.average', value: 0.5 },
    ]);
    const whole = readFileSync(file);
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(file, whole.subarray(0, length));
      const reading = store.series.read(kept);
      await expect(reading, `${length} bytes`).rejects.toThrow(UserError);
      await expect(reading).rejects.toThrow(`${file} is missing or damaged: `);
    }
  });

  it('that are missing, or no Parquet, are refused, by the name of their file', async () => {
    const { store, trial: kept, file } = await saved([{ second: 0, name: 'tps', value: 1 }]);
    writeFileSync(file, 'second,name,value\n0,tps,1\n'.repeat(10));
    await expect(store.series.read(kept)).rejects.toThrow(`${file} is missing or damaged: `);
    await expect(store.series.read({ ...kept, id: 'another' })).rejects.toThrow(UserError);
  });

  describe('in a file that says it holds more than a trial has', () => {
    /** Equal rows take almost no space in a file. */
    function equalRows(count: number, rowGroupSize: number): Buffer {
      const columnData: Column[] = [
        { name: 'second', data: new Array<number>(count).fill(1), type: 'DOUBLE', nullable: false },
        { name: 'name', data: new Array<string>(count).fill('tps'), type: 'STRING', nullable: false },
        { name: 'value', data: new Array<number>(count).fill(1), type: 'DOUBLE', nullable: false },
      ];
      return Buffer.from(parquetWriteBuffer({ columnData, rowGroupSize }));
    }

    it.each([
      ['rows', 5_256_001, 250_000, 'it contains 5,256,001 rows, but a trial of its length has no more than 5,256,000'],
      ['rows in one part', 300_000, 300_000, 'it contains a group of more than 262,144 rows'],
    ])('are refused before any row is read (%s)', async (_, count, rowGroupSize, why) => {
      const { store, trial: kept, file } = await saved([{ second: 0, name: 'tps', value: 1 }]);
      writeFileSync(file, equalRows(count, rowGroupSize));
      expect(statSync(file).size).toBeLessThan(100_000);
      const before = process.cpuUsage();
      const reading = store.series.read(kept);
      await expect(reading).rejects.toThrow(UserError);
      await expect(reading).rejects.toThrow(`${file} is missing or damaged: ${why}`);
      expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1);
    });

    it('are refused by what they take uncompressed', async () => {
      const { store, trial: kept, file } = await saved([{ second: 0, name: 'tps', value: 1 }]);
      const large: Column = { name: 'other', data: ['x'.repeat(260 * 2 ** 20)], type: 'STRING', nullable: false };
      const value: Column = { name: 'value', data: [1], type: 'DOUBLE', nullable: false };
      writeFileSync(file, Buffer.from(parquetWriteBuffer({ columnData: [...shaped(value), large] })));
      await expect(store.series.read(kept)).rejects.toThrow(
        /bytes uncompressed, but no trial has more than 268,435,456/,
      );
    });

    it('are read as long as nobody interrupts it, and not longer', async () => {
      const { trial: kept, file } = await saved([{ second: 0, name: 'tps', value: 1 }]);
      writeFileSync(file, equalRows(2_000_000, 100_000));
      const interruption = new AbortController();
      const series = folderSeries(path.resolve(file, '../../..'), interruption.signal);
      setTimeout(() => interruption.abort(new Error('enough')), 1);
      const before = process.cpuUsage();
      await expect(series.read(kept)).rejects.toThrow('enough');
      // Of this process alone, whatever else the machine does.
      expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1);
    });
  });

  it.each<[string, ParquetWriteOptions['columnData']]>([
    ['of another shape', [{ name: 'something', data: ['else'], type: 'STRING' }]],
    ['with a column of another type', shaped({ name: 'value', data: ['much'], type: 'STRING' })],
    ['with a value that may be missing', shaped({ name: 'value', data: [null], type: 'DOUBLE' })],
  ])('%s are refused, and not taken for numbers that are none', async (_, columnData) => {
    const { store, trial: kept, file } = await saved([{ second: 0, name: 'tps', value: 1 }]);
    writeFileSync(file, Buffer.from(parquetWriteBuffer({ columnData })));
    await expect(store.series.read(kept)).rejects.toThrow(`${file} is missing or damaged: it has no column `);
  });
});

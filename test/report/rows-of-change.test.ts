import { readdirSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type OpenedResult, openFolder } from '../../runner/analysis/open-result.ts';
import { changedSample, publishedStudy } from '../helpers/samples/changed-sample.ts';
import { crossedSample } from '../helpers/samples/crossed-sample.ts';
import { deployWithCosts } from '../helpers/samples/deployed-sample.ts';
import { replicatedRun } from '../helpers/samples/replicated-sample.ts';
import { sampleRun } from '../helpers/samples/sample-result.ts';
import type { PrintedForm } from '../helpers/shown/printed-words.ts';
import { printedRows, rowsOfChange } from '../helpers/shown/printed-rows.ts';

const fixtures = path.resolve(import.meta.dirname, '../fixtures/results');
const three = { base: 1, quick: 1.2, slow: 0.8 };

const results: Record<string, () => Promise<OpenedResult>> = {
  ...Object.fromEntries(
    readdirSync(fixtures, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => [`the fixture ${name}`, () => openFolder(path.join(fixtures, name))]),
  ),
  'two variants': () => sampleRun(),
  'three variants': () => sampleRun({ variants: three }),
  'three variants, of which one lost a block': () =>
    sampleRun({ variants: three, blocks: 8, failedTrial: { block: 2, variant: 'quick' } }),
  'a block measured again': () => sampleRun({ repeatedBlock: { block: 3, factor: 2 } }),
  'two blocks': () => sampleRun({ blocks: 2 }),
  'a published study': publishedStudy,
  'a crossover': () => crossedSample({ blocks: 18 }),
  'three pairs of instances': () => replicatedRun([1, 1.1, 0.9]),
  'six pairs of instances': () => replicatedRun([1, 1.1, 0.9, 1.05, 0.95, 1]),
  'instances with a price': () => changedSample({}, deployWithCosts),
  'trials without any transaction': () =>
    worldOf([
      [1000, 1200],
      [900, 0],
      [0, 800],
      [1100, 1000],
      [1000, 1300],
      [700, 900],
    ]),
  'medians that say the opposite of the pairs': () =>
    worldOf([
      [100, 80],
      [167, 178],
      [170, 20],
      [165, 179],
      [300, 200],
      [160, 181],
    ]),
};

describe.each(Object.entries(results))('a report of %s', (_, open) => {
  let opened: OpenedResult;
  beforeAll(async () => {
    opened = await open();
  });

  it.each(['terminal', 'Markdown', 'HTML'] as const)(
    'prints in %s changes that follow from the two values',
    async (form) => {
      const rows = rowsOfChange(await printedRows(form, opened));
      // Every comparison is read, but for rare wait events, which no table shows.
      const expected = opened.result.comparisons.filter(
        ({ metric, change }) => !metric.startsWith('waits.') && change !== null,
      );
      expect(rows.length).toBeGreaterThanOrEqual(expected.length);
      expect(rows.filter(({ follows }) => !follows)).toEqual([]);
    },
  );
});

it('prints such changes whatever was measured', async () => {
  const throughput = fc.integer({ min: 1, max: 5000 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(throughput, throughput, throughput), { minLength: 1, maxLength: 9 }),
      async (world) => {
        const rows = await printedRows('Markdown', await worldOf(world));
        const wrong = rowsOfChange(rows).filter(({ follows }) => !follows);
        expect(wrong).toEqual([]);
      },
    ),
    { numRuns: 25, seed: 27 },
  );
});

describe('shares', () => {
  /** Rows of the shares in the comparison and block by block: the two values, and the change as it is printed, in points. */
  const sharesIn = async (form: PrintedForm, blocks: readonly (readonly number[])[]) =>
    (await printedRows(form, await sharesWorld(blocks))).flatMap((cells) => {
      const place = cells.findIndex((cell) => /^[+−]?[\d.]+ points?$/.test(cell));
      return place >= 2 && /^transactions within|^\d+$/.test(cells[0] ?? '') ? [cells.slice(place - 2, place + 1)] : [];
    });
  const number = (text = ''): number => Number(text.replace('−', '-').replace(/ .*/, ''));

  it.each([
    ['terminal', 1],
    // The comparison, and its eight blocks.
    ['Markdown', 9],
    ['HTML', 9],
  ] as const)('show in %s a change of some hundredths of a point', async (form, rows) => {
    const world = Array.from({ length: 8 }, () => [0.9997, 0.999]);
    expect(await sharesIn(form, world)).toEqual(Array.from({ length: rows }, () => ['99.97', '99.90', '−0.07 points']));
  });

  it('show every change by its two values, never 100 of less than all, and never 0 of more than none', async () => {
    const late = fc.oneof(
      fc.constantFrom(0, 1),
      fc.integer({ min: 0, max: 6 }).map((power) => 10 ** -power * 0.37),
    );
    const side = fc.tuple(late, fc.boolean()).map(([value, isNearAll]) => (isNearAll ? 1 - value : value));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(side, side), { minLength: 2, maxLength: 7 }), async (blocks) => {
        const rows = await sharesIn('Markdown', blocks);
        expect(rows.length).toBe(blocks.length + 1);
        for (const [before, after, change] of rows) {
          const off = Math.abs(number(after) - number(before) - number(change));
          expect(off).toBeLessThanOrEqual(0.06 * Math.abs(number(change)) + 1e-6);
        }
        const sides = blocks.flatMap((values, index) =>
          values.map((value, place) => ({ value, shown: number(rows[index + 1]?.[place]) })),
        );
        expect(sides.filter(({ value, shown }) => value > 0 && shown === 0)).toEqual([]);
        expect(sides.filter(({ value, shown }) => value < 1 && shown >= 100)).toEqual([]);
      }),
      { numRuns: 10, seed: 27 },
    );
  });
});

/** Blocks in which the variants had these shares of their transactions within the limit. */
function sharesWorld(blocks: readonly (readonly number[])[]): Promise<OpenedResult> {
  return changedSample({ variants: { v0: 1, v1: 1 }, blocks: blocks.length }, ({ run, trials }) => {
    Object.assign(run.experiment.definition.decision, { metric: 'latency.withinLimit', practicalThreshold: 0.0001 });
    for (const trial of trials) {
      const share = blocks[trial.block - 1]?.[trial.conditions.variant === 'v0' ? 0 : 1] ?? null;
      trial.measures = { ...trial.measures, 'latency.withinLimit': share };
    }
  });
}

/** Blocks in which the variants had these throughputs, one for each. Latencies, WAL and waits follow from chance. */
function worldOf(blocks: readonly (readonly number[])[]): Promise<OpenedResult> {
  const names = (blocks[0] ?? []).map((_, index) => `v${index}`);
  const variants = Object.fromEntries(names.map((name) => [name, 1]));
  return changedSample({ variants, blocks: blocks.length }, ({ trials }) => {
    for (const trial of trials) {
      const tps = blocks[trial.block - 1]?.[names.indexOf(trial.conditions.variant)] ?? null;
      trial.measures = { ...trial.measures, tps, 'waits.CPU': 0.02 * ((tps ?? 0) % 43) };
    }
  });
}

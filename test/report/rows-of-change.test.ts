import { readdirSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type OpenedResult, openFolder } from '../../runner/analysis/open-result.ts';
import { changedSample, publishedStudy } from '../helpers/samples/changed-sample.ts';
import { crossedSample } from '../helpers/samples/crossed-sample.ts';
import { deployWithCosts } from '../helpers/samples/deployed-sample.ts';
import { replicatedRun } from '../helpers/samples/replicated-sample.ts';
import { sampleRun } from '../helpers/samples/sample-result.ts';
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
  it.each(['terminal', 'Markdown', 'HTML'] as const)(
    'prints in %s changes that follow from the two values',
    async (form) => {
      const opened = await open();
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

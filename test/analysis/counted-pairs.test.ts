import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { countedTrials, withTrialIds } from '../../runner/analysis/counted-trials.ts';
import { trialsOfPair, type Comparison } from '../../runner/contract/comparison.ts';
import type { Result } from '../../runner/contract/result.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import { blocksChart } from '../../runner/report/charts/blocks.ts';
import { changeFigures } from '../../runner/report/charts/change.ts';
import type { Figure } from '../../runner/report/charts/figure.ts';
import { type ChartSubject, chartSubjects } from '../../runner/report/charts/subject.ts';
import { type Chart, charts } from '../../runner/report/charts/trials.ts';
import { renderHtml } from '../helpers/shown/render-html.ts';
import { renderMarkdown } from '../../runner/report/markdown.ts';
import { pairsCsv } from '../../runner/report/write-report.ts';
import { renderTerminal } from '../../runner/report/terminal/terminal.ts';
import { readResultFile, runFolder } from '../../runner/storage/run-folder.ts';
import { marksIn } from '../helpers/shown/chart-marks.ts';
import { crossedSample } from '../helpers/samples/crossed-sample.ts';
import { sampleRun } from '../helpers/samples/sample-result.ts';
import {
  asShown,
  pairsInCsv,
  pairsInHtml,
  pairsInMarkdown,
  pairsInTerminal,
  withoutValues,
} from '../helpers/shown/shown-pairs.ts';

const repeatedBlock = { block: 3, factor: 7 };
const lost = { block: 4, variant: 'with-log-volume' };
const threeVariants = { one: 1, two: 1.2, three: 0.97 };

const samples = [
  ['a block measured once more', { run: await sampleRun({ repeatedBlock }), pairs: [6], notCounted: 2 }],
  ['a lost block', { run: await sampleRun({ blocks: 7, failedTrial: lost }), pairs: [6], notCounted: 1 }],
  ['two candidates', { run: await sampleRun({ variants: threeVariants }), pairs: [6, 6], notCounted: 0 }],
  [
    'two candidates, of which one lost a block that another had to be measured once more',
    {
      run: await sampleRun({ variants: threeVariants, repeatedBlock, failedTrial: { block: 4, variant: 'two' } }),
      pairs: [5, 6],
      notCounted: 3,
    },
  ],
  [
    'a crossover with a block measured once more',
    { run: await crossedSample({ blocks: 18, repeatedBlock: { block: 9, factor: 7 } }), pairs: [9], notCounted: 2 },
  ],
] as const;

function primaryOf({ comparisons }: Pick<Result, 'comparisons'>): Comparison[] {
  return comparisons.filter(({ primary }) => primary);
}

/** The trials that a comparison names as the sides of its pairs. */
function trialsOf({ baseline, candidate, pairs }: Comparison, trials: readonly Trial[]): Trial[] {
  return pairs.flatMap(trialsOfPair).flatMap(({ block, attempt }) =>
    [baseline, candidate].map(({ variant }) => {
      const [trial, ...more] = trials.filter(
        (one) => one.block === block && one.attempt === attempt && one.conditions.variant === variant,
      );
      if (!trial || more.length > 0) throw new Error(`not one trial of ${variant} in attempt ${attempt} at ${block}`);
      return trial;
    }),
  );
}

function draw<Data>(chart: Chart<Data>, subject: ChartSubject): Figure<Data> {
  const figure = chart(subject);
  if (!figure) throw new Error('a sample has something for every chart');
  return figure;
}

describe.each(samples)('the pairs of a result with %s', (_, { run: { result, series }, pairs, notCounted }) => {
  const primary = primaryOf(result);
  const shown = primary.map((comparison) => comparison.pairs.map(asShown));
  const counted = new Set(primary.flatMap((comparison) => trialsOf(comparison, result.trials)).map(({ id }) => id));
  const finished = result.trials.filter(({ state }) => state === 'finished').map(({ id }) => id);
  const others = finished.filter((id) => !counted.has(id));
  const [subject, ...moreSubjects] = chartSubjects(result);
  if (!subject) throw new Error('there is always a level');

  it('are as many as blocks count, each of trials that finished', () => {
    expect(primary.map((comparison) => comparison.pairs.length)).toEqual(pairs);
    expect(finished).toEqual(expect.arrayContaining([...counted]));
    expect(others).toHaveLength(notCounted);
    expect(moreSubjects).toEqual([]);
  });

  it('name their trials, also where a file did not say them', () => {
    for (const comparison of primary) {
      const named = comparison.trials.flatMap(({ baseline, candidate }) => [baseline, candidate]);
      expect(named).toEqual(trialsOf(comparison, result.trials).map(({ id }) => id));
    }
    const unnamed = result.comparisons.map((comparison) => ({ ...comparison, trials: [] }));
    expect(withTrialIds(unnamed, result.trials)).toEqual(result.comparisons);
  });

  it('come back from result.json as they were', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'counted-pairs-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    await runFolder(folder, folder).saveResult(result);
    expect(readResultFile(folder)?.comparisons).toEqual(result.comparisons);
  });

  it.each([60, 100, 300])('stand in the terminal’s line on changes by block, %i columns wide', (columns) => {
    const found = pairsInTerminal(renderTerminal(result, { columns, colour: false }));
    expect(found).toEqual(shown.map((each) => each.map(withoutValues)));
  });

  it('stand in the table of the Markdown', () => {
    expect(pairsInMarkdown(renderMarkdown(result))).toEqual(shown);
  });

  it('stand in the table of the HTML page', async () => {
    expect(pairsInHtml(await renderHtml(result, series))).toEqual(shown);
  });

  it('stand in the CSV, unrounded, for every metric that was compared', () => {
    const expected = result.comparisons.map(
      ({ metric, baseline, candidate, pairs: own }) =>
        [
          `${metric} ${candidate.variant} against ${baseline.variant}`,
          own.map(({ means: _, ...pair }) => pair),
        ] as const,
    );
    expect(pairsInCsv(pairsCsv(result))).toEqual(new Map(expected));
  });

  it('are what the chart of the change draws, which counts what it leaves out', () => {
    const { data, caption } = figureOf(result);
    expect(data).toEqual(
      primary.map(({ candidate, change, interval, pairs: own }) => ({
        candidate: candidate.variant,
        change,
        interval,
        pairs: own,
      })),
    );
    if (others.length > 0) expect(caption).toContain(`Not drawn: ${others.length} excluded trial`);
  });

  it.each(charts.map((chart) => [chart.name, chart] as const))(
    'are of the trials that %s marks as counting; it has the others, too, and names them',
    (_name, chart) => {
      const { data, caption } = draw(chart, subject);
      const marks = marksIn(data);
      const trialsWhere = (counts: boolean) =>
        new Set(marks.filter((mark) => mark.counted === counts).map(({ trial }) => trial));
      expect(trialsWhere(true)).toEqual(counted);
      expect(trialsWhere(false)).toEqual(new Set(others));
      for (const id of others) expect(caption).toContain(id);
      for (const id of counted) expect(caption).not.toContain(id);
    },
  );

  it('have the values that the chart of the blocks draws of them', () => {
    const { data } = draw(blocksChart, subject);
    for (const { baseline, candidate, pairs: own } of primary) {
      for (const pair of own) {
        const drawn = [baseline, candidate].map(({ variant }) => {
          const marks = trialsOfPair(pair).map(({ block, attempt }) =>
            data.find((mark) => mark.variant === variant && mark.block === block && mark.attempt === attempt),
          );
          // Both blocks of a crossover's pair are drawn. The pair has their geometric mean.
          const product = marks.reduce((all, mark) => all * (mark?.counted ? mark.value : NaN), 1);
          return product ** (1 / marks.length);
        });
        expect(drawn[0]).toBeCloseTo(pair.baseline, 9);
        expect(drawn[1]).toBeCloseTo(pair.candidate, 9);
      }
    }
  });
});

describe('a block that was spoilt and measured once more', async () => {
  const { result, series } = await sampleRun({ repeatedBlock });
  const [primary] = primaryOf(result);
  const first = result.trials.filter(({ block, attempt }) => block === repeatedBlock.block && attempt === 1);
  const [before = NaN, after = NaN] = ['without-log-volume', 'with-log-volume'].map(
    (variant) => first.find(({ conditions }) => conditions.variant === variant)?.measures['tps'] ?? NaN,
  );
  const disturbed = after / before - 1;

  it('counts with its second attempt, whose change is like the others’', () => {
    expect(disturbed).toBeGreaterThan(8);
    expect(primary?.pairs[2]).toMatchObject({ block: 3, attempt: 2 });
    for (const { change } of primary?.pairs ?? []) expect(change).toBeCloseTo(0.31, 1);
    expect(primary?.change).toBeCloseTo(0.31, 1);
  });

  it.each([
    ['terminal', renderTerminal(result, { columns: 300, colour: false })],
    ['Markdown', renderMarkdown(result)],
    ['HTML', await renderHtml(result, series)],
  ])('has its spoilt change nowhere in the %s', (_format, text) => {
    const percents = [...text.matchAll(/([\d,]+(?:\.\d+)?)\s*%/g)].map(([, number = '']) => number.replaceAll(',', ''));
    expect(percents.length).toBeGreaterThan(10);
    // It is above 800%.
    expect(percents.map(Number).filter((percent) => percent > 700)).toEqual([]);
  });

  it('has no row of its first attempt, nor its change, in the CSV', () => {
    const rows = [...pairsInCsv(pairsCsv(result)).values()].flat();
    const [third, others] = [rows.filter(({ block }) => block === 3), rows.filter(({ block }) => block !== 3)];
    expect(third.length).toBe(result.comparisons.length);
    expect(new Set(third.map(({ attempt }) => attempt))).toEqual(new Set([2]));
    expect(new Set(others.map(({ attempt }) => attempt))).toEqual(new Set([1]));
    expect(rows.filter(({ change }) => (change ?? 0) > 1)).toEqual([]);
  });

  it.each([354, 880])('is not drawn by the chart of the change, %i pixels wide', (width) => {
    const { data, alternative, draw } = figureOf(result);
    expect(Math.max(...data.flatMap(({ pairs }) => pairs.map(({ change }) => change ?? NaN)))).toBeLessThan(0.5);
    expect(alternative).toContain('3 (attempt 2) +');
    const texts = draw(width).marks.map(({ text }) => text.replace(/<[^>]*>/g, ''));
    const ticks = texts.flatMap((text) => /^[+−]?(\d+)%$/.exec(text)?.[1] ?? []).map(Number);
    expect(ticks.length).toBeGreaterThan(2);
    expect(Math.max(...ticks)).toBeLessThan(60);
  });
});

function figureOf(result: Result): ReturnType<typeof changeFigures>[number] {
  const [figure] = changeFigures(result, countedTrials(result));
  if (!figure) throw new Error('no chart of the change');
  return figure;
}

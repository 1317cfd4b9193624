import { expect, it } from 'vitest';
import { firstScreen } from '../../../runner/report/first-screen/model.ts';
import { reported } from '../../../runner/report/reported.ts';
import { reportedResults } from '../../helpers/samples/reported-results.ts';

async function screenOf(name: string) {
  const opened = await reportedResults[name]?.();
  if (!opened) throw new Error(`no result ${name}`);
  const of = reported(opened.result);
  return { of, screen: firstScreen(of) };
}

it('of several variants, a table has a row for each and for the baseline, with a word where a metric changed', async () => {
  const { of, screen } = await screenOf('six variants');
  const rows = screen.tradeOffs?.rows ?? [];
  expect(rows.map(({ who }) => who).toSorted()).toEqual(
    ['base', ...of.judged.map((one) => one.of.candidate.variant)].toSorted(),
  );
  expect(rows.at(-1)?.cells.every(({ side }) => side === '')).toBe(true);
  expect(screen.tradeOffs?.metrics.length).toBeLessThanOrEqual(3);
  const sides = new Map(rows.map(({ who, cells }) => [who, cells.map(({ side }) => side)]));
  expect(sides.get('more-iops')).toContain('better');
  expect(sides.get('small-wal')).toContain('worse');
});

it('the lead counts the others, and names the control that comes out like the baseline', async () => {
  const { screen } = await screenOf('six variants');
  expect(screen.answer.headline).toMatch(/^more-iops gains the most over “base”: /);
  expect(screen.answer.lead).toBe(
    'Two others are faster, small-wal is slower. The control “again”, a copy of “base”, comes out like it.',
  );
});

it('there is no such table of one comparison, of several levels, without a verdict, or where a control differs', async () => {
  for (const name of ['quick', 'ladder', 'withheld', 'six variants with a failed control'])
    expect((await screenOf(name)).screen.tradeOffs).toBeNull();
});

import { describe, expect, it } from 'vitest';
import type { ExplainedTime, Explanation } from '../../runner/contract/explanation.ts';
import { blocksIn } from '../../runner/report/sections/section.ts';
import { whyBlock } from '../../runner/report/sections/registry.ts';
import { renderBlocks } from '../../runner/report/terminal/terminal.ts';
import { type Why, whyOf } from '../../runner/report/view/why.ts';

const interval = { low: -0.0103, high: -0.0088, level: 0.96875 };

function time(kind: string, [baseline, candidate]: [number, number], share: number | null): ExplainedTime {
  return { kind, title: `waits for ${kind}`, baseline, candidate, change: candidate - baseline, interval, share };
}

/** The baseline takes 20 ms for a transaction, the candidate 10 ms. */
const explanation: Explanation = {
  baseline: 'one-volume',
  candidate: 'two-volumes',
  conditions: { clients: 16 },
  slower: 'one-volume',
  pairs: 6,
  time: [
    time('flush', [0.0163, 0.0067], 0.96),
    time('cpu', [0.0032, 0.0021], 0.11),
    time('other', [0.0005, 0.0012], -0.07),
  ],
  mechanisms: [
    {
      name: 'slow-flush',
      title: 'Each flush takes longer',
      standing: 'observed',
      kind: 'flush',
      links: [
        {
          metric: 'wal.meanSyncTime',
          unit: 's',
          claim: 'a flush of WAL takes longer',
          changedBy: 'ratio',
          baseline: 0.004,
          candidate: 0.002,
          change: -0.5,
          interval: { low: -0.55, high: -0.45, level: 0.96875 },
          agreeing: 6,
          pairs: 6,
          standing: 'holds',
        },
      ],
      sources: ['https://example.org/wal'],
    },
  ],
};

function why(changed: Partial<Explanation> = {}): Why {
  const [view] = whyOf({ explanations: [{ ...explanation, ...changed }] });
  if (!view) throw new Error('nothing is explained');
  return view;
}

const cells = ({ time: { rows } }: Why): number[][] =>
  rows.map((row) => row.cells.slice(1, 4).map((cell) => Number(cell.replace('−', '-'))));

describe('where the time goes', () => {
  it('says how long a transaction takes, and for whom it is longer', () => {
    expect(why().summary).toBe(
      'A transaction takes 20.00 ms with one-volume and 10.00 ms with two-volumes, 10.00 ms longer for one-volume.',
    );
  });

  it('gives rows that add up as they are printed, each with the change of its two values', () => {
    const rows = cells(why());
    for (const [before = NaN, after = NaN, change = NaN] of rows) expect(after - before).toBeCloseTo(change, 6);
    for (const column of [0, 1, 2]) {
      const sum = rows.slice(0, -1).reduce((all, row) => all + (row[column] ?? NaN), 0);
      expect(sum).toBeCloseTo(rows.at(-1)?.[column] ?? NaN, 6);
    }
    expect(why().time.rows.map((row) => row.cells.at(-1))).toEqual(['96 %', '11 %', '−7 %', '–']);
  });

  it('names a mechanism with the time that it ends in, the slower side first, and as observed only', () => {
    expect(why().mechanisms).toMatchObject([
      {
        headline: 'Each flush takes longer.',
        evidence: 'Waits for flush: 16.30 ms against 6.70 ms, 96 % of the difference (6 pairs; observed, not tested).',
      },
    ]);
  });

  it('says how many pairs the time is from, and how many are unknown', () => {
    const { mechanisms, time } = why({ unknownPairs: 2 });
    expect(mechanisms[0]?.evidence).toContain('(6 pairs, 2 more unknown; observed, not tested)');
    expect(time.notes).toContainEqual(expect.stringContaining('Means over 6 pairs, 2 more unknown.') as string);
  });

  it('prints no word of support, and nothing that moves with the effect', () => {
    const view = why();
    const text = renderBlocks(blocksIn('terminal', [whyBlock(view)]), { columns: 100, colour: false });
    expect(text).not.toMatch(/support|moves with|because/i);
    // What is said of this run has the numbers that it was computed from.
    const said = [
      view.summary,
      ...view.mechanisms.flatMap(({ evidence, links }) => [evidence, ...links.map(({ figures }) => figures)]),
    ];
    for (const sentence of said) expect(sentence).toMatch(/\d/);
  });

  it('divides nothing where the slower side does not take longer, or nothing was sampled', () => {
    const unknown = explanation.time.map((one) => ({ ...one, share: null }));
    expect(why({ time: unknown, mechanisms: [] }).summary).toContain('The difference is not beyond chance (6 pairs)');
    expect(why({ time: [], mechanisms: [] })).toMatchObject({
      summary: expect.stringContaining('were not sampled') as string,
      time: { rows: [] },
    });
  });
});

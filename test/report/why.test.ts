import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Explanation } from '../../runner/contract/explanation.ts';
import { largestPart, whyParagraph } from '../../runner/report/sections/why-words.ts';
import { whyTables } from '../../runner/report/sections/why.ts';
import { explainedTime, explained, explanation } from '../helpers/samples/explained.ts';

// How it is said stands in test/golden/answers/explanations.txt.

function timeRows(of: Explanation): string[][] {
  const [time] = whyTables(of).parts;
  return time?.kind === 'table' ? time.table.rows.map(({ cells }) => cells) : [];
}

const numbers = (of: Explanation): number[][] =>
  timeRows(of).map((row) => row.slice(1, 4).map((cell) => Number(cell.replace('−', '-'))));

describe('where the time goes', () => {
  it('prints, for whatever times, no percentage above 100', () => {
    const value = fc.double({ min: 0, max: 0.1, noNaN: true });
    const kinds = ['walFlush', 'cpu', 'client', 'locks'];
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value, fc.boolean()), { minLength: 4, maxLength: 4 }), (values) => {
        const change = values.reduce((sum, [one, other]) => sum + other - one, 0);
        fc.pre(Math.abs(change) > 1e-4);
        const time = values.map(([one, other, isSure], index) => ({
          ...explainedTime(kinds[index] ?? '', [one, other], (other - one) / change),
          interval: isSure
            ? { low: other - one, high: other - one, level: 0.95 }
            : { low: -0.1, high: 0.1, level: 0.95 },
        }));
        const slower = change > 0 ? 'two-volumes' : 'one-volume';
        const drawn: Explanation = { ...explanation, slower, time, mechanisms: [] };
        const shares = timeRows(drawn).map((row) => row.at(-1) ?? '');
        const all = [whyParagraph(drawn, []), largestPart(drawn), ...shares].join(' ');
        for (const [, percent = ''] of all.matchAll(/(\d[\d,.]*)%/g)) expect(Number(percent)).toBeLessThanOrEqual(100);
      }),
    );
  });

  it('has tables whose rows add up as they are printed, each with the change of its two values', () => {
    const rows = numbers(explanation);
    for (const [before = NaN, after = NaN, change = NaN] of rows) expect(after - before).toBeCloseTo(change, 6);
    for (const column of [0, 1, 2]) {
      const sum = rows.slice(0, -1).reduce((all, row) => all + (row[column] ?? NaN), 0);
      expect(sum).toBeCloseTo(rows.at(-1)?.[column] ?? NaN, 6);
    }
    expect(timeRows(explanation).map((row) => row.at(-1))).toEqual(['96%', '11%', '−7%', '–']);
    expect(whyTables(explanation).parts).toHaveLength(2);
  });

  it.each(['sessions were not sampled', 'the sampled sessions are not those of the load'])(
    'divides nothing where %s',
    (name) => {
      const of = explained[name] ?? explanation;
      expect([largestPart(of), timeRows(of)]).toEqual(['', []]);
    },
  );
});

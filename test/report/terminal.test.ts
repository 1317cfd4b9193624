import { describe, expect, it } from 'vitest';
import { renderAnswersOf, renderEnd, renderTerminal } from '../../runner/report/terminal/terminal.ts';
import { reported } from '../../runner/report/reported.ts';
import { fullRun } from '../helpers/samples/full-sample.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';

const plain = { columns: 80, colour: false };

describe('renderTerminal', () => {
  it('says the answer before the table', async () => {
    const result = await sampleResult();
    const text = renderTerminal(result, { ...plain, columns: Infinity });
    const answer = text.indexOf(reported(result).lead.headline);
    expect(answer).toBeGreaterThan(-1);
    expect(answer).toBeLessThan(text.indexOf('latency p99.9 (ms)'));
  });

  it.each([60, 80, 100, 120])('stays within %d columns', async (columns) => {
    const text = renderTerminal(await sampleResult(), { columns, colour: false });
    const longest = Math.max(...text.split('\n').map(({ length }) => length));
    expect(longest).toBeLessThanOrEqual(columns);
  });

  it.each([60, 80, 120])('has room for interval and verdict in %d columns', async (columns) => {
    const text = renderTerminal(await sampleResult(), { columns, colour: false });
    expect(text).toMatch(/^TPS .* 29 to 32 % +better$/m);
  });

  it('colours only when told to', async () => {
    const escape = '\u001b[';
    expect(renderTerminal(await sampleResult(), plain)).not.toContain(escape);
    expect(renderTerminal(await sampleResult(), { columns: 80, colour: true })).toContain(escape);
  });
});

describe('renderEnd', () => {
  const most = 34;
  const results = {
    'one candidate': sampleResult({ blocks: 8 }),
    'seven candidates': sampleResult({
      variants: Object.fromEntries(
        ['base', 'a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name, index) => [name, 1 + index / 10]),
      ),
    }),
    'a run that failed': sampleResult({ failedTrial: { block: 2, variant: 'with-log-volume' } }),
    'a ladder': fullRun([1, 2, 4, 8, 16, 32, 64], 6).then(({ result }) => result),
  };
  const kinds = Object.keys(results) as (keyof typeof results)[];

  it.each(kinds.flatMap((kind) => [60, 80, 120, Infinity].map((columns) => [kind, columns] as const)))(
    'of %s takes no more lines than it may in %d columns, begins with the answer, and keeps what weakens it',
    async (kind, columns) => {
      const result = await results[kind];
      const text = renderEnd(result, { columns, colour: false }, most);
      const lines = text.trimEnd().split('\n');
      expect(lines.length).toBeLessThanOrEqual(most);
      // A ladder's table cannot be narrower than its figures.
      if (kind !== 'a ladder') expect(lines.filter(({ length }) => length > columns)).toEqual([]);
      const [, answer = ''] = text.split('\n\n');
      expect(renderAnswersOf(result, { columns, colour: false }).startsWith(answer.split('\n')[0] ?? '')).toBe(true);
      expect(text).toMatch(/^! /m);
    },
  );

  it.each([60, 80, 120])('of one candidate shows its comparison in %d columns', async (columns) => {
    const text = renderEnd(await results['one candidate'], { columns, colour: false }, most);
    expect(text).toMatch(/^TPS .* 30 to 32 % +better$/m);
  });

  it('of a ladder shows every variant at every level', async () => {
    const text = renderEnd(await results['a ladder'], { columns: 80, colour: false }, most);
    for (const clients of [1, 64]) expect(text).toMatch(new RegExp(`^${clients} .* 1,447 .* 1,897 `, 'm'));
  });

  it('says how much is cut off', async () => {
    const text = renderEnd(await results['seven candidates'], { columns: 60, colour: false }, 20);
    expect(text).toMatch(/^… \d+ more lines in report\.md$/m);
  });
});

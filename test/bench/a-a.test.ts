import { describe, expect, it } from 'vitest';
import { describeSeries, repeatOf } from '../../bench/a-a/series.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';

describe('a series of A/A experiments', async () => {
  const result = await sampleResult({ variants: { a: 1, 'a-again': 1 }, blocks: 10 });
  const repeat = repeatOf(result);
  const series = { kind: 'pgduet-a-a-series', toolVersion: '0.1.0', place: 'a machine' } as const;

  it('keeps the throughput of both sides of every block', () => {
    const measured = (variant: string) =>
      result.trials.flatMap(({ conditions, measures }) => (conditions.variant === variant ? [measures['tps']] : []));
    expect(repeat).toMatchObject({ verdict: 'equivalent', seed: 1 });
    expect(repeat.tps).toHaveLength(10);
    expect(repeat.tps.map(([a]) => a)).toEqual(measured('a'));
    expect(repeat.tps.map(([, again]) => again)).toEqual(measured('a-again'));
  });

  it('counts verdicts and intervals that find a difference, with the interval of so few', () => {
    const wrong = { ...repeat, verdict: 'better', interval: { low: 0.01, high: 0.03, level: 0.95 } };
    const now = { ...series, repeats: [...Array.from({ length: 19 }, () => repeat), wrong] };
    const text = describeSeries([{ name: 'now', series: now }]);
    expect(text).toContain('Place of the last series: a machine.');
    // binom.test(1, 20) in R gives 0.13% to 24.87%.
    expect(text).toContain('| called better or worse although nothing differs | 1 of 20 (0.1% to 24.9%) |');
    expect(text).toContain('| intervals that exclude zero | 1 of 20');
    expect(text).toContain('| 1.0% to 3.0% | 95.0% | better |');
  });

  it('says of a repeat without an interval that it has none', () => {
    const few = { ...repeat, verdict: 'descriptive', interval: null, change: null };
    expect(describeSeries([{ name: 'now', series: { ...series, repeats: [few] } }])).toContain(
      '| 10 | – | – | – | descriptive |',
    );
  });

  it('tells how many blocks settle five percent, from the spread of blocks, beside an earlier series', () => {
    const spreadBy = (spread: number) => ({
      ...series,
      repeats: [
        {
          ...repeat,
          tps: Array.from(
            { length: 10 },
            (_, index) => [100, 100 * Math.exp(index % 2 === 0 ? spread : -spread)] as const,
          ),
        },
      ],
    });
    const text = describeSeries([
      { name: 'before', series: spreadBy(0.11) },
      { name: 'now', series: spreadBy(0.02) },
    ]);
    const [, before, now] = /settle a difference of 5% \| (\d+) \| (\d+) \|/.exec(text) ?? [];
    expect(Number(before)).toBeGreaterThan(40);
    expect(Number(now)).toBeLessThan(10);
    expect(text).toContain('| median spread of a block’s log-ratio | 11.6 points | 2.1 points |');
  });
});

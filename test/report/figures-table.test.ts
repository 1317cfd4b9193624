import { describe, expect, it } from 'vitest';
import { catalogue } from '../../runner/metrics/catalogue.ts';
import { changedSample } from '../helpers/samples/changed-sample.ts';
import { failedCheck } from '../helpers/samples/measured-trial.ts';
import { deployWithCosts } from '../helpers/samples/deployed-sample.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';
import { figuresTable } from '../../runner/report/sections/figures.ts';

/** A candidate with more throughput and longer p99.9 latencies, in every block a little differently. */
const slowTail = () =>
  changedSample({}, ({ trials }) => {
    for (const { conditions, measures, block } of trials) {
      const factor = conditions.variant === 'with-log-volume' ? 1.4 + block / 100 : 1;
      Object.assign(measures, { 'latency.p999': 0.05 * factor });
    }
  });

describe('the figures beside the answer', () => {
  it('are the declared metric first, p99 latency, and what got worse, each with its two values', async () => {
    const { result } = await slowTail();
    const { rows } = figuresTable(result);
    expect(rows.map(({ cells }) => cells[0])).toEqual(['TPS', 'latency p99 (ms)', 'latency p99.9 (ms)']);
    expect(rows.map(({ cells }) => cells.at(-1))).toEqual(['better', expect.stringMatching(/^(better|)$/), 'worse']);
    expect(rows[2]?.cells.slice(1, 3)).toEqual(['50.0', '71.7']);
    expect(rows[2]).toMatchObject({ tone: 'bad' });
  });

  it('say of each that was not declared on which side of zero its interval lies, in both directions, and that this is no verdict', async () => {
    const { result } = await changedSample({}, ({ trials }) => {
      for (const { conditions, measures, block } of trials) {
        const isBaseline = conditions.variant === 'without-log-volume';
        Object.assign(measures, {
          'latency.p50': isBaseline ? 0.01 : 0.02 + block / 1000,
          'latency.p99': isBaseline ? 0.1 : 0.02 + block / 1000,
        });
      }
    });
    const { rows } = figuresTable(result);
    const shown = rows.map(({ cells, tone }) => [cells[0], cells.at(-1), tone]);
    expect(shown).toEqual([
      ['TPS', 'better', 'good'],
      ['latency p50 (ms)', 'worse', 'bad'],
      ['latency p99 (ms)', 'better', 'good'],
    ]);
  });

  it('say nothing of what was not declared if its interval holds zero, or if there is no verdict', async () => {
    const same = figuresTable(await sampleResult({ variants: { base: 1, same: 1 } }));
    expect(same.rows.slice(1).map(({ cells, tone }) => [cells.at(-1), tone])).toEqual([['', undefined]]);
    const { result } = await changedSample({}, ({ trials }) =>
      trials.forEach((trial) => (trial.checks = [failedCheck])),
    );
    expect(figuresTable(result).rows.map(({ cells }) => cells.at(-1))).toEqual(['withheld', '']);
  });

  it('have the price of both sides and what a dollar buys', async () => {
    const { result } = await changedSample({}, deployWithCosts);
    const { rows } = figuresTable(result);
    const [price, perDollar] = rows.slice(-2).map(({ cells }) => cells);
    expect(price?.slice(0, 4)).toEqual(['price a month', '$1,784', '$2,209', '+23.8%']);
    expect(perDollar?.[0]).toBe('TPS per dollar');
    expect(perDollar?.[3]).toMatch(/^\+5\.\d%$/);
  });

  it('stand only for one pair of variants', async () => {
    expect(figuresTable(await sampleResult({ variants: { base: 1, a: 1.2, b: 1.3 } })).rows).toEqual([]);
  });

  it('name each estimate as one', () => {
    for (const { label, estimate } of catalogue) expect(label.includes('estimated')).toBe(estimate !== undefined);
  });
});

import { describe, expect, it } from 'vitest';
import type { Distribution } from '../../runner/contract/distribution.ts';
import { catalogue } from '../../runner/metrics/catalogue.ts';
import { changedSample } from '../helpers/samples/changed-sample.ts';
import { failedCheck } from '../helpers/samples/measured-trial.ts';
import { deployWithCosts } from '../helpers/samples/deployed-sample.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';
import { figuresTable } from '../../runner/report/sections/figures.ts';
import { worseIn, worseSentences } from '../../runner/report/sections/worse.ts';
import { comparisonTables } from '../../runner/report/sections/comparison.ts';
import { evidenceTable } from '../../runner/report/sections/evidence.ts';
import { reported } from '../../runner/report/reported.ts';

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

  it('say what the values are if they are not the medians', async () => {
    const result = await sampleResult();
    expect(figuresTable(result).notes.join('')).toMatch(/Values: centres over the pairs, not medians\.$/);
    const comparisons = result.comparisons.map(({ baseline, candidate, ...one }) => ({
      ...one,
      baseline: { ...baseline, value: baseline.median },
      candidate: { ...candidate, value: candidate.median },
    }));
    expect(figuresTable({ ...result, comparisons }).notes.join('')).not.toContain('Values');
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
    const { rows, notes } = figuresTable(result);
    const shown = rows.map(({ cells, tone }) => [cells[0], cells.at(-1), tone]);
    expect(shown).toEqual([
      ['TPS', 'better', 'good'],
      ['latency p50 (ms)', 'worse', 'bad'],
      ['latency p99 (ms)', 'better', 'good'],
    ]);
    expect(notes[0]).toBe('Only the row in bold is a verdict; others describe.');
  });

  it('say nothing of what was not declared if its interval holds zero, or if there is no verdict', async () => {
    const same = figuresTable(await sampleResult({ variants: { base: 1, same: 1 } }));
    expect(same.rows.slice(1).map(({ cells, tone }) => [cells.at(-1), tone])).toEqual([['', undefined]]);
    expect(same.notes.join('')).not.toContain('verdict');
    const { result } = await changedSample({}, ({ trials }) =>
      trials.forEach((trial) => (trial.checks = [failedCheck])),
    );
    expect(figuresTable(result).rows.map(({ cells }) => cells.at(-1))).toEqual(['withheld', '']);
  });

  it('have the price of both sides and what a dollar buys', async () => {
    const { result } = await changedSample({}, deployWithCosts);
    const { rows } = figuresTable(result);
    const [price, perDollar] = rows.slice(-2).map(({ cells }) => cells);
    expect(price?.slice(0, 4)).toEqual(['price a month', '$1,784', '$2,209', '+23.8 %']);
    expect(perDollar?.[0]).toBe('TPS per dollar');
    expect(perDollar?.[3]).toMatch(/^\+5\.\d %$/);
  });

  it('stand only for one pair of variants', async () => {
    expect(figuresTable(await sampleResult({ variants: { base: 1, a: 1.2, b: 1.3 } })).rows).toEqual([]);
  });
});

describe('what got worse', () => {
  it('is nothing whose interval holds zero, and never the metric that decides', async () => {
    const same = await sampleResult({ variants: { base: 1, same: 1 } });
    expect(worseIn(same.comparisons, 0.05)).toEqual([]);
    const slow = await sampleResult({ variants: { base: 1, slow: 0.7 } });
    expect(worseIn(slow.comparisons, 0.05).map(({ metric }) => metric)).not.toContain('tps');
    expect(worseIn(slow.comparisons, 0.05).map(({ metric }) => metric)).toContain('latency.p99');
  });

  it('is said in one sentence, with both values and the metrics that were looked at', async () => {
    const { result } = await slowTail();
    expect(worseSentences(result)).toEqual([
      expect.stringMatching(
        /^What got worse: latency p99\.9 43 % higher \(4\d to 4\d %\), 50\.0 to 71\.7 ms \(of \w+ others that users notice\)\.$/,
      ),
    ]);
    const same = await sampleResult({ variants: { base: 1, same: 1 } });
    expect(worseSentences(same)).toEqual([
      expect.stringMatching(/^Nothing else got worse beyond chance \(of \w+ others that users notice\)\.$/),
    ]);
  });

  it('is named with its condition where other programs took more beside one side, which bounds no percentile', async () => {
    const disturbed = (others: number) =>
      changedSample({ blocks: 8 }, ({ trials }) => {
        for (const { conditions, measures, block } of trials) {
          const isCandidate = conditions.variant === 'with-log-volume';
          Object.assign(measures, {
            tps: isCandidate === (block % 2 === 0) ? 115 : 100,
            'latency.p99': isCandidate ? 0.05 + block / 1000 : 0.04,
            'driver.others': isCandidate ? others : 0.05,
            'driver.own': 0.5,
            'driver.awake': 1,
          });
        }
      });
    const { result } = await disturbed(0.3);
    const p99 = result.comparisons.find(({ metric }) => metric === 'latency.p99');
    expect(p99).toMatchObject({ verdict: null, undecided: 'other programs' });
    expect(worseIn(result.comparisons, 0.05)).toEqual([]);
    expect(worseSentences(result).join(' ')).toMatch(
      /^Other programs can explain what else got worse: latency p99 3\d % higher .* that users notice\)\.$/,
    );
    const { result: even } = await disturbed(0.05);
    expect(worseIn(even.comparisons, 0.05).map(({ metric }) => metric)).toEqual(['latency.p99']);
    expect(worseSentences(even).join(' ')).toMatch(/^What got worse beside other programs: latency p99 3\d % higher/);
  });

  it('could not be judged where there are no intervals, and the values are shown', async () => {
    const worse = await sampleResult({ blocks: 4, variants: { base: 1, slow: 0.7 } });
    expect(worseIn(worse.comparisons, 0.05)).toEqual([]);
    expect(worseSentences(worse)).toEqual([
      expect.stringMatching(
        /^What else got worse could not be judged: \w+ metrics have no interval\. On the worse side: latency \w+ 4\d % higher, [\d.]+ to [\d.]+ ms; .*, and 3 more\.$/,
      ),
    ]);
    const better = await sampleResult({ blocks: 4, variants: { base: 1, fast: 1.5 } });
    expect(worseSentences(better)).toEqual([
      expect.stringMatching(/: \w+ metrics have no interval, and none of them is on the worse side\.$/),
    ]);
  });

  describe('has with the first percentile where the distributions of latency cross', () => {
    const worded = async (p50: number, p99: number, crossing: Distribution['crossing']): Promise<string> => {
      const { result } = await changedSample({}, ({ trials }) => {
        for (const { conditions, measures, block } of trials) {
          const isCandidate = conditions.variant === 'with-log-volume';
          const vary = 1 + 0.001 * block;
          Object.assign(measures, {
            'latency.p50': 0.01 * (isCandidate ? p50 : 1) * vary,
            'latency.p95': null,
            'latency.p99': 0.1 * (isCandidate ? p99 : 1) * vary,
            'latency.p999': null,
          });
        }
      });
      const [first] = result.distributions ?? [];
      if (!first) throw new Error('the sample has no classes of latency');
      return worseSentences({ ...result, distributions: [{ ...first, crossing }] }).join(' ');
    };
    const candidate = 'with-log-volume';
    const baseline = 'without-log-volume';

    it.each([
      [1.3, 0.5, { share: 0.717, longerBelow: candidate }, 'p50', 'longer up to about p70, and less time above'],
      [0.8, 1.5, { share: 0.934, longerBelow: baseline }, 'p99', 'longer above about p93, and less time below'],
    ])('p50 times %d, p99 times %d', async (p50, p99, crossing, name, words) => {
      expect(await worded(p50, p99, crossing)).toMatch(
        new RegExp(`^What got worse: latency ${name} \\d+ % higher .* ms \\(transactions take ${words}\\)`),
      );
    });

    it.each([
      ['no percentile shows one side of it', 1.3, 1, { share: 0.7, longerBelow: candidate }],
      ['percentiles contradict it', 1.3, 0.5, { share: 0.7, longerBelow: baseline }],
      ['it lies beyond the percentiles', 1.3, 0.5, { share: 0.995, longerBelow: candidate }],
      ['there is none', 1.3, 0.5, null],
    ])('but not where %s', async (_, p50, p99, crossing) => {
      const sentence = await worded(p50, p99, crossing);
      expect(sentence).toContain('latency p50 30 % higher');
      expect(sentence).not.toContain('transactions take');
    });
  });

  it('is not said where there is no verdict', async () => {
    expect(worseSentences(await sampleResult({ blocks: 6, variants: { a: 1, b: 0.7, c: 0.8 } }))).not.toEqual([]);
    const { result } = await changedSample({}, ({ trials }) =>
      trials.forEach((trial) => (trial.checks = [failedCheck])),
    );
    expect(worseSentences(result)).toEqual([]);
  });

  it('has recovery after a crash only if it takes a second longer', async () => {
    const withRecovery = async (after: number): Promise<string> => {
      const { result } = await changedSample({}, ({ trials }) => {
        for (const { conditions, block, measures } of trials) {
          const seconds = conditions.variant === 'with-log-volume' ? after : 1;
          Object.assign(measures, { 'debt.recoverySeconds': seconds * (1 + 0.001 * block) });
        }
      });
      return worseSentences(result).join(' ');
    };
    expect(await withRecovery(9)).toMatch(
      /recovery after a crash, estimated, 9 times as high \(.* times, by its inputs alone\), 1\.\d+ to 9\.\d+ s/,
    );
    expect(await withRecovery(1.9)).not.toContain('recovery');
  });

  it('begins with what clients measured, then has dirty buffers, and then what is estimated from them', async () => {
    const of = async (recoverySeconds: number) => {
      const { result } = await changedSample({}, ({ trials }) => {
        for (const { conditions, block, measures } of trials) {
          const isCandidate = conditions.variant === 'with-log-volume';
          const vary = 1 + 0.001 * block;
          Object.assign(measures, {
            'latency.p50': 0.01 * (isCandidate ? 1.2 : 1) * vary,
            'debt.dirtyBuffers': 1000 * (isCandidate ? 1.5 : 1) * vary,
            'debt.recoverySeconds': (isCandidate ? recoverySeconds : 1) * vary,
          });
        }
      });
      return result;
    };
    const { comparisons, variants } = await of(9);
    const worse = worseIn(comparisons, 0.05).map(({ metric }) => metric);
    expect(worse).toEqual(['latency.p50', 'debt.dirtyBuffers', 'debt.recoverySeconds']);
    // No word of a verdict stands beside an estimate.
    const rows = figuresTable({ comparisons, variants }).rows.map(({ cells }) => cells[0]);
    expect(rows).toContain('dirty buffers left');
    expect(rows.filter((label) => label?.includes('recovery'))).toEqual([]);
    // By themselves, nobody notices dirty buffers.
    expect(worseIn((await of(1.9)).comparisons, 0.05).map(({ metric }) => metric)).toEqual(['latency.p50']);
  });

  it('names each estimate as one wherever it stands, with its formula below the table', async () => {
    const { result } = await changedSample({}, ({ trials }) =>
      trials.forEach(({ measures }) => Object.assign(measures, { 'debt.recoverySeconds': 2 })),
    );
    const tables = [...comparisonTables(result.comparisons), evidenceTable(result, reported(result).counted)];
    for (const { rows, notes } of tables) {
      expect(rows.map(({ cells }) => cells[0])).toContain('recovery after a crash, estimated (s)');
      expect(notes.join(' ')).toContain(
        'dirty buffers left / IOPS limit of the data volume + WAL to replay / 300 MB/s',
      );
    }
    for (const { label, estimate } of catalogue) expect(label.includes('estimated')).toBe(estimate !== undefined);
  });

  it('begins with the largest change', async () => {
    const { result } = await slowTail();
    expect(worseIn(result.comparisons, 0.05).map(({ metric }) => metric)).toEqual(['latency.p999']);
  });
});

import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../runner/contract/comparison.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';
import { protocolWords } from '../../runner/report/sections/method.ts';

async function orderWords(
  until: 'precision' | 'verdict',
  stoppedAfterBlock?: number,
  verdict: Verdict | null = 'better',
) {
  const result = await sampleResult({ blocks: 8 });
  const { protocol } = result.experiment.definition;
  Object.assign(protocol, { until, blocks: 12 });
  const comparisons = result.comparisons.map((one) => (one.primary ? { ...one, verdict } : one));
  const ended = { ...result, comparisons, ...(stoppedAfterBlock !== undefined && { stoppedAfterBlock }) };
  return new Map(protocolWords(ended)).get('Order')?.split(';')[0];
}

describe('the words on why a run stopped', () => {
  it('say after how many blocks there was a verdict', async () => {
    expect(await orderWords('verdict', 8)).toBe('twelve blocks planned at most, a verdict after eight');
    expect(await orderWords('verdict')).toBe('twelve blocks planned at most, until a verdict');
  });

  it('claim no verdict that a check then took away', async () => {
    const words = 'twelve blocks planned at most, stopped after eight, but a verdict was then withheld';
    expect(await orderWords('verdict', 8, null)).toBe(words);
    expect(await orderWords('verdict', 8, 'descriptive')).toBe(words);
  });

  it('claim no precision of a run that ended at its last block: that look ends it at any width', async () => {
    expect(await orderWords('precision', 8)).toBe('twelve blocks planned at most, precise enough after eight');
    expect(await orderWords('precision', 12)).toBe('twelve blocks planned at most, all measured');
  });
});

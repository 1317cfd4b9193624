import { describe, expect, it } from 'vitest';
import { pairsCsv } from '../../runner/report/write-report.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';

describe('pairs.csv', () => {
  it('holds exactly the pairs that each estimate used, with the attempt that counts', async () => {
    const result = await sampleResult({ repeatedBlock: { block: 2, factor: 1.5 } });
    const [header = '', ...rows] = pairsCsv(result).trim().split('\n');
    expect(header).toBe(
      'metric,unit,primary,baseline_variant,candidate_variant,scope,blocks,attempts,replicas,exchange,baseline,candidate,change',
    );
    const used = result.comparisons.flatMap(({ metric, pairs }) => pairs.map((pair) => ({ metric, ...pair })));
    expect(
      rows.map((row) => {
        const [metric, , , , , , block, attempt, , , baseline, candidate, change] = row.split(',');
        return {
          metric,
          block: Number(block),
          attempt: Number(attempt),
          baseline: Number(baseline),
          candidate: Number(candidate),
          change: Number(change),
        };
      }),
    ).toEqual(used);
    const [, second] = used;
    expect(second).toMatchObject({ metric: 'tps', block: 2, attempt: 2 });
  });

  it('holds no text that a spreadsheet would run, and every number as it is', async () => {
    const { comparisons } = await sampleResult();
    const [first] = comparisons;
    if (!first) throw new Error('nothing was compared');
    const rowWith = (variant: string): string[] => {
      const hostile = { ...first, baseline: { ...first.baseline, variant }, pairs: first.pairs.slice(0, 1) };
      return pairsCsv({ comparisons: [hostile] })
        .trimEnd()
        .split('\n');
    };
    for (const begin of ['=', '+', '-', '@', '\t', '\r']) {
      expect(rowWith(`${begin}cmd|' /C calc'!A0`).join('\n'), begin).toContain(`'${begin}cmd|`);
    }
    const [header = '', row = ''] = rowWith('plain');
    const change = row.split(',')[header.split(',').indexOf('change')];
    expect(change).toBe(String(first.pairs[0]?.change));
    const fallen = { ...first, pairs: first.pairs.map((pair) => ({ ...pair, change: -0.25 })) };
    expect(pairsCsv({ comparisons: [fallen] })).toContain(',-0.25\n');
  });

  it('is a head alone where nothing was compared', () => {
    expect(pairsCsv({ comparisons: [] }).trim().split('\n')).toHaveLength(1);
  });
});

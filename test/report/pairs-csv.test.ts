import { describe, expect, it } from 'vitest';
import { pairsCsv } from '../../runner/report/pairs-csv.ts';
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
          ...{ block: Number(block), attempt: Number(attempt) },
          ...{ baseline: Number(baseline), candidate: Number(candidate), change: Number(change) },
        };
      }),
    ).toEqual(used);
    const [, second] = used;
    expect(second).toMatchObject({ metric: 'tps', block: 2, attempt: 2 });
  });

  it('is a head alone where nothing was compared', () => {
    expect(pairsCsv({ comparisons: [] }).trim().split('\n')).toHaveLength(1);
  });
});

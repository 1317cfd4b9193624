import { describe, expect, it } from 'vitest';
import type { Result } from '../../runner/contract/result.ts';
import { membersTables } from '../../runner/metrics/catalogue.ts';
import { drawnIn } from '../../runner/report/sections/section.ts';
import { sections } from '../../runner/report/sections/registry.ts';
import { changedSample } from '../helpers/samples/changed-sample.ts';
import { ladderSample } from '../helpers/samples/reported-results.ts';
import { membersOfPair } from '../../runner/report/sections/members.ts';
import { groupsOf, type Table } from '../../runner/report/media/table.ts';
import { reported } from '../../runner/report/reported.ts';

const procedures = membersTables.find(({ id }) => id === 'procedures');
if (!procedures) throw new Error('no table of procedures');

/** A run of which the candidate's new orders take half as long, and only the baseline has deliveries. */
async function run(): Promise<Result> {
  const { result } = await changedSample({}, ({ trials }) => {
    for (const trial of trials) {
      const isCandidate = trial.conditions.variant === 'with-log-volume';
      trial.measures = {
        ...trial.measures,
        'procedures.neword.p95': (isCandidate ? 0.01 : 0.02) + trial.block / 1e5,
        ...(!isCandidate && { 'procedures.delivery.p95': 0.05 }),
      };
    }
  });
  return result;
}

const tablesOf = (medium: 'terminal' | 'markdown' | 'page', result: Result): Table[] => {
  const own = sections.filter(({ id }) => id === procedures.id);
  const parts = drawnIn(medium, own, reported(result)).flatMap(({ drawn }) => drawn.flatMap((block) => block.parts));
  return parts.flatMap((part) => (part.kind === 'table' ? part.table : []));
};

describe('a table of members', () => {
  it('has the change between two sides, and its interval where the metric was compared, as result.json has them', async () => {
    const result = await run();
    const [table, ...others] = tablesOf('page', result);
    expect(others).toEqual([]);
    expect(table?.columns).toHaveLength(5);
    const groups = groupsOf(table?.rows ?? []);
    const [delivery, neword] = groups.flatMap(({ rows }) => rows);
    expect(delivery?.cells).toEqual(['delivery: p95 (ms)', '50.0', '–', '–', '–']);
    const compared = result.comparisons.find(({ metric }) => metric === 'procedures.neword.p95');
    expect(compared?.change).toBeCloseTo(-0.5, 2);
    const [label, , , change, interval] = neword?.cells ?? [];
    expect(label).toBe('neword: p95 (ms)');
    expect(change).toBe(`−${(Math.abs(compared?.change ?? 0) * 100).toFixed(1)}%`);
    expect(interval).toMatch(/^−\d+(\.\d+)?% to −\d+(\.\d+)?%$/);
    expect(neword).toMatchObject({ differs: true, emphasis: 'strong' });
  });

  it('is the same in Markdown', async () => {
    const result = await run();
    expect(tablesOf('markdown', result)).toEqual(tablesOf('page', result));
  });

  it('has a row for each side and no change of several levels', async () => {
    const { result } = await ladderSample({ blocks: 2 }, [1, 4]);
    expect(membersOfPair(result, new Set(result.trials.map(({ id }) => id)), procedures)).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { chartSubjects } from '../../runner/report/charts/subject.ts';
import { charts } from '../../runner/report/charts/trials.ts';
import { renderHtml } from '../helpers/shown/render-html.ts';
import { renderMarkdown } from '../../runner/report/markdown.ts';
import { pairsCsv } from '../../runner/report/write-report.ts';
import { renderTerminal } from '../../runner/report/terminal/terminal.ts';
import { replicatedRun } from '../helpers/samples/replicated-sample.ts';
import { doubtDefinitions } from '../../runner/analysis/validity/doubts.ts';
import { tablesOf } from '../helpers/shown/section-tables.ts';
import { reported } from '../../runner/report/reported.ts';

describe('the report of three pairs of instances', async () => {
  const { result, series } = await replicatedRun([1, 1.1, 0.9], { variants: { base: 1, quick: 1.3 } });
  const view = reported(result);

  const primary = result.comparisons.find((comparison) => comparison.primary);
  const described = result.comparisons.find(({ scope }) => scope === 'configurations');

  it('judges these instances by the blocks over all pairs, and counts all of their trials', () => {
    expect(primary).toMatchObject({ scope: 'these-instances', verdict: 'better', baseline: { n: 6 } });
    expect(primary?.pairs[0]).toMatchObject({ blocks: [1, 1, 1], attempts: [1, 1, 1], replicas: [1, 2, 3] });
    expect(result.complete).toBe(true);
    const { missingTrials, unusedTrials } = doubtDefinitions;
    expect(view.doubts.filter(({ id }) => [missingTrials.id, unusedTrials.id].includes(id))).toEqual([]);
  });

  it('describes the configurations by the change of each pair, without a verdict', () => {
    expect(described).toMatchObject({ metric: 'tps', primary: false, verdict: null, interval: null });
    expect(described?.pairs.map(({ replica, blocks }) => [replica, blocks])).toEqual(
      [1, 2, 3].map((replica) => [replica, [1, 2, 3, 4, 5, 6]]),
    );
    const changes = described?.pairs.map(({ change }) => change ?? NaN) ?? [];
    for (const [index, factor] of [1, 1.1, 0.9].entries()) expect(changes[index]).toBeCloseTo(1.3 * factor - 1, 1);
    expect(view.answers[0]?.evidence).toMatch(/Per instance pair: replica 1 \+\d+.*replica 3 \+\d+/);
  });

  it('shows what each variant is in one column, with every value that one of its servers has', () => {
    const changed = structuredClone(result);
    for (const record of changed.variants) {
      if (record.name === 'quick' && record.replica === 2) record.serverVersion = '16.16';
    }
    const { columns, rows } = tablesOf(changed, 'settings')[0] ?? { columns: [], rows: [] };
    expect(columns.map(({ label }) => label)).toEqual(['setting', 'base', 'quick']);
    expect(rows.find(({ cells }) => cells[0] === 'PostgreSQL')?.cells).toEqual(['PostgreSQL', '16.15', '16.15, 16.16']);
  });

  it('draws all pairs in one picture, every variant once', () => {
    const [subject, ...others] = chartSubjects(result);
    expect(others).toEqual([]);
    expect(subject?.variants.map(({ name }) => name)).toEqual(['base', 'quick']);
    expect(subject?.trials).toHaveLength(36);
    for (const chart of charts) expect(subject && chart(subject)).not.toBeNull();
  });

  it('tells the pairs apart wherever it is read', async () => {
    const html = await renderHtml(result, series);
    const texts = [html, renderMarkdown(result), renderTerminal(result, { columns: 120, colour: false })];
    for (const text of texts) expect(text).toContain('replica 3');
    expect(pairsCsv(result)).toContain(',configurations,1 2 3 4 5 6,1 1 1 1 1 1,3 3 3 3 3 3,');
  });
});

describe('the report of six pairs of instances', async () => {
  const { result } = await replicatedRun([1, 1.04, 0.97, 1.02, 0.98, 1.01], { variants: { base: 1, quick: 1.3 } });
  const primary = result.comparisons.find((comparison) => comparison.primary);

  it('takes each pair as one value, and speaks of the configurations', () => {
    expect(primary).toMatchObject({ scope: 'configurations', verdict: 'better', baseline: { n: 6 } });
    expect(primary?.interval?.level).toBe(0.96875);
    expect(primary?.pairs.map(({ replica }) => replica)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(result.comparisons.filter(({ metric }) => metric === 'tps')).toHaveLength(1);
  });
});

describe('hosts that differ by more than the effect', () => {
  it('leave these instances a verdict and the configurations none', async () => {
    const hosts = [1.3, 1 / 1.3, 1.25, 1 / 1.25, 1.35, 1 / 1.35];
    const few = await replicatedRun(hosts.slice(0, 1).concat(1.2, 1.25), { variants: { base: 1, quick: 1 } });
    expect(few.result.comparisons.find(({ primary }) => primary)).toMatchObject({
      scope: 'these-instances',
      verdict: 'better',
    });
    const many = await replicatedRun(hosts, { variants: { base: 1, quick: 1 } });
    expect(many.result.comparisons.find(({ primary }) => primary)).toMatchObject({
      scope: 'configurations',
      verdict: 'inconclusive',
    });
  });
});

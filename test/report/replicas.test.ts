import { describe, expect, it } from 'vitest';
import { chartSubjects } from '../../runner/report/charts/subject.ts';
import { charts } from '../../runner/report/charts/registry.ts';
import { renderHtml } from '../../runner/report/html/page.ts';
import { renderMarkdown } from '../../runner/report/markdown.ts';
import { pairsCsv } from '../../runner/report/pairs-csv.ts';
import { renderTerminal } from '../../runner/report/terminal/terminal.ts';
import { viewResult } from '../../runner/report/view/view-model.ts';
import { replicatedRun } from '../helpers/samples/replicated-sample.ts';

describe('the report of three pairs of instances', async () => {
  const { result, series } = await replicatedRun([1, 1.1, 0.9], { variants: { base: 1, quick: 1.3 } });
  const view = viewResult(result);

  it('compares the two of each pair with each other, and counts all of their trials', () => {
    expect(view.comparisons.map(({ title }) => title)).toEqual([
      'quick against base on replica 1',
      'quick against base on replica 2',
      'quick against base on replica 3',
    ]);
    expect(result.complete).toBe(true);
    expect(view.attention.join('\n')).not.toMatch(/not count|missing/);
  });

  it('says how many instances of each variant there were', () => {
    expect(view.protocol).toContainEqual(['Replicas', 'three instances of each variant, each on a host of its own']);
  });

  it('shows what each variant is in one column, with every value that one of its servers has', () => {
    const changed = structuredClone(result);
    for (const record of changed.variants) {
      if (record.name === 'quick' && record.replica === 2) record.serverVersion = '16.16';
    }
    const { columns, rows } = viewResult(changed).settings;
    expect(columns.map(({ label }) => label)).toEqual(['', 'base', 'quick']);
    expect(rows.find(({ cells }) => cells[0] === 'PostgreSQL')?.cells).toEqual(['PostgreSQL', '16.15', '16.15, 16.16']);
  });

  it('draws each pair by itself, every variant once', async () => {
    const subjects = chartSubjects(result, series);
    expect(subjects.map(({ level }) => level)).toEqual([{ replica: 1 }, { replica: 2 }, { replica: 3 }]);
    for (const subject of subjects) {
      expect(subject.variants.map(({ name }) => name)).toEqual(['base', 'quick']);
      const figures = await Promise.all(charts.map((chart) => chart(subject)));
      for (const figure of figures) expect(figure?.title).toContain(`on replica ${subject.level['replica'] ?? ''}`);
    }
  });

  it('tells the pairs apart wherever it is read', async () => {
    const html = await renderHtml(result, series);
    const texts = [html, renderMarkdown(result), renderTerminal(result, { columns: 120, colour: false })];
    for (const text of texts) expect(text).toContain('replica 3');
    expect(pairsCsv(result).split('\n')[0]).toContain('candidate_variant,replica,block');
  });
});

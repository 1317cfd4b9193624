import { beforeAll, expect, it, vi } from 'vitest';
import type { OpenedResult } from '../../runner/analysis/open-result.ts';
import { renderHtml } from '../helpers/shown/render-html.ts';
import { renderMarkdown } from '../../runner/report/markdown.ts';
import { renderTerminal } from '../../runner/report/terminal/terminal.ts';
import { sampleRun } from '../helpers/samples/sample-result.ts';

// A new section needs only this line.
vi.mock(import('../../runner/report/sections/registry.ts'), async (original) => {
  const { stripsSection } = await import('../helpers/own-section.ts');
  const registry = await original();
  return { ...registry, sections: [...registry.sections, stripsSection] };
});

let run: OpenedResult;
beforeAll(async () => {
  run = await sampleRun({ failedTrial: { block: 2, variant: 'with-log-volume' } });
});

it('a section with a layout of its own is drawn in a terminal, within its columns', () => {
  const drawn = (columns: number): string =>
    renderTerminal(run.result, { columns, colour: false }).split('Trials in strips\n')[1] ?? '';
  expect(drawn(80)).toBe('■■■■■■ without-log-volume\n■□■■■■ with-log-volume\n');
  expect(drawn(16)).toBe('■■■■■■ without-l\n■□■■■■ with-log-\n');
});

it('in Markdown', () => {
  expect(renderMarkdown(run.result)).toContain(
    '<details><summary>Trials in strips</summary>\n\n```\n■■■■■■ without-log-volume\n■□■■■■ with-log-volume\n```\n',
  );
});

it('and on the page, with styles of its own', async () => {
  const page = await renderHtml(run.result, run.series);
  expect(page).toContain('<h2 id="strips-title">Trials in strips</h2>');
  expect(page.split('<div class="strips"')).toHaveLength(3);
  expect(page.split('<span class="failed">failed</span>')).toHaveLength(2);
  expect(page.split('</style>')[0]).toContain('.strips .failed { background: var(--bad); }');
});

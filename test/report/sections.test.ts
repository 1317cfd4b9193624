import { describe, expect, it } from 'vitest';
import type { Result } from '../../runner/contract/result.ts';
import { chartFiles } from '../../runner/report/chart-files.ts';
import { renderHtml } from '../helpers/shown/render-html.ts';
import { renderMarkdown } from '../../runner/report/markdown.ts';
import { sections } from '../../runner/report/sections/registry.ts';
import { drawnIn, type Medium } from '../../runner/report/sections/section.ts';
import type { SeriesSource } from '../../runner/storage/series.ts';
import { renderTerminal } from '../../runner/report/terminal/terminal.ts';
import { reportedResults } from '../helpers/samples/reported-results.ts';
import { fullRun } from '../helpers/samples/full-sample.ts';
import { seriesInMemory } from '../helpers/samples/sample-result.ts';
import { reported } from '../../runner/report/reported.ts';

/** Some seconds of throughput for each trial, so that there is a picture of them. */
function seriesOf({ trials }: Result): SeriesSource {
  const rows = [1000, 1100, 1050, 1000, 900].map((value, second) => ({ second, name: 'tps', value }));
  return seriesInMemory(new Map(trials.map(({ id }) => [id, rows])));
}

describe('every section of the report', () => {
  const drawn: Record<Medium, (result: Result) => string | Promise<string>> = {
    terminal: (result) => renderTerminal(result, { columns: 400, colour: false }),
    markdown: (result) => renderMarkdown(result, { charts: chartFiles(reported(result)) }),
    page: (result) => renderHtml(result, seriesOf(result)),
  };

  it.each(['terminal', 'markdown', 'page'] as const)(
    'stands in %s where it is said to, in the order of the list',
    async (medium) => {
      // A section stands for one level or for several, and pictures of the time only where the first screen has none.
      const ladder = await reportedResults['ladder']?.();
      const results = [(await fullRun()).result, (await fullRun([2])).result, ...(ladder ? [ladder.result] : [])];
      const titlesOf = (result: Result): string[] => {
        const all = drawnIn(medium, sections, reported(result));
        for (const { id, drawn: blocks } of all) if (blocks.length > 0) found.add(id);
        return all.flatMap((section) => section.drawn).flatMap(({ title }) => title ?? []);
      };
      const found = new Set<string>();
      for (const result of results) {
        const text = await drawn[medium](result);
        let before = 0;
        for (const title of titlesOf(result)) {
          const at = text.indexOf(title, before);
          expect(at, title).toBeGreaterThan(-1);
          before = at;
        }
      }
      const silent = sections.filter(({ id, shownIn }) => shownIn.includes(medium) && !found.has(id));
      expect(silent.map(({ id }) => id)).toEqual([]);
    },
  );

  it('has a name of its own in each medium', () => {
    for (const medium of Object.keys(drawn) as Medium[]) {
      const ids = sections.filter(({ shownIn }) => shownIn.includes(medium)).map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });
});

it('no head of a table says what stands for a member of a family', async () => {
  const of = reported((await fullRun()).result);
  const parts = drawnIn('page', sections, of).flatMap(({ drawn }) => drawn.flatMap((block) => block.parts));
  const heads = parts.flatMap((part) => (part.kind === 'table' ? part.table.columns.map(({ label }) => label) : []));
  expect(heads).toContain('until WAL was flushed (s)');
  expect(heads.filter((head) => head.includes('<'))).toEqual([]);
});

it('volumes stand against their limits in the terminal, also beside transactions by script and by procedure', async () => {
  const text = renderTerminal((await fullRun()).result, { columns: 120, colour: false });
  expect(text).toContain('Volumes, against their limits');
  expect(text).toContain('Transactions, by script');
});

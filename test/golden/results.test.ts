import { describe, expect, it } from 'vitest';
import { nextAfterRun } from '../../runner/cli/actions/next.ts';
import { chartFiles } from '../../runner/report/chart-files.ts';
import { renderPage } from '../../runner/report/html/page.ts';
import { renderMarkdown } from '../../runner/report/markdown.ts';
import { renderEnd, renderLastLines } from '../../runner/report/terminal/end.ts';
import { renderTerminal } from '../../runner/report/terminal/terminal.ts';
import { goldenResults } from './golden-results.ts';
import { pageWords } from './page-words.ts';
import { reported } from '../../runner/report/reported.ts';

/** The page says what report.md says, so these few are enough for what only the page has. */
const location = 'results/quick/latest';
const pages = ['verdict', 'variants', 'nothing-measured', 'everything'];

/**
 * What a reader sees of each result, in every form. `npm run goldens` writes these files anew: whoever changes words or layout reads
 * their diff. Other tests compare ids, codes and numbers.
 */
describe.each(Object.entries(goldenResults))('the golden screens of %s', (name, make) => {
  it('are as they were: in the terminal, at the end of a run, in report.md and in report.html', async () => {
    const { result, series } = (await make?.()) ?? {};
    if (!result || !series) throw new Error(`no such result: ${name}`);
    const of = reported(result);
    const terminal = (columns: number): string => renderTerminal(result, { columns, colour: false });
    const files = {
      'terminal-80.txt': terminal(80),
      'terminal-120.txt': terminal(120),
      'end.txt': `${renderEnd(result, { columns: 80, colour: false })}\n${renderLastLines(location, nextAfterRun(result, location, {}), 80)}\n`,
      'report.md': renderMarkdown(result, { charts: chartFiles(of) }),
      ...(pages.includes(name) && { 'page.txt': pageWords(await renderPage(of, series)) }),
    };
    for (const [file, text] of Object.entries(files)) await expect(text).toMatchFileSnapshot(`results/${name}/${file}`);
  });
});

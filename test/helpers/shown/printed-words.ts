import type { OpenedResult } from '../../../runner/analysis/open-result.ts';
import { renderPage } from '../../../runner/report/html/page.ts';
import { renderMarkdown } from '../../../runner/report/markdown.ts';
import { renderTerminal } from '../../../runner/report/terminal/terminal.ts';
import { reported } from '../../../runner/report/reported.ts';

export type PrintedForm = 'terminal' | 'Markdown' | 'HTML';

/** The words of a result as its reader sees them, in every form: without markup and without the breaks of lines. */
export async function printedWords({ result, series }: OpenedResult): Promise<Record<PrintedForm, string>> {
  return {
    terminal: unbroken(renderTerminal(result, { columns: 80, colour: false })),
    Markdown: unbroken(unescaped(renderMarkdown(result).replace(/\*\*/g, '').replace(/\\(.)/g, '$1'))),
    // A link stands within a sentence.
    HTML: unbroken(textsIn((await renderPage(reported(result), series)).replaceAll(/<\/?a\b[^>]*>/g, '')).join(' ')),
  };
}

/** The texts between the tags of a page. */
export function textsIn(page: string): string[] {
  return page
    .split(/<[^>]*>/)
    .map((text) => unbroken(unescaped(text)))
    .filter((text) => text !== '');
}

export function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

function unbroken(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

import type { OpenedResult } from '../../../runner/analysis/open-result.ts';
import type { Drawn } from '../../../runner/report/charts/render.ts';
import { renderPage } from '../../../runner/report/html/page.ts';
import { renderMarkdown } from '../../../runner/report/markdown.ts';
import { reported } from '../../../runner/report/sections/section.ts';
import { renderTerminal } from '../../../runner/report/terminal/terminal.ts';

export type PrintedForm = 'terminal' | 'Markdown' | 'HTML';

/** Each picture is an empty one: for tests that do not read pictures, since drawing them takes most of the time of a page. */
export function emptyPictures(): Drawn {
  const empty: Drawn = new Map();
  empty.get = () => '<svg></svg>';
  return empty;
}

/**
 * The words of a result as its reader sees them, in every form: without markup and without the breaks of lines.
 *
 * @param drawn pictures of the page. @default it draws them, and their words are among the others
 */
export async function printedWords(
  { result, series }: OpenedResult,
  drawn?: Drawn,
): Promise<Record<PrintedForm, string>> {
  return {
    terminal: unbroken(renderTerminal(result, { columns: 80, colour: false })),
    Markdown: unbroken(unescaped(renderMarkdown(result).replace(/\*\*/g, '').replace(/\\(.)/g, '$1'))),
    HTML: unbroken(textsIn(await renderPage(reported(result), series, drawn)).join(' ')),
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

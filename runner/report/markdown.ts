import type { Result } from '../contract/result.ts';
import type { KeptRun } from '../storage/kept-run.ts';
import type { ChartFile, ChartFiles } from './chart-files.ts';
import { firstScreenParagraphs } from './first-screen/in-markdown.ts';
import { firstScreen } from './first-screen/model.ts';
import { tableParagraphs } from './media/markdown-table.ts';
import { escape } from './media/markdown-text.ts';
import { sections } from './sections/registry.ts';
import { type SectionBlock, drawnIn, summaryOf, type Part } from './sections/section.ts';
import { reported } from './reported.ts';

/**
 * Makes report.md: the first screen of report.html in a few dozen lines, as a pull request wants it, and everything else folded. It can
 * also be read without being rendered.
 *
 * @param beside.charts the pictures beside it. They are folded, too: in a pull request, where the files are not, no broken
 *   picture stands in front. @default none
 * @param beside.kept what the folder of the run has for repeating and checking it. @default nothing
 */
export function renderMarkdown(
  result: Result,
  { charts = new Map(), kept }: { charts?: ChartFiles; kept?: KeptRun } = {},
): string {
  const of = reported(result, kept);
  return [
    ...firstScreenParagraphs(firstScreen(of)),
    ...drawnIn('markdown', sections, of).flatMap(({ drawn }) => drawn.flatMap((block) => folded(block, charts))),
  ]
    .join('\n\n')
    .concat('\n');
}

/** GitHub renders what stands between the tags, if empty lines separate it from them. */
function folded({ title, ...block }: SectionBlock, charts: ChartFiles): string[] {
  const content = block.parts.flatMap((part) => paragraphsOf(part, charts));
  if (content.length === 0) return [];
  const contents = summaryOf(block);
  const summary = `${title ?? ''}${contents === '' ? '' : ` (${contents})`}`;
  return [`<details><summary>${escape(summary)}</summary>`, ...content, '</details>'];
}

function paragraphsOf(part: Part, charts: ChartFiles): string[] {
  switch (part.kind) {
    case 'paragraph':
      return [escape(`${part.lead ?? ''}${part.text}`)];
    case 'list':
      return [part.items.map((item) => `- ${escape(item)}`).join('\n')];
    case 'terms':
      return [part.terms.map(([term, words]) => `- ${term}: ${escape(words)}`).join('\n')];
    case 'table':
      return tableParagraphs(part.table);
    case 'pictures':
      return (charts.get(part.id) ?? []).flatMap(pictureParagraphs);
    case 'from-series':
      return [];
    case 'own':
      return part.markdown();
  }
}

function pictureParagraphs({ name, title, caption, alternative }: ChartFile): string[] {
  return [`![${escape(`${title}. ${alternative}`)}](${name})`, escape(caption)];
}

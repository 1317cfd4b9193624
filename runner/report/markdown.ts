import type { Result } from '../contract/result.ts';
import type { KeptRun } from '../storage/kept-run.ts';
import type { ChartFile, ChartFiles } from './chart-files.ts';
import { escape } from './media/markdown-text.ts';
import { sections } from './sections/registry.ts';
import { type SectionBlock, drawnIn, type DrawnSection, summaryOf, type Part } from './sections/section.ts';
import { groupsOf, type Table } from './media/table.ts';
import { reported } from './reported.ts';

/**
 * Makes report.md: the card of report.html in a dozen lines, as a pull request wants it, and everything else folded. It can
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
  const drawn = drawnIn('markdown', sections, of);
  const isFront = ({ depth }: DrawnSection): boolean => depth === 'card' || depth === 'aside';
  const front = drawn.filter(isFront).flatMap((section) => section.drawn);
  const pictures = front.flatMap(({ parts }) => parts.filter(isPicture));
  return [
    `# ${escape(of.result.experiment.question)}`,
    ...front.flatMap((block) =>
      paragraphs({ ...block, parts: block.parts.filter((part) => !isPicture(part)) }, charts),
    ),
    ...folded({ title: `The answer in ${pictures.length > 1 ? 'pictures' : 'a picture'}`, parts: pictures }, charts),
    ...drawn
      .filter((section) => !isFront(section))
      .flatMap((section) => section.drawn.flatMap((block) => folded(block, charts))),
  ]
    .join('\n\n')
    .concat('\n');
}

const isPicture = ({ kind }: Part): boolean => kind === 'pictures';

/** GitHub renders what stands between the tags, if empty lines separate it from them. */
function folded({ title, ...block }: SectionBlock, charts: ChartFiles): string[] {
  const content = paragraphs(block, charts);
  if (content.length === 0) return [];
  const contents = summaryOf(block);
  const summary = `${title ?? ''}${contents === '' ? '' : ` (${contents})`}`;
  return [`<details><summary>${escape(summary)}</summary>`, ...content, '</details>'];
}

function paragraphs({ title, parts }: SectionBlock, charts: ChartFiles): string[] {
  const content = parts.flatMap((part) => paragraphsOf(part, charts));
  return title === undefined || content.length === 0 ? content : [`## ${escape(title)}`, ...content];
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

function tableParagraphs({ columns, rows, notes }: Table): string[] {
  const table = [
    line(columns.map(({ label }) => escape(label))),
    line(columns.map(({ align }) => (align === 'right' ? '--:' : ':--'))),
    ...groupsOf(rows).flatMap(({ group, rows: own }) => [
      ...(group === undefined ? [] : [line(columns.map((_, index) => (index === 0 ? `_${escape(group)}_` : '')))]),
      ...own.map(({ cells, emphasis }) =>
        line(cells.map((cell) => (emphasis === 'strong' && cell !== '' ? `**${escape(cell)}**` : escape(cell)))),
      ),
    ]),
  ];
  return [table.join('\n'), notes.map(escape).join(' ')].filter((part) => part !== '');
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

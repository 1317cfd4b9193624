import type { Result } from '../contract/result.ts';
import { escape } from './media/markdown-text.ts';
import { sections } from './sections/registry.ts';
import { type Block, blocksFor, depthOf, holdsOf, type Part, reported, type Section } from './sections/section.ts';
import { groupsOf, type Table } from './view/table.ts';

/**
 * Makes report.md: the card of report.html in a dozen lines, as a pull request wants it, and everything else folded. It can
 * also be read without being rendered.
 */
export function renderMarkdown(result: Result): string {
  const of = reported(result);
  const isFront = (section: Section): boolean => ['card', 'aside'].includes(depthOf(section, of));
  const blocksOf = (section: Section): Block[] => blocksFor('markdown', section, of);
  return [
    `# ${escape(of.view.question)}`,
    ...sections.filter(isFront).flatMap(blocksOf).flatMap(paragraphs),
    ...sections
      .filter((section) => !isFront(section))
      .flatMap(blocksOf)
      .flatMap(folded),
  ]
    .join('\n\n')
    .concat('\n');
}

/** GitHub renders what stands between the tags, if empty lines separate it from them. */
function folded(block: Block): string[] {
  const holds = holdsOf(block);
  const summary = `${block.title ?? ''}${holds === '' ? '' : ` (${holds})`}`;
  return [
    `<details><summary>${escape(summary)}</summary>`,
    ...paragraphs({ ...block, title: undefined }),
    '</details>',
  ];
}

function paragraphs({ title, parts }: Block): string[] {
  return [...(title === undefined ? [] : [`## ${escape(title)}`]), ...parts.flatMap(paragraphsOf)];
}

function paragraphsOf(part: Part): string[] {
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
    case 'from-series':
      return [];
    case 'own':
      return part.markdown();
  }
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

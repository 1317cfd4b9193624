import type { Result } from '../contract/result.ts';
import type { Table } from './view/table.ts';
import type { Why } from './view/why.ts';
import { viewResult } from './view/view-model.ts';

/** Makes report.md: the same as report.html without its pictures. It can also be read without being rendered. */
export function renderMarkdown(result: Result): string {
  const view = viewResult(result);
  return [
    `# ${escape(view.question)}`,
    ...view.answers.map(({ headline, evidence }) => `**${escape(headline)}** ${escape(evidence)}`),
    ...view.costs.worth.map(escape),
    ...view.ladders.flatMap(({ sentences, table }) => [
      ...section(table).slice(0, 1),
      sentences.map((sentence) => `- ${escape(sentence)}`).join('\n'),
      ...section(table).slice(1),
    ]),
    ...(view.attention.length > 0
      ? ['## Before you believe it', view.attention.map((text) => `- ${escape(text)}`).join('\n')]
      : []),
    ...section(view.variants),
    ...section(view.costs.table),
    ...view.comparisons.flatMap((table) => section(table)),
    ...view.why.flatMap(why),
    ...view.pairs.flatMap((table) => section(table)),
    ...view.evidence.flatMap((table) => section(table)),
    ...section(view.settings),
    ...section(view.steps),
    ...section(view.trials),
    ...section(view.checks),
    '## How it was measured',
    view.protocol.map(([term, words]) => `- ${term}: ${escape(words)}`).join('\n'),
  ]
    .join('\n\n')
    .concat('\n');
}

function why({ title, summary, time, mechanisms }: Why): string[] {
  return [
    `## ${escape(title)}`,
    escape(summary),
    ...section(time).slice(1),
    ...mechanisms.flatMap(({ headline, evidence, chain }) => [
      `**${escape(headline)}** ${escape(evidence)}`,
      ...section(chain).slice(1),
    ]),
  ];
}

function section({ title, columns, rows, notes }: Table): string[] {
  if (rows.length === 0) return [];
  const table = [
    line(columns.map(({ label }) => escape(label))),
    line(columns.map(({ align }) => (align === 'right' ? '--:' : ':--'))),
    ...rows.map(({ cells, emphasis }) =>
      line(cells.map((cell) => (emphasis === 'strong' && cell !== '' ? `**${escape(cell)}**` : escape(cell)))),
    ),
  ];
  return [`## ${escape(title)}`, table.join('\n'), notes.map(escape).join(' ')].filter((part) => part !== '');
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Escapes free text: it must neither become markup nor break a table's row. */
function escape(text: string): string {
  return text
    .replace(/[\\`*_[\]|#~]/g, '\\$&')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/\s+/g, ' ');
}

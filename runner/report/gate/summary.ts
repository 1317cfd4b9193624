import type { Gate } from '../../contract/gate.ts';
import type { Result } from '../../contract/result.ts';
import { capitalise } from '../../contract/format.ts';
import { changeTable, doubtLine } from '../first-screen/in-markdown.ts';
import { firstScreen, maxDoubts, scopeOf } from '../first-screen/model.ts';
import { tableParagraphs } from '../media/markdown-table.ts';
import { escape } from '../media/markdown-text.ts';
import { reported } from '../reported.ts';
import { outcomeWord, reasonWords } from './words.ts';

const marks: Readonly<Record<Gate['outcome'], string>> = { pass: '✅', fail: '❌', 'no-verdict': '❔' };

/** What a gate found, in a few lines of Markdown for a pull request. */
export function gateSummary(found: Gate, result: Result | null): string {
  const { base, head, experiment, outcome } = found;
  const title = `### ${marks[outcome]} ${capitalise(escape(experiment))}: ${outcomeWord(found)}`;
  const commits = `Head ${code(head.commit.slice(0, 7))} against base ${code(base.commit.slice(0, 7))} (${escape(base.ref)}).`;
  const paragraphs = [title, `${escape(capitalise(reasonWords(found)))}. ${commits}`];
  if (result !== null) paragraphs.push(...measured(result));
  return `${paragraphs.filter((text) => text !== '').join('\n\n')}\n`;
}

function measured(result: Result): string[] {
  const screen = firstScreen(reported(result));
  const { answer, change, doubts } = screen;
  const table = change && changeTable(change);
  return [
    `**${escape(answer.headline)}** ${escape(answer.lead)}`.trim(),
    // The headline has the only row of two variants.
    ...(table === null || table.rows.length === 0 ? [] : tableParagraphs(table)),
    doubts.slice(0, maxDoubts).map(doubtLine).join('\n'),
    escape(scopeOf(screen)),
  ];
}

function code(text: string): string {
  return `\`${text}\``;
}

import picocolors from 'picocolors';
import type { Result } from '../../contract/result.ts';
import { renderAnswer, renderComparisons } from './comparison-text.ts';
import { renderWhy } from './why-text.ts';
import { renderTable, type TerminalOptions } from './terminal-table.ts';
import { viewResult } from '../view/view-model.ts';
import { hanging, wrap } from './wrap.ts';

/** Of the tables of evidence: what sessions waited for, and the volumes against their limits. */
const evidenceTablesShown = 2;

/**
 * What is printed at the end of a run: question, answer, table, and the reasons not to believe it. The rest is in the
 * report.
 */
export function renderTerminal(result: Result, options: TerminalOptions): string {
  const view = viewResult(result);
  const colours = picocolors.createColors(options.colour);
  const textOptions = { ...options, columns: Math.min(options.columns, 100) };
  const howMeasured = view.protocol.filter(([term]) => ['Place', 'Workload', 'Order'].includes(term));

  return [
    wrap(view.question, textOptions.columns).join('\n'),
    ...view.answers.map((answer) => renderAnswer(answer, textOptions)),
    ...view.ladders.map(({ title, sentences, table }) =>
      [
        colours.bold(title),
        ...sentences.flatMap((sentence) => hanging('- ', sentence, textOptions.columns)),
        renderTable(table, options),
      ].join('\n'),
    ),
    view.costs.worth.flatMap((words) => wrap(words, textOptions.columns)).join('\n'),
    ...(view.variants.rows.length > 0 ? [renderTable(view.variants, options)] : []),
    ...(view.costs.table.rows.length > 0 ? [renderTable(view.costs.table, options)] : []),
    ...(result.comparisons.length > 0 ? [renderComparisons(result.comparisons, options)] : []),
    ...view.why.map((why) => renderWhy(why, options)),
    ...view.evidence
      .slice(0, evidenceTablesShown)
      .flatMap((table) =>
        table.rows.length > 0 ? [`${colours.bold(table.title)}\n${renderTable(table, options)}`] : [],
      ),
    wrap([...(view.comparisons.at(-1)?.notes ?? []), ...view.costs.table.notes].join(' '), textOptions.columns)
      .map(colours.dim)
      .join('\n'),
    view.attention
      .flatMap((text) => hanging('! ', text, textOptions.columns))
      .map((line) => line.replace(/^!/, (mark) => colours.yellow(colours.bold(mark))))
      .join('\n'),
    howMeasured
      .flatMap(([term, words]) => hanging(term.padEnd(10), words, textOptions.columns))
      .map(colours.dim)
      .join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

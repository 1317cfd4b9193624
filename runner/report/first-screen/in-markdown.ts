import { capitalise, withNoun } from '../../contract/format.ts';
import { inDigits } from '../../contract/format.ts';
import { tableParagraphs } from '../media/markdown-table.ts';
import { codeBlock, escape } from '../media/markdown-text.ts';
import { left, right, type Row, type Table } from '../media/table.ts';
import type { ChangePlot } from './change-plot.ts';
import { type FirstScreen, maxDoubts, scopeOf, type ShownDoubt } from './model.ts';
import type { CpuTakers } from './cpu-takers.ts';
import type { OtherChange } from './other-changes.ts';
import type { Settle } from './settle.ts';

/** The first screen as paragraphs of Markdown: the same parts as on the page, in the same order. */
export function firstScreenParagraphs(screen: FirstScreen): string[] {
  const { question, answer, differs, change, takers, settle, price, time, doubts, checks, next } = screen;
  const more = doubts.length - maxDoubts;
  const doubtLines = doubts.slice(0, maxDoubts).map(doubtLine).join('\n');
  const checked = [more > 0 ? `${more} more in the details.` : '', checks.made, checks.unchecked]
    .filter((text) => text !== '')
    .join(' ');
  return [
    `# ${escape(question)}`,
    `**${escape(answer.headline)}**`,
    escape(answer.lead),
    differs.map(({ variant, words }) => `- ${escape(variant)}: ${escape(words)}`).join('\n'),
    escape(scopeOf(screen)),
    ...titled(change && changeTable(change)),
    ...titled(takers && takersTable(takers)),
    ...(settle ? settleParagraphs(settle) : []),
    ...titled(elseTable(screen)),
    ...titled({
      title: 'Cost',
      columns: [left(''), right('before'), right('after'), right('change')],
      rows: price.map(({ what, before, after, change: size, range }) => ({
        cells: [what, before, after, withRange(size, range)],
      })),
      notes: [],
    }),
    ...titled(
      time && {
        title: `Where transaction time goes (${time.unit}${time.level === '' ? '' : `, at ${time.level}`})`,
        columns: [left(''), right(time.baseline), right(time.candidate)],
        rows: [...time.rows, time.whole].map(({ name, before, after }): Row => ({
          cells: [name, before, after],
          emphasis: name === time.whole.name ? 'strong' : undefined,
        })),
        notes: [],
      },
    ),
    ...(doubtLines === '' && checked === '' ? [] : ['## Caveats', doubtLines, escape(checked)]),
    ...(next === null
      ? []
      : ['## Next', escape(`${next.words}.`), ...(next.command === '' ? [] : [codeBlock(next.command)])]),
  ].filter((text) => text !== '');
}

function titled(table: Table | null): string[] {
  return table === null || table.rows.length === 0 ? [] : [`## ${escape(table.title)}`, ...tableParagraphs(table)];
}

/** Without rows if the headline has the only one. */
export function changeTable({ metric, rows, baseline }: ChangePlot): Table {
  const isColumn = baseline === 'column';
  const own = rows.map(({ name, about, words: { before, after, change, range }, verdict }): Row => ({
    cells: [
      about === '' ? name : `${name} (${about})`,
      ...(isColumn ? [before] : []),
      after,
      withRange(change, range),
      verdict,
    ],
  }));
  if (baseline !== null && !isColumn) {
    const { variant, about, value, rowsAbove } = baseline;
    own.splice(rowsAbove, 0, { cells: [about === '' ? variant : `${variant} (${about})`, value, '', 'baseline'] });
  }
  return {
    title: `Change in ${metric}${baseline !== null && !isColumn ? ` against ${baseline.variant}` : ''}`,
    columns: [
      left(''),
      ...(isColumn ? [right(`${metric}, before`), right('after')] : [right(metric)]),
      right('change'),
      left(''),
    ],
    rows: baseline === null ? [] : own,
    notes: [],
  };
}

function takersTable({ rows, limit }: CpuTakers): Table {
  return {
    title: `What else used the CPUs (in %${limit === null ? '' : `; up to ${limit} in all would pass`})`,
    columns: [left(''), right('%')],
    rows: rows.map(({ name, percent }) => ({ cells: [name, String(percent)] })),
    notes: [],
  };
}

function settleParagraphs({ counted, rows, note }: Settle): string[] {
  const title = 'What would settle it';
  if (rows.length === 0) return [`## ${title}`, escape(note)];
  const columns = [
    { column: left(''), cells: rows.map(({ who }) => who) },
    { column: right(counted), cells: rows.map(({ blocks }) => inDigits(blocks)) },
    { column: right('chance of a verdict'), cells: rows.map(({ chance }) => chance) },
    { column: right('time'), cells: rows.map(({ time }) => time) },
  ].filter(({ cells }) => cells.some((cell) => cell !== ''));
  return titled({
    title,
    columns: columns.map(({ column }) => column),
    rows: rows.map((_, index) => ({ cells: columns.map(({ cells }) => cells[index] ?? '') })),
    notes: note === '' ? [] : [note],
  });
}

function elseTable({ others, tradeOffs }: FirstScreen): Table {
  const title = 'What else changed';
  const { more } = tradeOffs ?? others;
  const notes = more > 0 ? [`${withNoun(more, 'more change')} in the details.`] : [];
  if (tradeOffs) {
    return {
      title,
      columns: [left('variant'), ...tradeOffs.metrics.map((metric) => right(metric))],
      rows: tradeOffs.rows.map(({ who, cells }) => ({
        cells: [who, ...cells.map(({ value, side }) => (side === '' ? value : `${value}, ${side}`))],
      })),
      notes: [`No word: no difference from ${tradeOffs.baseline} was found.`, ...notes],
    };
  }
  const { better, worse, reads, nothingWorse, sides } = others;
  return {
    title,
    columns: [left(''), right(sides?.before ?? 'before'), right(sides?.after ?? 'after'), right('change')],
    rows: [...better.map(rowIn('Better')), ...worse.map(rowIn('Worse')), ...reads.map(rowIn('Per transaction'))],
    notes: [...(nothingWorse === '' ? [] : [`${capitalise(nothingWorse)}.`]), ...notes],
  };
}

function rowIn(group: string): (row: OtherChange) => Row {
  return ({ who, metric, before, after, change, range }) => ({
    cells: [who === '' ? metric : `${who}: ${metric}`, before, after, withRange(change, range)],
    group,
  });
}

function withRange(change: string, range: string): string {
  return range === '' ? change : `${change} (${range})`;
}

export function doubtLine({ mayChange, sentence }: ShownDoubt): string {
  return `- ${mayChange === '' ? '' : `**${escape(mayChange)}** `}${escape(sentence)}`;
}

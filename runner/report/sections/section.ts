import type { Result } from '../../contract/result.ts';
import type { Figure } from '../charts/figure.ts';
import type { Markup } from '../media/markup.ts';
import type { TerminalOptions } from '../media/terminal-table.ts';
import { withNoun } from '../../contract/format.ts';
import type { Table } from '../media/table.ts';
import type { Reported } from '../reported.ts';
import type { SeriesSource } from '../../storage/series.ts';

/** Where a report is read. The page is report.html. */
export type Medium = 'terminal' | 'markdown' | 'page';

export const everywhere: readonly Medium[] = ['terminal', 'markdown', 'page'];
export const onFile: readonly Medium[] = ['markdown', 'page'];
export const inTerminal: readonly Medium[] = ['terminal'];
export const onPage: readonly Medium[] = ['page'];

/** One section of the report: what it shows. On page and in report.md it is a closed row of the details. */
export interface Section {
  /** Unique; the anchor on the page, with a number if there are several blocks. */
  id: string;
  /** Rules of the page's style sheet for its own layout. @default none */
  styles?: string;
  /**
   * Several if, for example, each comparison has a block of its own; none if nothing was measured that it could show.
   */
  blocks: (reported: Reported) => SectionBlock[];
}

/** Who shows a section. */
export interface Placement {
  shownIn: readonly Medium[];
  /** Whether the row is open at first. @default never */
  isOpen?: (reported: Reported) => boolean;
}

export type PlacedSection = Section & Placement;

/** Parts under one title. Without any content, nothing is drawn, not even the title. */
export interface SectionBlock {
  title?: string;
  /** Media that show the title; without it, all of them. */
  titleIn?: readonly Medium[];
  /** What was found, in a line, such as `16 checks passed`. @default what its tables hold */
  summary?: string;
  parts: Part[];
}

/** Words and figures in their final form. Each medium draws every kind in its own way. */
export type Part = {
  /** Media that show the part; without it, all those of its section. */
  only?: readonly Medium[];
} & (
  | { kind: 'list'; items: readonly string[] }
  | { kind: 'terms'; terms: readonly [term: string, words: string][] }
  | {
      kind: 'paragraph';
      text: string;
      /** Begins the paragraph; further lines in a terminal are indented by its width. */
      lead?: string;
      isQuiet?: true;
    }
  | {
      kind: 'table';
      table: Table;
      /** Whether cells are numbers, or texts that a page breaks into lines. @default figures */
      layout?: 'figures' | 'texts';
      /** Heading above it on the page, if a block has several tables. */
      heading?: string;
    }
  /**
   * A page shows the first `open` of them, and folds the others; by default, it shows all. Beside report.md, each is a file
   * whose name begins with `id`, which is unique among all parts.
   */
  | { kind: 'pictures'; id: string; open?: number; figures: readonly Figure[] }
  /** Figures that the part itself makes from the series of the trials; only a page has them. */
  | { kind: 'from-series'; figures: (result: Result, series: SeriesSource) => Promise<Markup[]> }
  /** A layout that no other kind has: the part makes what each medium prints. */
  | {
      kind: 'own';
      /** Lines that fit into the columns. */
      terminal: (options: TerminalOptions) => string[];
      /** Paragraphs, escaped. */
      markdown: () => string[];
      page: () => Markup;
    }
);

/** A block of one part: a table on its own. */
export function tableBlock(
  table: Table,
  how: { layout?: 'figures' | 'texts'; titleIn?: readonly Medium[] } = {},
): SectionBlock {
  const { layout = 'figures', titleIn } = how;
  return { title: table.title, ...(titleIn && { titleIn }), parts: [{ kind: 'table', table, layout }] };
}

/** A table on its own. */
export function tableSection(
  id: string,
  of: (reported: Reported) => Table,
  how: Parameters<typeof tableBlock>[1] = {},
): Section {
  return { id, blocks: (reported) => [tableBlock(of(reported), how)] };
}

/** What a folded block holds: in its own words or those of its tables, or counted. */
export function summaryOf({ summary, parts }: SectionBlock): string {
  if (summary !== undefined) return summary;
  const tables = parts.flatMap((part) => (part.kind === 'table' ? part.table : []));
  const words = tables.flatMap((table) => table.summary ?? []);
  if (words.length > 0) return words.join('; ');
  const rows = tables.reduce((sum, table) => sum + table.rows.length, 0);
  return rows === 0 ? '' : withNoun(rows, 'row');
}

/** A section as a medium draws it. */
export interface DrawnSection extends PlacedSection {
  drawn: SectionBlock[];
}

/** What a medium draws, in the order of the list. */
export function drawnIn(medium: Medium, sections: readonly PlacedSection[], of: Reported): DrawnSection[] {
  return sections
    .filter(({ shownIn }) => shownIn.includes(medium))
    .map((section) => ({ ...section, drawn: blocksIn(medium, section.blocks(of)) }));
}

/** Blocks without the parts that are not for this medium or have nothing to show. */
export function blocksIn(medium: Medium, blocks: readonly SectionBlock[]): SectionBlock[] {
  const stands = (only: readonly Medium[] | undefined): boolean => only?.includes(medium) ?? true;
  return blocks.flatMap(({ title, titleIn, parts, ...rest }) => {
    const shown = parts.filter((part) => stands(part.only) && !isEmpty(part));
    if (shown.length === 0) return [];
    return [{ ...rest, ...(title !== undefined && stands(titleIn) && { title }), parts: shown }];
  });
}

function isEmpty(part: Part): boolean {
  switch (part.kind) {
    case 'table':
      return part.table.rows.length === 0;
    case 'list':
      return part.items.length === 0;
    case 'paragraph':
      return part.text === '';
    case 'terms':
      return part.terms.length === 0;
    case 'pictures':
      return part.figures.length === 0;
    default:
      return false;
  }
}

import type { Comparison } from '../../contract/comparison.ts';
import { conditionsWords } from '../../contract/trial.ts';
import { pairsInWords } from '../view/pairs-table.ts';
import { noBreakSpace } from '../terminal/wrap.ts';
import type { Table } from '../view/table.ts';
import { type Block, tableBlock } from './section.ts';

/** Study 1's table for each candidate. In a terminal, a single one needs no title. */
export function comparisonBlocks(tables: readonly Table[]): Block[] {
  return tables.map((table) => tableBlock(table, tables.length > 1 ? {} : { titleIn: ['markdown', 'page'] }));
}

/** The pairs that the estimates used, in a line for each comparison that decides. */
export function changesByBlock(comparisons: readonly Comparison[], tables: readonly Table[]): Block[] {
  const deciding = comparisons.filter(({ primary, pairs }) => primary && pairs.length > 0);
  return [
    {
      parts: deciding.map((comparison) => {
        const { candidate, baseline, conditions } = comparison;
        const of = tables.length > 1 ? ` of ${conditionsWords({ ...conditions, variant: candidate.variant })}` : '';
        return {
          kind: 'paragraph',
          lead: `Changes by block${of}: `,
          text: `${inOnePiece(pairsInWords(comparison))} against ${baseline.variant}.`,
          isQuiet: true,
        };
      }),
    },
  ];
}

/** Keeps a block and its change on one line. */
function inOnePiece(list: string): string {
  return list.replaceAll(/(?<!,) /g, noBreakSpace);
}

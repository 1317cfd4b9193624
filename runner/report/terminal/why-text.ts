import picocolors from 'picocolors';
import type { Why } from '../view/why.ts';
import { renderTable, type TerminalOptions } from './terminal-table.ts';
import { wrap } from './wrap.ts';

/** Why a variant is slower: for each mechanism a sentence, and the chain from its cause to its effect. */
export function renderWhy({ title, mechanisms, nothing }: Why, options: TerminalOptions): string {
  const { bold } = picocolors.createColors(options.colour);
  const columns = Math.min(options.columns, 100);
  const named = mechanisms.map(({ headline, evidence, chain }) => {
    const words = wrap(`${headline} ${evidence}`, columns).join('\n');
    return chain.rows.length > 0 ? `${words}\n${renderTable(chain, options)}` : words;
  });
  return [
    wrap(title, columns).map(bold).join('\n'),
    ...(nothing === null ? [] : [wrap(nothing, columns).join('\n')]),
    named.join('\n\n'),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

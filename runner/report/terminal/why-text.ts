import picocolors from 'picocolors';
import type { Why } from '../view/why.ts';
import type { TerminalOptions } from './terminal-table.ts';
import { hanging, wrap } from './wrap.ts';

/** Why a variant is slower: for each mechanism a sentence, and below it the chain from its cause to its effect. */
export function renderWhy({ title, mechanisms, nothing }: Why, options: TerminalOptions): string {
  const { bold, dim } = picocolors.createColors(options.colour);
  const columns = Math.min(options.columns, 100);
  const named = mechanisms.map(({ headline, evidence, links }) =>
    [
      ...wrap(`${headline} ${evidence}`, columns),
      ...links.flatMap(({ claim, figures }) => [
        ...hanging('→ ', claim, columns),
        ...hanging('  ', figures, columns).map(dim),
      ]),
    ].join('\n'),
  );
  return [
    wrap(title, columns).map(bold).join('\n'),
    ...(nothing === null ? [] : [wrap(nothing, columns).join('\n')]),
    named.join('\n\n'),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

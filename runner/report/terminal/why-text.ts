import picocolors from 'picocolors';
import type { Why } from '../view/why.ts';
import type { TerminalOptions } from './terminal-table.ts';
import { hanging, wrap } from './wrap.ts';

/** Where the time goes: a sentence on the whole, one for each mechanism, and below it the chain from its cause. */
export function renderWhy({ title, summary, mechanisms }: Why, options: TerminalOptions): string {
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
  return [wrap(title, columns).map(bold).join('\n'), wrap(summary, columns).join('\n'), ...named].join('\n');
}

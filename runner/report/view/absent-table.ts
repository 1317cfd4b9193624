import type { Result } from '../../contract/result.ts';
import { countInWords } from '../words/quantities.ts';
import { left, type Table } from './table.ts';

/** What could not be collected, and why: a reader must not take silence for zero. */
export function absentTable({ trials }: Pick<Result, 'trials'>, counted: ReadonlySet<string>): Table {
  const own = trials.filter(({ id }) => counted.has(id));
  const found = new Map<string, { source: string; reason: string; variants: Set<string>; trials: number }>();
  for (const { facts, conditions } of own) {
    for (const [source, reason] of Object.entries(facts.absent ?? {})) {
      const key = JSON.stringify([source, reason]);
      const known = found.get(key) ?? { source, reason, variants: new Set(), trials: 0 };
      known.variants.add(conditions.variant);
      found.set(key, { ...known, trials: known.trials + 1 });
    }
  }
  return {
    title: 'What is not known, and why',
    columns: [left('source'), left('reason'), left('trials')],
    rows: [...found.values()].map(({ source, reason, variants, trials: count }) => ({
      cells: [
        source,
        reason,
        count === own.length ? 'all' : `${countInWords(count)} of ${own.length}: ${[...variants].join(', ')}`,
      ],
    })),
    notes: [],
  };
}

import type { Comparison } from '../../contract/comparison.ts';
import type { Finding } from '../../contract/verification.ts';
import { isAlike } from './alike.ts';

/**
 * Where comparisons are not those that were made again. The order matters, too: a report shows the first comparison of a name, even if others have the same name.
 */
export function wrongComparisons(recorded: readonly Comparison[], made: readonly Comparison[]): Finding[] {
  const named = (comparisons: readonly Comparison[]): Map<string, Comparison[]> => {
    const byName = new Map<string, Comparison[]>();
    for (const one of comparisons) byName.set(nameOf(one), [...(byName.get(nameOf(one)) ?? []), one]);
    return byName;
  };
  const [claimed, again] = [named(recorded), named(made)];
  const found = (message: string): Finding[] => [{ id: 'comparison-disagrees', message }];
  const wrong = [...new Set([...claimed.keys(), ...again.keys()])].flatMap((name) =>
    isAlike(claimed.get(name), again.get(name))
      ? []
      : found(`the comparison of ${name} in result.json does not follow from its trials`),
  );
  if (wrong.length > 0 || isAlike(recorded, made)) return wrong;
  return found('the order of the comparisons in result.json does not follow from its trials');
}

function nameOf({ metric, conditions, baseline, candidate, scope }: Comparison): string {
  const where = Object.entries(conditions).map(([name, value]) => ` at ${name} ${value}`);
  return `${metric} of ${candidate.variant} with ${baseline.variant}${where.join('')}${scope === null ? '' : ` (${scope})`}`;
}

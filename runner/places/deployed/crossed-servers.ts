import type { ServerBinding } from '../../contract/binding.ts';
import { isExchanged } from '../../contract/crossover.ts';

/**
 * The binding in a period of a crossover. As long as the log volumes are exchanged, each instance carries the other variant,
 * with the log volume of that variant.
 */
export function crossedServers(
  servers: ReadonlyMap<string, ServerBinding>,
  period: number,
): ReadonlyMap<string, ServerBinding> {
  const [first, second, ...others] = servers;
  if (!isExchanged(period)) return servers;
  if (!first || !second || others.length > 0) throw new Error('a crossover has two variants');
  const carried = (by: typeof first, variant: typeof first): typeof first => {
    const { dedicatedLogVolume } = variant[1].expected;
    return [variant[0], { ...by[1], expected: { ...by[1].expected, dedicatedLogVolume } }];
  };
  return new Map([carried(second, first), carried(first, second)]);
}

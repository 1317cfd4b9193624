import type { Binding } from '../../contract/binding.ts';

/**
 * The binding in a period of a crossover. In the first period it is as deployed. In the second, each instance carries the
 * other variant, with the log volume of that variant.
 */
export function crossedBinding(binding: Binding, period: 1 | 2): Binding {
  const [first, second, ...others] = Object.entries(binding.variants);
  if (period === 1) return binding;
  if (!first || !second || others.length > 0) throw new Error('a crossover has two variants');
  const carried = (by: typeof first, variant: typeof first): typeof first => {
    const { dedicatedLogVolume } = variant[1].expected;
    return [variant[0], { ...by[1], expected: { ...by[1].expected, dedicatedLogVolume } }];
  };
  return { ...binding, variants: Object.fromEntries([carried(second, first), carried(first, second)]) };
}

import type { Variant } from '../../contract/experiment/variant.ts';
import type { RuleProblem } from '../../contract/rule-problem.ts';
import { placeOfStorage } from '../places/registry.ts';

type NamedVariant = readonly [name: string, variant: Partial<Variant>];

/** Problems of one variant, at the place that its storage names. */
export function variantProblems(variant: Partial<Variant>): RuleProblem[] {
  return variant.storage ? placeOfStorage(variant.storage).problems(variant) : [];
}

/** Variants elsewhere than the first one: they could not be measured side by side. */
export function placeProblems(variants: readonly NamedVariant[]): RuleProblem[] {
  const known = variants.flatMap(([name, { storage }]) => (storage ? [{ name, storage }] : []));
  const [first] = known;
  return known.flatMap(({ name, storage }) =>
    first && placeOfStorage(storage) !== placeOfStorage(first.storage)
      ? [
          {
            path: ['variants', name, 'storage', 'type'],
            message: `${first.name} has ${first.storage.type}: an experiment has all of its variants on this machine (local), or all of them in RDS (io1, io2, gp3)`,
          },
        ]
      : [],
  );
}

/** Warnings about all variants together: allowed, but a reader of the result would want to know. */
export function variantWarnings(variants: readonly NamedVariant[]): string[] {
  const versions = new Set(variants.map(([, { engine }]) => engine?.version ?? 'installed'));
  return [
    ...(versions.size > 1 ? [`The variants have different engine versions: ${[...versions].join(', ')}.`] : []),
    ...variants.flatMap(([name, variant]) =>
      variant.storage ? placeOfStorage(variant.storage).warnings(name, variant) : [],
    ),
  ];
}

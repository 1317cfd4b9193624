import type { ParameterValue, Variant } from '../../contract/experiment/variant.ts';
import type { RuleProblem } from '../../contract/check.ts';
import { places } from '../../places/every-place.ts';
import { placeOfStorage, storageTypes } from '../../places/registry.ts';
import { leftToExperiment, settingsOfContents } from '../../postgres/own-settings.ts';

type NamedVariant = readonly [name: string, variant: Partial<Variant>];

/** Problems of one variant, at the place that its storage names. */
export function variantProblems(variant: Partial<Variant>): RuleProblem[] {
  return variant.storage ? placeOfStorage(variant.storage).problems(variant) : [];
}

/** Such as `on this machine (local) or in RDS (gp3)`. */
const everyPlace = places.map((place) => `${place.words} (${storageTypes(place).join(', ')})`).join(' or ');

/** Variants in another place than the first one: they could not be measured side by side. */
export function placeProblems(variants: readonly NamedVariant[]): RuleProblem[] {
  const known = variants.flatMap(([name, { storage }]) => (storage ? [{ name, storage }] : []));
  const [first] = known;
  return known.flatMap(({ name, storage }) =>
    first && placeOfStorage(storage) !== placeOfStorage(first.storage)
      ? [
          {
            path: ['variants', name, 'storage', 'type'],
            message: `${first.name} has ${first.storage.type}, but all variants of an experiment must be in one place: ${everyPlace}`,
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

type Parameters = Readonly<Record<string, ParameterValue>>;

/**
 * Why a parameter cannot be set on a server: clients set it themselves when they connect. So our connections can never
 * see the value that the server has for others.
 */
const saidByClients: Readonly<Record<string, (value: string) => string | null>> = {
  application_name: () => 'the load generator sets its own when it connects; leave it out',
  client_encoding: (value) =>
    /^(utf-?8|unicode)$/i.test(value)
      ? null
      : `clients set it when they connect, so pgduet could not prove it; leave it out, and begin the scripts with SET client_encoding TO ${value}`,
};

/** Problems of the parameters of one variant. */
export function parameterProblems({ engine }: Partial<Variant>): RuleProblem[] {
  return Object.entries(engine?.parameters ?? {}).flatMap(([name, value]) => {
    const message = saidByClients[name]?.(String(value)) ?? null;
    return message === null ? [] : [{ path: ['engine', 'parameters', name], message }];
  });
}

/** Warnings about parameters that change what loading puts into tables: all variants must hold the same data. */
export function loadingWarnings(variants: Readonly<Record<string, Partial<Variant>>>): string[] {
  const parameters = Object.entries(variants).map(([name, { engine }]): [string, Parameters] => [
    name,
    engine?.parameters ?? {},
  ]);
  return [
    ...Object.entries(settingsOfContents).flatMap(([name, ours]) => {
      const others = parameters.flatMap(([variant, { [name]: value }]) =>
        value === undefined || isSame(value, ours) ? [] : [`${variant}: ${String(value)}`],
      );
      return others.length === 0
        ? []
        : [
            `While data is loaded, ${name} is '${ours}' on every server, so that all of them hold the same data. Your value applies only to trials (${others.join(', ')}).`,
          ];
    }),
    ...leftToExperiment
      .filter((name) => new Set(parameters.map(([, { [name]: value }]) => value)).size > 1)
      .map(
        (name) =>
          `The variants differ in ${name}, also while data is loaded, so their data may differ. Set it in the files of workload.load.`,
      ),
  ];
}

function isSame(value: ParameterValue, ours: string): boolean {
  const words = value === true ? 'on' : value === false ? 'off' : String(value);
  return words.toLowerCase() === ours.toLowerCase();
}

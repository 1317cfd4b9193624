import { isSqlFile, sharedServices, type Variant } from '../../contract/experiment/variant.ts';
import { type RuleProblem, problemUnless } from '../../contract/check.ts';
import { classProblem } from '../../rds/place/instance-classes.ts';
import { places } from '../../places/every-place.ts';
import { declaredVolumes, placeOfStorage, poolerModes, storageTypes } from '../../places/registry.ts';
import { areEqual } from '../plan/differences.ts';
import { sourceProblems } from './source-rules.ts';
import { textOf } from '../../postgres/parameters/judge.ts';
import { isSameValue } from '../../postgres/parameters/same-value.ts';
import { isKnown, isMeasurable, majorOf, newerVersionWarning, supportedWords } from '../../postgres/versions/known.ts';

export type NamedVariant = readonly [name: string, variant: Partial<Variant>];

/** Problems of one variant, by itself and at the place that its storage names. */
export function variantProblems(variant: Partial<Variant>): RuleProblem[] {
  return [
    ...classProblems(['class'], variant.class),
    ...versionProblems(variant),
    ...sourceProblems(variant),
    ...prepareProblems(variant),
    ...serverProblems(variant),
    ...poolerPlaceProblems(variant),
    ...(variant.storage ? placeOfStorage(variant.storage).problems(variant) : []),
  ];
}

function versionProblems({ engine }: Partial<Variant>): RuleProblem[] {
  const major = majorOf(engine?.version);
  return problemUnless(
    'measurable-version',
    major === null || isMeasurable(major),
    ['engine', 'version'],
    `pgduet measures only ${supportedWords} and newer; expected one of these`,
  );
}

function prepareProblems({ prepare = [] }: Partial<Variant>): RuleProblem[] {
  return prepare.flatMap((sql, index) => {
    const next = prepare[index + 1] ?? '';
    const message = sql.startsWith('\\')
      ? 'pgduet sends it to the server as it is; put commands of psql into a file, such as index.sql, and name that'
      : /\.sql$/i.test(sql) && !isSqlFile(sql)
        ? 'a file name must not contain blanks; rename the file'
        : openParentheses(sql) > 0 && openParentheses(next) < 0
          ? `the comma before "${next}" has ended it; write each statement on its own line, beginning with a hyphen, or in quotes`
          : null;
    return message === null
      ? []
      : [{ rule: 'prepare-sql', code: 'wrong-part', path: ['prepare'], message: `"${sql}": ${message}` }];
  });
}

/** Storage and server say two different things about where a variant is. */
function serverProblems({ server, storage }: Partial<Variant>): RuleProblem[] {
  const isElsewhere = storage !== undefined && !placeOfStorage(storage).isFound;
  return problemUnless(
    'server-or-storage',
    server === undefined || !isElsewhere,
    ['server'],
    `names an existing server, but storage is of type ${storage?.type ?? ''}; omit one of them`,
  );
}

/** A pooler of another place than the variant's. */
export function poolerPlaceProblems({ pooler, storage }: Partial<Variant>): RuleProblem[] {
  if (!pooler || !storage) return [];
  const { poolers, words } = placeOfStorage(storage);
  const modes = poolers ? poolerModes(poolers) : [];
  return problemUnless(
    'pooler-place',
    modes.includes(pooler.mode),
    ['pooler', 'mode'],
    modes.length > 0
      ? `is ${pooler.mode}, which servers ${words} do not have; expected ${modes.join(' or ')}`
      : `is ${pooler.mode}, but pgduet adds no pooler to servers ${words}; omit pooler`,
  );
}

/** What variants on one server may differ in: their data, their load, and the settings of their sessions. */
function ownOnServer({ prepare, scripts, engine }: Partial<Variant>): Partial<Variant> {
  return { prepare, scripts, ...(engine && { engine: { version: undefined, parameters: engine.parameters } }) };
}

/**
 * Problems of variants whose databases are on one server.
 *
 * @param order of the trials in a block
 */
export function sharedServerProblems(variants: readonly NamedVariant[], order: string | undefined): RuleProblem[] {
  const all = Object.fromEntries(variants);
  return sharedServices(all).flatMap(([service, names]) => [
    ...names.flatMap((name, index) => {
      const own = ownOnServer(all[name] ?? {});
      const twin = names.slice(0, index).find((one) => areEqual(ownOnServer(all[one] ?? {}), own));
      return problemUnless(
        'server-twice',
        twin === undefined,
        ['variants', name, 'server'],
        `${twin} is on the server of ${service} as well, and the two do not differ; name another server, or let them differ in prepare, scripts or engine.parameters`,
      );
    }),
    ...problemUnless(
      'server-together',
      order !== 'together',
      ['protocol', 'order'],
      `${names.join(' and ')} are on one server, where only one is measured at a time; expected random or fixed`,
    ),
  ]);
}

function openParentheses(sql: string): number {
  return sql.split('(').length - sql.split(')').length;
}

/** Problems of the class of a database or of the driver. A local run ignores it, but a mistake in it stays one. */
export function classProblems(path: string[], name: string | undefined): RuleProblem[] {
  const problem = name === undefined ? null : classProblem(name);
  return problem ? [{ rule: 'instance-class', path, ...problem }] : [];
}

/** Such as `on this machine (local) or in RDS (gp3)`. */
const everyPlace = places
  .filter((place) => storageTypes(place).length > 0)
  .map((place) => `${place.words} (${storageTypes(place).join(', ')})`)
  .join(' or ');

/** Variants in another place than the first one: they could not be measured side by side. */
export function placeProblems(variants: readonly NamedVariant[]): RuleProblem[] {
  const known = variants.flatMap(([name, { storage }]) => (storage ? [{ name, storage }] : []));
  const [first] = known;
  return known.flatMap(({ name, storage }) =>
    first && placeOfStorage(storage) !== placeOfStorage(first.storage)
      ? [
          {
            rule: 'one-place',
            path: ['variants', name, 'storage', 'type'],
            message: `${first.name} has ${first.storage.type}, but all variants of an experiment must be in one place: ${everyPlace}`,
          },
        ]
      : [],
  );
}

/** The version of a variant that declares none. */
const installed = 'installed';

/** Warnings about all variants together: allowed, but a reader of the result would want to know. */
export function variantWarnings(variants: readonly NamedVariant[]): string[] {
  const names = variants.map(([name]) => name);
  const [first, ...others] = variants.map(([, variant]) => variant);
  const allEqual = first !== undefined && others.length > 0 && others.every((one) => areEqual(one, first));
  const taken = variants.filter(([, { engine }]) => engine?.source === undefined);
  const versions = new Set(taken.map(([, { engine }]) => engine?.version ?? installed));
  const newer = newerVersionWarning(
    [...versions],
    variants.flatMap(([, { engine }]) =>
      isKnown(majorOf(engine?.version) ?? 0) ? [] : Object.keys(engine?.parameters ?? {}),
    ),
  );
  return [
    ...(allEqual
      ? [`The variants ${names.join(' and ')} are identical, so a run only shows how much identical servers vary.`]
      : []),
    ...durabilityWarnings(variants),
    ...(newer === null ? [] : [newer]),
    // Versions that every variant declares are what was asked.
    ...(versions.size > 1 && versions.has(installed)
      ? [`The variants have different engine versions: ${[...versions].join(', ')}. Give each its engine.version.`]
      : []),
    ...variants.flatMap(([name, variant]) =>
      variant.storage ? (placeOfStorage(variant.storage).warnings?.(name, variant) ?? []) : [],
    ),
  ];
}

/** What a value costs. Source: https://www.postgresql.org/docs/current/runtime-config-wal.html */
const lessDurable: readonly { parameter: string; value: string; cost: string; withStandbys?: true }[] = [
  {
    parameter: 'synchronous_commit',
    value: 'off',
    cost: 'a crash can lose commits from the last three wal_writer_delay intervals (0.6 s by default)',
  },
  {
    parameter: 'synchronous_commit',
    value: 'local',
    cost: 'no commit waits for a standby, so a failover can lose commits',
    withStandbys: true,
  },
  {
    parameter: 'synchronous_commit',
    value: 'remote_write',
    cost: 'a commit may not be on the disk of any standby yet, so a failover can lose commits if its operating system crashed, too',
    withStandbys: true,
  },
  { parameter: 'fsync', value: 'off', cost: 'a crash of the machine can destroy the database' },
  { parameter: 'full_page_writes', value: 'off', cost: 'a crash of the machine can leave damaged pages' },
];

/** Variants that are faster because they promise less are no bargain. */
function durabilityWarnings(variants: readonly NamedVariant[]): string[] {
  return lessDurable.flatMap(({ parameter, value, cost, withStandbys }) => {
    const compared = variants.filter(([, variant]) => withStandbys !== true || declaresStandbys(variant));
    const less = compared.filter(([, { engine }]) => {
      const own = engine?.parameters[parameter];
      return own !== undefined && isSameValue(parameter, textOf(own), value);
    });
    if (less.length === 0 || less.length === compared.length) return [];
    const names = less.map(([name]) => name).join(', ');
    return [`Less durable: ${names}. With ${parameter} ${value}, ${cost}.`];
  });
}

function declaresStandbys({ storage }: Partial<Variant>): boolean {
  return storage !== undefined && declaredVolumes({ storage }).standbys !== null;
}

import { type ServerProperty, shownProperty } from '../contract/server-property.ts';
import { sourceInWords } from '../contract/experiment/source.ts';
import { loadWords } from '../contract/load-words.ts';
import type { Facts } from '../contract/trial.ts';
import type { Result } from '../contract/result.ts';
import type { ResultVariant } from '../contract/run-record.ts';
import { places } from '../places/every-place.ts';
import { tools } from '../workloads/registry.ts';

/** One side of a comparison: everything in which the two sides may differ unintentionally. */
export interface Side {
  /** Name of the side in tables. */
  label: string;
  /** What was measured, one entry for each run that counts. */
  measured: readonly { facts: Facts }[];
  /** The servers of the variant in the result; none if the side comes from no result. */
  servers: readonly ResultVariant[];
  /**
   * What the experiment asks of this side, by name. If it asks two sides for different values, they are meant to
   * differ.
   */
  declared: ReadonlyMap<string, string>;
}

export interface Difference {
  /** Id of the check that asks about it. */
  about: 'server-version' | 'workload' | 'settings' | NonNullable<ServerProperty['check']>;
  /** Of the setting, the property of the server, or the fact of `facts.identity`. */
  name: string;
  /** What differs: the values of each side, or the found and the declared ones. */
  values: readonly Value[][];
  /** Such as `the scale is 10 in a, 20 in b`. */
  words: string;
}

/**
 * Values of a side that are not what its experiment asks for. A value that the experiment does not ask for, or that was
 * not recorded, makes no difference.
 *
 * @param deployed whether the servers were made as the experiment asks: a local run takes the version that is installed
 */
export function differencesFromDeclared(side: Side, { deployed }: { deployed: boolean }): Difference[] {
  const { label, servers, declared } = side;
  const find = (about: Difference['about'], name: string, what: string, read: (of: ResultVariant) => Value) => {
    const wanted = declared.get(name);
    if (wanted === undefined) return [];
    const others = [...new Set(servers.map(read))].filter(
      (value) => value !== null && JSON.stringify(value) !== wanted,
    );
    return others.map((value) => ({
      about,
      name,
      values: [[value], [wanted]],
      words: `${what} is ${value} in ${label}, but the experiment declares ${wanted}`,
    }));
  };
  return [
    ...(deployed ? find('server-version', 'version', 'the server’s version', (of) => of.serverVersion) : []),
    ...servers.flatMap(({ parameters = [] }) =>
      parameters
        .filter(({ inForce }) => inForce === false)
        .map(({ name, found, asked }): Difference => ({
          about: 'settings',
          name,
          values: [[found ?? null], [asked]],
          words: `${name} is ${found ?? 'not there'} in ${label}, but the experiment declares ${asked}`,
        })),
    ),
    ...askedProperties.flatMap((property) =>
      find(property.check, property.id, `the ${property.name}`, (server) => reported(server, property)),
    ),
  ];
}

/** What the places know of a server, and PostgreSQL does not. */
const serverProperties = places.flatMap(({ serverProperties: known = [] }) => known);

/** Those that two sides must be alike in, unless they were meant to differ. */
const comparedProperties = serverProperties.flatMap((property) =>
  property.check === undefined ? [] : [{ ...property, check: property.check }],
);

/** Those that an experiment asks for in the words of the server. */
const askedProperties = comparedProperties.filter(({ definedAs, yesNo }) => (definedAs ?? yesNo) === undefined);

function reported({ deployed }: ResultVariant, property: ServerProperty): Value {
  return deployed ? shownProperty(deployed, property) : null;
}

/** What nobody declared. A value that one side does not report makes no difference. */
export function findDifferences(baseline: Side, candidate: Side): Difference[] {
  const sides = [baseline, candidate] as const;
  const meant = (name: string): boolean => baseline.declared.get(name) !== candidate.declared.get(name);
  const find = (about: Difference['about'], name: string, what: string, read: Read): Difference[] =>
    meant(name) ? [] : difference(what, sides, read).map((found) => ({ about, name, ...found }));
  return [
    ...find('server-version', 'version', 'the server’s version', serverVersions),
    ...identityNames(sides).flatMap((name) =>
      find('workload', name, identityWords[name] ?? name, identityValues(name)),
    ),
    ...settingNames(baseline).flatMap((name) =>
      find('settings', name, name, ({ servers }) => servers.map(({ settings }) => settings[name] ?? null)),
    ),
    ...comparedProperties.flatMap((property) =>
      find(property.check, property.definedAs ?? property.id, `the ${property.name}`, ({ servers }) =>
        servers.map((server) => reported(server, property)),
      ),
    ),
  ];
}

/** What an experiment asks of a variant, by the names that `findDifferences` uses. The values serve only to be compared. */
export function declaredValues({ experiment }: Pick<Result, 'experiment'>, variant: string): Map<string, string> {
  const definition = experiment.definition.variants[variant];
  if (!definition) return new Map();
  const { engine, extension, storage, prepare, description: _, ...rest } = definition;
  const source = engine.source && sourceInWords(engine.source);
  const values: [string, unknown][] = [
    ...Object.entries(engine.parameters),
    // A server that is built has the version of its source.
    ['version', engine.version ?? source],
    ['source', source],
    ['extension', extension && sourceInWords(extension.source)],
    ...Object.entries(rest),
    ['prepare', prepare?.join('; ')],
    ...Object.entries(storage).map(([name, value]): [string, unknown] => [`storage.${name}`, value]),
  ];
  return new Map(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, JSON.stringify(value)]])));
}

/** A value in which sides differ, meant or not. */
export interface DifferingValue {
  what: string;
  /** One for each side, in their order; null if a side does not report it. */
  values: (string | null)[];
}

/**
 * Everything in which several sides are known to differ: what their experiments ask for, the version and settings that their
 * servers reported, their instances, and their workload.
 */
export function differingValues(sides: readonly Side[]): DifferingValue[] {
  const row = (what: string, read: Read): DifferingValue => ({
    what,
    values: sides.map((side) => {
      const values = [...new Set(read(side).filter((value) => value !== null))];
      const sorted = values.toSorted((a, b) => String(a).localeCompare(String(b), 'en', { numeric: true }));
      return values.length === 0 ? null : sorted.join(', ');
    }),
  });
  const known: [name: string, value: DifferingValue][] = [
    ['version', row('PostgreSQL', serverVersions)],
    ...askedProperties.map((property): [string, DifferingValue] => [
      property.id,
      row(`the ${property.name}`, ({ servers }) => servers.map((server) => reported(server, property))),
    ]),
    ...[...new Set(sides.flatMap(settingNames))]
      .sort()
      .map((name): [string, DifferingValue] => [
        name,
        row(name, ({ servers }) => servers.map(({ settings }) => settings[name] ?? null)),
      ]),
  ];
  const reportedNames = new Set(
    known.filter(([, { values }]) => values.every((value) => value !== null)).map(([name]) => name),
  );
  const asked = [...new Set(sides.flatMap(({ declared }) => [...declared.keys()]))]
    .filter((name) => !reportedNames.has(name))
    .map((name) => ({
      what: name,
      // A side of which no experiment is known asks for nothing.
      values: sides.map(({ declared }) => (declared.size === 0 ? null : (declared.get(name) ?? 'not set'))),
    }));
  const workload = identityNames(sides).map((name) => row(identityWords[name] ?? name, identityValues(name)));
  return [...asked, ...known.map(([, value]) => value), ...workload].filter(
    ({ values }) => new Set(values.filter((value) => value !== null)).size > 1,
  );
}

type Sides = readonly [Side, Side];
type Value = string | number | null;
type Read = (side: Side) => Value[];

function difference(what: string, sides: Sides, read: Read): Pick<Difference, 'values' | 'words'>[] {
  const values = sides.map((side) => [...new Set(read(side).filter((value) => value !== null))]);
  if (new Set(values.flat()).size < 2 || values.some(({ length }) => length === 0)) return [];
  const words = sides.map(({ label }, index) => `${(values[index] ?? []).join(' and ')} in ${label}`);
  return [{ values, words: `${what} is ${words.join(', ')}` }];
}

/** Words of the tools for the names in `facts.identity`. */
const identityWords: Readonly<Record<string, string>> = Object.fromEntries(
  tools.flatMap((tool) => Object.entries(tool.identityWords)),
);

/** Each id has words of its own, so values are as different as their words. */
function identityValues(name: string): Read {
  return ({ measured }) => measured.map(({ facts }) => loadWords(name, facts.identity?.[name] ?? null));
}

function identityNames(sides: readonly Side[]): string[] {
  const names = sides.flatMap(({ measured }) => measured.flatMap(({ facts }) => Object.keys(facts.identity ?? {})));
  return [...new Set(names)].filter((name) => name !== serverVersion);
}

const serverVersion = 'serverVersion';

/** Names of the settings that were read. */
export function settingNames({ servers }: Side): string[] {
  return [...new Set(servers.flatMap(({ settings }) => Object.keys(settings)))];
}

/** HammerDB 4 reports the number without the build that follows it: `15.18` means the server `15.18 (Debian ...)`. */
function serverVersions({ measured, servers }: Side): Value[] {
  const reported = [
    ...servers.map((server) => server.serverVersion),
    ...measured.map(({ facts }) => facts.identity?.[serverVersion] ?? null),
  ];
  // Thousands of trials have few versions.
  const versions = [...new Set(reported)];
  return versions.map((version) => versions.find((whole) => String(whole).startsWith(`${version} `)) ?? version);
}

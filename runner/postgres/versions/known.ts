import type { MajorChanges, Names, ParameterForm } from './form.ts';
import changes14 from './14.json' with { type: 'json' };
import changes15 from './15.json' with { type: 'json' };
import changes16 from './16.json' with { type: 'json' };
import changes17 from './17.json' with { type: 'json' };
import changes18 from './18.json' with { type: 'json' };
import changes19 from './19.json' with { type: 'json' };

/** What is known of a major version of PostgreSQL: all that depends on the version and that a server's catalogues show. */
export interface KnownMajor {
  major: number;
  /** The server that was asked, such as `18.6`. */
  asked: string;
  parameters: ReadonlyMap<string, ParameterForm>;
  /** With their types, such as `IO:WalSync`, as pg_stat_activity spells them. */
  waitEvents: ReadonlySet<string>;
  /** Such as `pg_stat_wal.wal_bytes`. */
  columns: ReadonlySet<string>;
}

/** Every major version that pgduet knows, oldest first. scripts/server-versions.ts makes the files. */
export const knownMajors: readonly KnownMajor[] = inSequence([
  changes14,
  changes15,
  changes16,
  changes17,
  changes18,
  changes19,
] as unknown as MajorChanges[]);

export const supportedMajors = {
  first: knownMajors.at(0)?.major ?? 0,
  last: knownMajors.at(-1)?.major ?? 0,
} as const;

/** Such as `PostgreSQL 14 to 19`. */
export const supportedWords = `PostgreSQL ${supportedMajors.first} to ${supportedMajors.last}`;

/** The major version of `16.15` or `16`; null if there is none. */
export function majorOf(version: string | undefined): number | null {
  const major = Number.parseInt(version ?? '', 10);
  return Number.isNaN(major) ? null : major;
}

/** Whether a major version is one of those that pgduet knows. */
export function isKnown(major: number): boolean {
  return major >= supportedMajors.first && major <= supportedMajors.last;
}

/** Whether pgduet measures a major version: also a newer one than it knows, which it warns about. */
export function isMeasurable(major: number): boolean {
  return major >= supportedMajors.first;
}

/**
 * What a reader must know about versions that are newer than every known one; null if there are none.
 *
 * @param parameters names that the experiment sets on such servers
 */
export function newerVersionWarning(versions: readonly string[], parameters: readonly string[] = []): string | null {
  const newer = [...new Set(versions)].filter((version) => (majorOf(version) ?? 0) > supportedMajors.last);
  if (newer.length === 0) return null;
  const { last } = supportedMajors;
  const unknown = [...new Set(parameters)].filter((name) => !knowledgeOf(last).parameters.has(name)).sort();
  const unchecked = unknown.length === 0 ? '' : ` These parameters were not checked: ${unknown.join(', ')}.`;
  return `PostgreSQL ${newer.join(' and ')} is newer than pgduet knows (up to ${last}), and is measured as ${last} would be. Trials name the wait events that ${last} does not have.${unchecked}`;
}

/**
 * What a server of a major version has. Of a newer one than the newest that is known, it is the best guess that it has
 * what that one has.
 */
export function knowledgeOf(major: number): KnownMajor {
  const known = knownMajors.findLast((one) => one.major <= major) ?? knownMajors[0];
  if (!known) throw new Error('no major version is known');
  return known;
}

/** Whether a view of statistics has a column in a major version. */
export function hasColumn(major: number, view: string, column: string): boolean {
  return knowledgeOf(major).columns.has(`${view}.${column}`);
}

/** Parameters of the server whose defaults differ between known versions, such as `jit`, which 19 switched off. */
export function changedDefaults(): string[] {
  const defaults = new Map<string, Set<string>>();
  for (const [name, { boot_val: value }] of knownMajors.flatMap(({ parameters }) => [...parameters])) {
    if (value !== undefined) defaults.set(name, (defaults.get(name) ?? new Set()).add(value));
  }
  return [...defaults].filter(([name, values]) => values.size > 1 && !name.includes('.')).map(([name]) => name);
}

function inSequence(all: readonly MajorChanges[]): KnownMajor[] {
  const parameters = new Map<string, ParameterForm>();
  const waitEvents = new Set<string>();
  const columns = new Set<string>();
  return all.map((changes) => {
    for (const [name, form] of Object.entries(changes.pg_settings)) {
      if (form === null) parameters.delete(name);
      else parameters.set(name, form);
    }
    change(waitEvents, changes.wait_events, ':');
    change(columns, changes.columns, '.');
    return {
      major: Number.parseInt(changes.server_version, 10),
      asked: changes.server_version,
      parameters: new Map(parameters),
      waitEvents: new Set(waitEvents),
      columns: new Set(columns),
    };
  });
}

function change(names: Set<string>, { added, removed }: MajorChanges['columns'], separator: string): void {
  const inGroups = (groups: Names): string[] =>
    Object.entries(groups).flatMap(([group, words]) => words.map((word) => `${group}${separator}${word}`));
  for (const name of inGroups(removed)) names.delete(name);
  for (const name of inGroups(added)) names.add(name);
}

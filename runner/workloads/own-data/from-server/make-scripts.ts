import { isServerTrouble, wordsOf } from '../../../contract/errors.ts';
import type { Client } from '../../../postgres/client.ts';
import { type Catalogue, completeSmall, readCatalogue } from './columns.ts';
import { fill, type Filled, type Known, type Note, type Unfilled } from './fill.ts';
import { type CallValues, type LoggedValues, sqlOf } from './log/logged-values.ts';
import type { Parsed } from './parse.ts';
import type { CountedStatement } from './read-statements.ts';
import { type Script, withValues } from './script.ts';
import { type Shape, shapeOf } from './shape.ts';

/** Why a statement has no script. */
export type Reason =
  | { code: 'writes' | 'no-text' | 'too-many' }
  /** A function may write. */
  | { code: 'volatile'; functions: string[] }
  | { code: 'unknown-table'; tables: string[] }
  /** What the parser, the server or pgbench says. */
  | { code: 'unparsed' | 'refused'; why: string }
  | ({ code: Unfilled['code'] } & Unfilled);

/** A statement of the load, and what became of it. */
export interface LoadStatement extends CountedStatement {
  /** Without its folder and `.sql`; null if it has no script. */
  name: string | null;
  script: Script | null;
  notes: Note[];
  reason: Reason | null;
}

/** What is no part of the load: by kind, how many texts with how many calls. */
export type Aside = Record<'transaction' | 'utility' | 'system', { texts: number; calls: number; seconds: number }>;

export interface MadeScripts {
  /** The most called first. */
  statements: LoadStatement[];
  aside: Aside;
}

export interface MakingScripts {
  parse: (text: string) => Parsed;
  /** Whether statements that write get scripts, too. */
  writes: boolean;
  /** What logs of the server have of them. */
  logged: ReadonlyMap<CountedStatement, LoggedValues>;
  /** Says what is wrong with a script, by letting the server plan it; null if nothing is. */
  attempt: (script: Script) => Promise<string | null>;
}

/** pgbench takes no more scripts. */
const maxScripts = 128;

/**
 * Makes a script of each statement of a load, as far as its text and the statistics of its server say what is needed.
 *
 * @param client a session on the server, which may only read
 */
export async function makeScripts(
  client: Client,
  counted: readonly CountedStatement[],
  options: MakingScripts,
): Promise<MadeScripts> {
  const { parse } = options;
  const catalogue = await readCatalogue(client);
  const aside: Aside = {
    transaction: { texts: 0, calls: 0, seconds: 0 },
    utility: { texts: 0, calls: 0, seconds: 0 },
    system: { texts: 0, calls: 0, seconds: 0 },
  };
  const statements: LoadStatement[] = [];
  let made = 0;
  // Those that matter most come first, as far as there are too many.
  for (const one of counted.toSorted((a, b) => b.calls - a.calls || b.seconds - a.seconds)) {
    const parsed: Parsed = one.text === null ? { kind: 'unparsed', why: '' } : parse(one.text);
    const shape = parsed.kind === 'statement' ? shapeOf(parsed, catalogue) : null;
    const kind = parsed.kind === 'transaction' || parsed.kind === 'utility' ? parsed.kind : null;
    const apart = kind ?? (shape && isOfSystem(shape, catalogue) ? 'system' : null);
    if (apart !== null) {
      aside[apart].texts += 1;
      aside[apart].calls += one.calls;
      aside[apart].seconds += one.seconds;
      continue;
    }
    const found =
      made === maxScripts ? ({ code: 'too-many' } as const) : await scriptOf(client, { one, parsed, shape }, options);
    const isScript = 'script' in found;
    if (isScript) made += 1;
    statements.push({
      ...one,
      name: isScript && shape ? nameOf(made, shape) : null,
      script: isScript ? found.script : null,
      notes: isScript ? found.notes : [],
      reason: isScript ? null : found,
    });
  }
  return { statements, aside };
}

/** Whether it asks only for what PostgreSQL, an extension or a driver wants to know of the server. */
function isOfSystem({ tables, functions }: Shape, { userFunctions }: Catalogue): boolean {
  if (tables.length > 0) return tables.every(({ isSystem }) => isSystem);
  return functions.length > 0 && !functions.some((name) => userFunctions.has(name) || name === 'nextval');
}

async function scriptOf(
  client: Client,
  { one, parsed, shape }: { one: CountedStatement; parsed: Parsed; shape: Shape | null },
  { writes, attempt, logged }: MakingScripts,
): Promise<{ script: Script; notes: Note[] } | Reason> {
  if (one.text === null) return { code: 'no-text' };
  if (!shape) return { code: 'unparsed', why: parsed.kind === 'unparsed' ? parsed.why : '' };
  if (shape.unknown.length > 0) return { code: 'unknown-table', tables: shape.unknown };
  if (shape.writes && !writes) return { code: 'writes' };
  if (shape.volatile.length > 0 && !writes) return { code: 'volatile', functions: shape.volatile };
  const types = await parameterTypes(
    client,
    withValues(one.text, shape.places, (number) => `$${number}`),
  );
  if ('code' in types) return types;
  if (repeatsKey(shape)) return { code: 'unique-value', parameter: null, column: null };
  await completeSmall(
    client,
    shape.places.flatMap(({ role }) => ('column' in role ? [role.column] : [])),
  );
  const found = mayRepeat(shape) ? logged.get(one) : undefined;
  const known = { shape, types: types.types, rowsPerCall: one.rows / one.calls };
  const made = found && found.calls >= enoughCalls ? fromLog(one.text, known, found) : fromStatistics(one.text, known);
  // A few calls are better than none.
  const script = 'code' in made && found ? fromLog(one.text, known, found) : made;
  if ('code' in script) return script;
  const { values, notes, ...rest } = script;
  const isPlanned = !shape.writes || shape.tables.every(({ isWritable }) => isWritable);
  const why = await attempt(isPlanned ? rest : { ...rest, choices: values });
  if (why !== null) return { code: 'refused', why };
  const untried: Note[] = isPlanned ? [] : [{ code: 'unplanned', parameter: null, value: null }];
  return { script: rest, notes: [...untried, ...notes] };
}

/** A script, with what only reads its values. */
type Filling = Script & { values: Script['choices']; notes: Note[] };

/** Where a log has fewer calls, statistics say more of how values are spread. */
const enoughCalls = 20;

/** Whether a call may be made again: not if it stores what must be unique. */
function mayRepeat({ inserts, places }: Shape): boolean {
  const storesKey = places.some(({ role }) => role.kind === 'stored' && role.column.isUnique);
  return (inserts === null || inserts.mayConflict) && !storesKey;
}

function fromLog(text: string, { shape, types }: Known, { sample }: LoggedValues): Filling {
  const sqlIn = (values: CallValues) => (number: number) => {
    const value = values.get(number);
    return value ? sqlOf(value, types[number - 1] ?? 'text') : 'NULL';
  };
  const choices = (sqlFor: (values: CallValues) => string): Script['choices'] =>
    sample.map((values, index) => ({
      condition: index === sample.length - 1 ? null : `:call <= ${index + 1}`,
      sql: sqlFor(values),
    }));
  const numbers = [...new Set(shape.places.map(({ number }) => number))];
  return {
    commands: sample.length > 1 ? [`\\set call random(1, ${sample.length})`] : [],
    choices: choices((values) => withValues(text, shape.places, sqlIn(values))),
    values: choices((values) => `SELECT ${numbers.map(sqlIn(values)).join(', ')}`),
    notes: [{ code: 'logged', parameter: null, value: sample.length }],
  };
}

function fromStatistics(text: string, known: Known): Filling | Unfilled {
  const filled = fill(known);
  if ('code' in filled) return filled;
  const { commands, sql, notes } = filled;
  const values = [{ condition: null, sql: `SELECT ${[...sql.values()].join(', ')}` }];
  return { ...{ commands, notes, values }, choices: choicesOf(text, known.shape, filled) };
}

function choicesOf(text: string, { places }: Shape, { sql, cases }: Filled): Script['choices'] {
  const withCase = (one?: string): string =>
    withValues(text, places, (number) => (number === cases?.parameter ? one : undefined) ?? sql.get(number) ?? 'NULL');
  if (cases === null) return [{ condition: null, sql: withCase() }];
  return cases.cases.map(({ variable, until, sql: own }, index) => ({
    condition: index === cases.cases.length - 1 ? null : `${variable} <= ${until}`,
    sql: withCase(own),
  }));
}

/** Whether drawn values would sooner or later be those of a row that is there: of a key of several columns. */
function repeatsKey({ inserts }: Shape): boolean {
  if (!inserts || inserts.mayConflict) return false;
  const { table, columns } = inserts;
  const isNew = columns.some((name) => table.columns.get(name)?.isUnique);
  return !isNew && table.uniqueTogether.some((key) => key.every((name) => columns.includes(name)));
}

/** Such as `03-select-customer`. */
function nameOf(number: number, { verb, tables }: Shape): string {
  const table = (tables[0]?.name ?? '').toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return [String(number).padStart(2, '0'), verb, table.slice(0, 30).replaceAll(/^-|-$/g, '')].filter(Boolean).join('-');
}

/** The types of a statement's parameters, as the server sees them. It carries nothing out. */
async function parameterTypes(client: Client, text: string): Promise<{ types: string[] } | Reason> {
  try {
    await client.query(`PREPARE pgduet_statement AS ${text}`);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!/^[0-9A-Z]{5}$/.test(code) || isServerTrouble(code)) throw error;
    return { code: 'refused', why: wordsOf(error) };
  }
  const { rows } = await client.query<{ types: string[] }>(
    "SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'pgduet_statement'",
  );
  await client.query('DEALLOCATE pgduet_statement');
  return { types: rows[0]?.types ?? [] };
}

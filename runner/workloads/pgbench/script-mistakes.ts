import { lineOf, splitScript } from './script-text.ts';

/** They end the statement before them, and are no commands by themselves. */
const partOfStatement = ['gset', 'aset'];

/** Where pgbench counts in other ways than `lineOfCommand`: comments that it sends, bodies, and continued lines. */
const uncounted = /\/\*|\$\w*\$|\\\r?\n|\bbegin\s+atomic\b/i;

/** Characters of a script that people write. In a longer one, it would take seconds. */
const maxCounted = 2 ** 18;

/**
 * The line in which a command of a script begins, from 1; null if there is no such command, or if that cannot be told.
 *
 * @param number as pgbench counts, from 0: each statement of SQL, even an empty one, and each backslash command
 * @see ParseScript and create_sql_command in PostgreSQL's src/bin/pgbench/pgbench.c
 */
export function lineOfCommand(text: string, number: number): number | null {
  if (text.length > maxCounted || uncounted.test(text)) return null;
  const { sql, commands } = splitScript(text);
  const ends = [
    ...[...sql.matchAll(/(?<!\\);/g)].map(({ index }) => ({ at: index, after: index + 1, isCommand: false })),
    ...commands.map(({ name, at }) => ({ at, after: at, isCommand: !partOfStatement.includes(name) })),
    { at: sql.length, after: sql.length, isCommand: false },
  ].sort((a, b) => a.at - b.at);
  const begins: number[] = [];
  let from = 0;
  for (const { at, after, isCommand } of ends) {
    // With its semicolon, since a statement may be empty.
    const first = sql.slice(from, after).search(/\S/);
    if (first >= 0) begins.push(from + first);
    if (isCommand) begins.push(at);
    from = after;
  }
  const begin = begins[number];
  return begin === undefined ? null : lineOf(begin, text);
}

/** The line of the last `\if` that does not end; null if all do. */
export function lineOfOpenIf(text: string): number | null {
  const open: number[] = [];
  for (const { name, at } of splitScript(text).commands) {
    if (/^if$/i.test(name)) open.push(at);
    if (/^endif$/i.test(name)) open.pop();
  }
  const last = open.at(-1);
  return last === undefined ? null : lineOf(last, text);
}

/** Words with which statements begin. */
const beginnings =
  /^(?:ALTER|ANALYZE|BEGIN|CALL|COMMIT|COPY|CREATE|DELETE|DROP|END|GRANT|INSERT|MERGE|ROLLBACK|SELECT|TRUNCATE|UPDATE|VACUUM|WITH)\b/i;

/** A question about a syntax error that the server sees where a line begins like a new statement; otherwise null. */
export function semicolonHint(errors: string): string | null {
  const { line, before, from } = syntaxErrorIn(errors) ?? { line: 1, before: '', from: '' };
  const isBeginning = line > 1 && before.trim() === '' && beginnings.test(from);
  // More parentheses end in the line than begin in it: one is open, and no statement can end before the line.
  const isInside = from.split(')').length > from.split('(').length;
  return isBeginning && !isInside ? 'Is the previous statement missing its semicolon?' : null;
}

/** What a script lacks if the server sees the name of a variable in place of its value; otherwise null. */
export function variableHint(errors: string, script: string): string | null {
  const variable = /^:([A-Za-z_]\w*)/.exec(syntaxErrorIn(errors)?.from ?? '')?.[1];
  if (variable === undefined) return null;
  const set = splitScript(script).commands.flatMap(({ name, rest }) =>
    name === 'set' ? (/\w+/.exec(rest)?.[0] ?? []) : [],
  );
  const own = set.length > 0 ? ` The script sets ${[...new Set(set)].join(', ')}.` : '';
  return `Variable ${variable} is not set: use \\set, or workload.variables.${own}`;
}

/** Where the server sees a syntax error: in which line of a statement, and its text before and from there; null if nowhere. */
function syntaxErrorIn(errors: string): { line: number; before: string; from: string } | null {
  const [, label = '', number, text = '', spaces = ''] =
    /syntax error at or near .*\n(LINE (\d+): )(.*)\n( *)\^/.exec(errors) ?? [];
  const column = spaces.length - label.length;
  return number === undefined || column < 0
    ? null
    : { line: Number(number), before: text.slice(0, column), from: text.slice(column) };
}

/** What pgbench says from its first error on, in lines, without its closing summary. */
export function errorLines(stderr: string): string[] {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('progress:'));
  const first = Math.max(
    0,
    lines.findIndex((line) => /error|fatal/i.test(line)),
  );
  return lines
    .slice(first)
    .filter((line) => !/Run was aborted/.test(line))
    .map((line) => line.replace(/^pgbench: (error|fatal|hint): (client 0 script 0 )?/, ''));
}

import { splitScript } from './script-text.ts';

/** They end the statement before them, and are no commands by themselves. */
const partOfStatement = ['gset', 'aset'];

/**
 * The line in which a command of a script begins, from 1; null if there is no such command.
 *
 * @param number as pgbench counts, from 0: each statement of SQL and each backslash command
 */
export function lineOfCommand(text: string, number: number): number | null {
  const { sql, commands } = splitScript(text);
  const ends = [
    ...[...sql.matchAll(/(?<!\\);/g)].map(({ index }) => ({ at: index, after: index + 1, isCommand: false })),
    ...commands.map(({ name, at }) => ({ at, after: at, isCommand: !partOfStatement.includes(name) })),
    { at: sql.length, after: sql.length, isCommand: false },
  ].sort((a, b) => a.at - b.at);
  const begins: number[] = [];
  let from = 0;
  for (const { at, after, isCommand } of ends) {
    const first = sql.slice(from, at).search(/\S/);
    if (first >= 0) begins.push(from + first);
    if (isCommand) begins.push(at);
    from = after;
  }
  const begin = begins[number];
  return begin === undefined ? null : text.slice(0, begin).split('\n').length;
}

/** Words with which statements begin. */
const beginnings =
  /syntax error at or near "(?:ALTER|ANALYZE|BEGIN|COMMIT|COPY|CREATE|DELETE|DROP|END|GRANT|INSERT|SELECT|TRUNCATE|UPDATE|VACUUM)"/i;

/** What usually leads to a syntax error, as the server reports it; null if nothing comes to mind. */
export function hintOfSyntax(errors: string, text = ''): string | null {
  if (beginnings.test(errors)) return 'Is a semicolon missing at the end of the statement before?';
  const variable = /syntax error at or near ":"\n.*?(?<![:\w]):([A-Za-z_]\w*)/.exec(errors)?.[1];
  if (variable === undefined) return null;
  const known = splitScript(text).commands.flatMap(({ name, rest }) =>
    /^(?:set|gset|aset|setshell)$/.test(name) ? (/\w+/.exec(rest)?.[0] ?? []) : [],
  );
  const own = known.length > 0 ? ` The script sets ${[...new Set(known)].join(', ')}.` : '';
  return `No variable ${variable} is set there: use \\set, or workload.variables.${own}`;
}

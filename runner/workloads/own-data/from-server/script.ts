import type { ParameterPlace } from './shape.ts';

/** The text of a statement with this SQL in place of each parameter. */
export function withValues(text: string, places: readonly ParameterPlace[], sqlOf: (number: number) => string): string {
  const bytes = Buffer.from(text);
  const parts: string[] = [];
  let at = 0;
  for (const { number, from, until, typeFrom } of places) {
    // `date $1` becomes `$1::date`: only a constant may stand after a type.
    const begin = typeFrom ?? from;
    const sql = sqlOf(number);
    parts.push(bytes.toString('utf8', at, begin));
    parts.push(typeFrom === null ? sql : `${sql}::${bytes.toString('utf8', typeFrom, from).trim()}`);
    at = until;
  }
  return [...parts, bytes.toString('utf8', at)].join('').trim();
}

/** A statement, ready to be sent by pgbench. */
export interface Script {
  commands: readonly string[];
  /** pgbench sends the first of them whose condition holds; the last one has none. */
  choices: readonly { condition: string | null; sql: string }[];
}

/**
 * @param head lines of comments
 * @param explain whether the server only plans the statement
 */
export function scriptText({ commands, choices }: Script, head: readonly string[] = [], explain = false): string {
  const statement = (sql: string): string =>
    // A comment at its end would hide the semicolon.
    `${explain ? 'EXPLAIN ' : ''}${sql}${sql.includes('--') ? '\n;' : ';'}`;
  const chosen = choices.flatMap(({ condition, sql }, index) => [
    condition === null ? '\\else' : `\\${index === 0 ? 'if' : 'elif'} ${condition}`,
    statement(sql),
  ]);
  const [only] = choices;
  const body = only && choices.length === 1 ? [statement(only.sql)] : [...chosen, '\\endif'];
  return `${[...head.map((line) => `-- ${line}`), ...commands, ...body].join('\n')}\n`;
}

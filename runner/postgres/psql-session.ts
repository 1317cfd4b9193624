import { countTransactions, type Connection, type Query } from './client.ts';
import { startPsql } from './psql.ts';
import { literal, readerOf } from './psql-values.ts';
import type { ServiceTarget } from './target.ts';

/** A column of an answer. */
interface Column {
  name: string;
  read: (value: string) => unknown;
}

/**
 * Opens a session through psql, for servers that only libpq knows how to reach.
 *
 * @param application name of the session in the server's views
 * @throws {UserError} as startPsql
 */
export async function psqlSession(target: ServiceTarget, application: string): Promise<Connection> {
  const psql = await startPsql(target, application);
  const transactions = countTransactions();
  const carryOut: typeof psql.carryOut = (lines) => {
    transactions.add();
    return psql.carryOut(lines);
  };

  const columns = new Map<string, Column[]>();
  async function columnsOf(template: string, text: string): Promise<Column[]> {
    const known = columns.get(template);
    if (known) return known;
    const { values } = await carryOut(`${text}\n\\gdesc`);
    const made = Array.from({ length: values.length / 2 }, (_, index) => ({
      name: values[index * 2] ?? '',
      read: readerOf(values[index * 2 + 1] ?? ''),
    }));
    columns.set(template, made);
    return made;
  }

  async function query(
    given: string | Query,
    among?: readonly unknown[],
  ): Promise<{ rows: unknown[]; rowCount: number }> {
    const {
      text: template,
      values = among ?? [],
      rowMode,
    }: Query = typeof given === 'string' ? { text: given } : given;
    // Without values, $1 is a parameter of a statement that is prepared.
    const text =
      values.length === 0
        ? template
        : template.replace(/\$(\d+)/g, (_, number: string) => literal(values[Number(number) - 1]));
    if (!returnsRows(text)) {
      // psql would take several statements apart, and carry out what begins with a backslash. So it gets them as a value.
      if (!isPlain(text)) transactions.add();
      const { rowCount } = await carryOut(isPlain(text) ? `${text}\n\\g` : `SELECT ${literal(text)} \\gexec`);
      return { rows: [], rowCount };
    }
    const described = await columnsOf(template, text);
    const answer = await carryOut(`${text}\n\\g`);
    // Not every statement with rows tells their number: SHOW does not.
    const rows = Array.from({ length: described.length && answer.values.length / described.length }, (_, row) => {
      const found = described.map(({ name, read }, column) => {
        const value = answer.values[row * described.length + column] ?? null;
        return [name, value === null ? null : read(value)] as const;
      });
      return rowMode === 'array' ? found.map(([, value]) => value) : Object.fromEntries(found);
    });
    return { rows, rowCount: rows.length };
  }

  let queue: Promise<unknown> = Promise.resolve();
  const client = {
    query(given: string | Query, values?: readonly unknown[]) {
      const answer = queue.then(() => query(given, values));
      queue = answer.catch(() => undefined);
      return answer;
    },
    end: psql.end,
    cutOff: psql.cutOff,
    transactions: transactions.total,
  };
  return client as Connection;
}

/** Comments and what is quoted, in the order in which PostgreSQL finds them. */
const quoted =
  /--[^\n]*|\/\*[\s\S]*?\*\/|\be'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$/gi;

/** Whether psql would send the text as it is: one statement, without commands and variables of psql. */
function isPlain(text: string): boolean {
  return !/[;\\]|(?<!:):(?=[\w'"{])/.test(text.replace(quoted, "''"));
}

function returnsRows(text: string): boolean {
  return /^\s*(SELECT|WITH|VALUES|SHOW|EXPLAIN|TABLE)\b/i.test(text) && isPlain(text);
}

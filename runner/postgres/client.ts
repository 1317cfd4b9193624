/** One or more statements; with `values`, a single one with the parameters $1, $2 ... */
export interface Query {
  text: string;
  /** Under this name, the server prepares it once in a session, if the session can do so. */
  name?: string;
  values?: readonly unknown[];
  /** Rows in the order of the columns. @default by the names of the columns */
  rowMode?: 'array';
}

/**
 * What sends statements to a server: a session of the pg package where pgduet knows the address, or of psql
 * (psql-session.ts) where only libpq knows it.
 */
export interface Client {
  /** @throws an error with the SQLSTATE as its code */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any, @typescript-eslint/no-unnecessary-type-parameters -- as pg
  query<Row = any>(
    query: string | Query,
    values?: readonly unknown[],
  ): Promise<{ rows: Row[]; rowCount: number | null }>;
  end(): Promise<void>;
}

/** A session of our own. */
export interface Connection extends Client {
  /** Ends it without telling the server. */
  cutOff(): void;
  /** How many transactions of it the server can have counted. */
  transactions(): number;
}

/** Counts the transactions of a session. */
export function countTransactions(): { add: () => void; total: () => number } {
  // Logging in reads the catalogue.
  let count = 1;
  return { add: () => void (count += 1), total: () => count };
}

import type { Client } from 'pg';
import type { PgbenchWorkload } from './schema.ts';

const [tellersPerBranch, accountsPerBranch] = [10, 100_000];
/** How many constraints `pgbench -i --foreign-keys` makes. */
const foreignKeys = 5;

/**
 * What of a load is not there, each a phrase; empty if it is whole. pgbench fills the tables in one transaction, and makes
 * the keys afterwards. So the last account and valid keys prove that all of it is there, without reading every row.
 */
export async function missingFromLoad(
  client: Client,
  { scale, load }: Pick<PgbenchWorkload, 'scale' | 'load'>,
): Promise<string[]> {
  const tables = ['pgbench_accounts', 'pgbench_branches', 'pgbench_history', 'pgbench_tellers'];
  const there = await client.query<{ name: string }>(
    'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NOT NULL',
    [tables],
  );
  const absent = tables.filter((table) => !there.rows.some(({ name }) => name === table));
  if (absent.length > 0) return absent.map((table) => `table ${table}`);
  const { rows } = await client.query<Record<'branches' | 'tellers' | 'accounts' | 'keys' | 'references', number>>(
    `SELECT (SELECT count(*) FROM pgbench_branches)::int AS branches,
            (SELECT count(*) FROM pgbench_tellers)::int AS tellers,
            (SELECT coalesce(max(aid), 0) FROM pgbench_accounts)::float8 AS accounts,
            (SELECT count(*) FROM pg_index
              WHERE indrelid = ANY ($1::regclass[]) AND indisprimary AND indisvalid)::int AS keys,
            (SELECT count(*) FROM pg_constraint
              WHERE conrelid = ANY ($1::regclass[]) AND contype = 'f' AND convalidated AND conparentid = 0)::int AS "references"`,
    [tables],
  );
  const [found] = rows;
  const compare = (what: string, count: number | undefined, wanted: number): string[] =>
    count === wanted ? [] : [`${wanted.toLocaleString('en')} ${what} (found ${(count ?? 0).toLocaleString('en')})`];
  return [
    ...compare('branches', found?.branches, scale),
    ...compare('tellers', found?.tellers, scale * tellersPerBranch),
    ...compare('accounts', found?.accounts, scale * accountsPerBranch),
    ...compare('primary keys', found?.keys, 3),
    ...(load.foreignKeys ? compare('foreign keys', found?.references, foreignKeys) : []),
  ];
}

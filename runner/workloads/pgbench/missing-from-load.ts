import type { Client } from 'pg';
import { missingTables, otherCount } from '../missing.ts';
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
  const absent = await missingTables(client, tables);
  if (absent.length > 0) return absent;
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
  return [
    ...otherCount('branches', found?.branches, scale),
    ...otherCount('tellers', found?.tellers, scale * tellersPerBranch),
    ...otherCount('accounts', found?.accounts, scale * accountsPerBranch),
    ...otherCount('primary keys', found?.keys, 3),
    ...(load.foreignKeys ? otherCount('foreign keys', found?.references, foreignKeys) : []),
  ];
}

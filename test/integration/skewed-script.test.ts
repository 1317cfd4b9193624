import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { withConnection } from '../../runner/postgres/connect.ts';
import { pgbenchGenerator } from '../../runner/workloads/pgbench/generator.ts';
import { resolveLevel, pgbenchSchema } from '../../runner/workloads/pgbench/schema.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';
import { queryOn } from '../helpers/servers/local-cluster.ts';

const { signal } = new AbortController();
const cluster = clusterForAll({ synchronous_commit: 'off', fsync: 'off' });
beforeAll(async () => {
  const onProgress = (): void => undefined;
  await generator('tpcb-like').load(cluster.target, { folder: cluster.folder, signal, onProgress });
});

function generator(builtin: string, variables: Record<string, number> = {}) {
  const scripts = [{ builtin }];
  const declared = { tool: 'pgbench', scale: 1, clients: 4, transactions: 500, scripts, variables };
  const workload = resolveLevel(pgbenchSchema.parse(declared));
  return pgbenchGenerator({ workload, programs: cluster.programs, scriptFolder: '/nowhere', collect: [] });
}

/** The share of the transactions that goes to the account in most demand, and the number of that account. */
async function favourite(builtin: string, variables?: Record<string, number>) {
  await queryOn(cluster.target, 'TRUNCATE pgbench_history');
  const folder = path.join(cluster.folder, `${builtin}-${JSON.stringify(variables)}`);
  mkdirSync(folder);
  const request = { folder, signal, seed: 1, onProgress: () => undefined };
  const { measures, facts } = await generator(builtin, variables).measure(cluster.target, request);
  const { rows } = await withConnection(cluster.target, (client) =>
    client.query<{ aid: number; share: number; all: number }>(
      `SELECT aid, count(*)::float8 / sum(count(*)) OVER () AS share, sum(count(*)) OVER ()::int AS all
        FROM pgbench_history GROUP BY aid ORDER BY share DESC LIMIT 1`,
    ),
  );
  return { ...(rows[0] ?? { aid: 0, share: 0, all: 0 }), measures, facts };
}

it('sends an eighth of the load to one account in the middle of the table, more with a higher skew, and does what tpcb-like does', async () => {
  const skewed = await favourite('tpcb-skewed');
  // 1 of 100,000 in a Zipfian distribution of 1.1 is drawn 13.5 times in a hundred.
  expect(skewed.share).toBeGreaterThan(0.11);
  expect(skewed.share).toBeLessThan(0.16);
  expect(skewed.aid).toBeGreaterThan(100);
  expect(skewed.measures['transactions']).toBe(skewed.all);
  expect(skewed.measures['load.commits']).toBe(skewed.all);
  expect(skewed.facts.identity).toMatchObject({ scripts: 'tpcb-skewed' });

  expect((await favourite('tpcb-skewed', { skew: 2 })).share).toBeGreaterThan(0.5);
  expect((await favourite('tpcb-like')).share).toBeLessThan(0.01);
});

import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pgbenchGenerator } from '../../runner/workloads/pgbench/generator.ts';
import { resolveLevel, pgbenchSchema } from '../../runner/workloads/pgbench/schema.ts';
import { clusterForTest } from '../helpers/servers/cluster-for.ts';
import { queryOn } from '../helpers/servers/local-cluster.ts';

it('the ceiling of pgbench asks the server for no transaction, or for one statement, is without its schedule, and leaves nothing', async () => {
  const cluster = await clusterForTest();
  const declared = { tool: 'pgbench', scale: 1, clients: 2, threads: 1, durationSeconds: 1, rate: 10 };
  const where = { programs: cluster.programs, scriptFolder: cluster.folder, collect: ['transaction-log'] };
  const generator = pgbenchGenerator({ ...where, workload: resolveLevel(pgbenchSchema.parse(declared)) });
  const { signal } = new AbortController();
  const commits = async (): Promise<number> => {
    const { rows } = await queryOn<{ commits: number }>(
      cluster.target,
      'SELECT xact_commit::int AS commits FROM pg_stat_database WHERE datname = current_database()',
    );
    return rows[0]?.commits ?? NaN;
  };
  const ceiling = await generator.ceiling(cluster.target, { folder: cluster.folder, signal });
  // A server would have to be asked ten times as often as any can be.
  expect(ceiling).toBeGreaterThan(20_000);
  expect(await commits()).toBeLessThan(1000);
  const request = { folder: cluster.folder, signal, statement: 'SELECT 1' };
  const asking = await generator.ceiling(cluster.target, request);
  expect(asking).toBeLessThan(0.5 * ceiling);
  // It goes on for a second.
  expect(await commits()).toBeGreaterThan(0.8 * asking);
  expect(readdirSync(cluster.folder)).toEqual([]);
});

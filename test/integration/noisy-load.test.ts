import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { pgbenchGenerator } from '../../runner/workloads/pgbench/generator.ts';
import { resolveLevel, pgbenchSchema } from '../../runner/workloads/pgbench/schema.ts';
import { clusterForAll, clusterForTest } from '../helpers/servers/cluster-for.ts';
import type { LocalCluster } from '../helpers/servers/local-cluster.ts';

const { signal } = new AbortController();
const notice = "DO $$ BEGIN RAISE NOTICE 'told'; END $$;\n";

const usual = clusterForAll();
let trials = 0;

/** How many notices a load of ten transactions prints. */
async function noticesOf(script: string, cluster: LocalCluster = usual): Promise<number> {
  const folder = path.join(cluster.folder, `trial-${(trials += 1)}`);
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'notice.sql'), script);
  const declared = { tool: 'pgbench', scale: 1, clients: 1, transactions: 10, scripts: [{ file: 'notice.sql' }] };
  const workload = resolveLevel(pgbenchSchema.parse(declared));
  const where = { programs: cluster.programs, scriptFolder: folder, collect: [] };
  const request = { folder, signal, seed: 1, onProgress: () => undefined };
  await pgbenchGenerator({ ...where, workload }).measure(cluster.target, request);
  return readFileSync(path.join(folder, 'pgbench.stderr.log'), 'utf8').match(/NOTICE: {2}told/g)?.length ?? 0;
}

it('clients are told of no notices', async () => {
  expect(await noticesOf(notice)).toBe(0);
});

it('a variant’s parameter says otherwise', async () => {
  expect(await noticesOf(notice, await clusterForTest({ client_min_messages: 'notice' }))).toBe(10);
});

it('a script says otherwise', async () => {
  expect(await noticesOf(`SET client_min_messages = notice;\n${notice}`)).toBe(10);
});

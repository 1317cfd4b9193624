import { describe, expect, it } from 'vitest';
import { connect, withConnection } from '../../runner/postgres/connect.ts';
import { keepLoadedCopy, readLoadMark, restoreLoadedCopy, writeLoadMark } from '../../runner/postgres/loaded-copy.ts';
import { vacuumPermitted } from '../../runner/postgres/vacuum.ts';
import type { Target } from '../../runner/postgres/target.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';

const injected = `a'; CREATE TABLE owned(); -- "; CREATE TABLE owned(); -- \\'; \\"`;
const setting = `${injected}\nwork_mem = '77MB'\n`;
const signal = new AbortController().signal;

const cluster = clusterForAll({ 'pgduet.text': setting, log_line_prefix: '%m [%p] ' });

async function expectNothingOwned(target: Target): Promise<void> {
  const { rowCount } = await withConnection(
    target,
    (client) => client.query(`SELECT FROM pg_class WHERE relname LIKE '%owned%' AND relname NOT LIKE '%CREATE%'`),
    signal,
  );
  expect(rowCount).toBe(0);
}

describe('hostile texts on a real server', () => {
  it('stay one value as a parameter, whatever lines and quotes are in it', async () => {
    const { rows } = await withConnection(
      cluster.target,
      (client) => client.query(`SELECT current_setting('pgduet.text') AS text, current_setting('work_mem') AS memory`),
      signal,
    );
    expect(rows).toEqual([{ text: setting, memory: '4MB' }]);
  });

  it('stay a text in the mark of a load', async () => {
    const mark = { tool: injected, loadedBy: { [injected]: setting }, finishedAt: injected };
    await withConnection(
      cluster.target,
      async (client) => {
        await writeLoadMark(client, mark);
        expect(await readLoadMark(client)).toEqual({ kind: 'pgduet-load', ...mark });
      },
      signal,
    );
    await expectNothingOwned(cluster.target);
  });

  it('stay a name as a table that is vacuumed, and as a database that is copied and restored', async () => {
    const database = `d${injected.slice(0, 40)}`;
    const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
    await withConnection(cluster.target, (client) => client.query(`CREATE DATABASE ${quote(database)}`), signal);
    const target = { ...cluster.target, database };
    const client = await connect(target);
    await client.query(`CREATE TABLE ${quote(`t${injected.slice(0, 50)}`)} (one int)`);
    await vacuumPermitted(client);
    await client.end();
    await keepLoadedCopy(target, signal);
    await restoreLoadedCopy(target, signal);
    await expectNothingOwned(target);
    await expectNothingOwned(cluster.target);
  });
});

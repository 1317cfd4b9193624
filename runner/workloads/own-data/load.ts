import path from 'node:path';
import type { Client } from 'pg';
import { writeFileIn } from '../../files/write.ts';
import { withConnection } from '../../postgres/connect.ts';
import { emptyDatabase } from '../../postgres/empty-database.ts';
import type { Target } from '../../postgres/target.ts';
import { vacuumPermitted } from '../../postgres/vacuum.ts';
import type { LoadGenerator } from '../tool.ts';
import { contentsOf, lackingFrom, unmetExpectations } from './contents.ts';
import { dumpFormat } from './dump-format.ts';
import { type OwnDataPlaces, runSqlFile } from './psql.ts';
import { restoreDump, tablesInDump } from './restore-dump.ts';
import type { DumpLoad, OwnData, SqlLoad } from './schema.ts';

type Request = Parameters<LoadGenerator['load']>[1];

/**
 * Fills a database with data of the user's own. What an earlier load has left goes first, all of it: files of the user can be
 * run only once. Vacuum and analyze come last, since plans without statistics would be others.
 */
export async function loadOwnData(
  target: Target,
  load: OwnData,
  places: OwnDataPlaces,
  request: Request,
): Promise<void> {
  if ('snapshot' in load) throw new Error('a snapshot is restored, not loaded');
  const { folder, signal, onProgress } = request;
  const log =
    'sql' in load ? await loadSql(target, load, places, request) : await loadDump(target, load, places, request);
  await writeFileIn(folder, `load-${target.server}.log`, log);
  await withConnection(target, (client) => vacuumPermitted(client, { analyze: true }), signal, { long: true });
  onProgress(1);
}

async function loadSql(target: Target, load: SqlLoad, places: OwnDataPlaces, request: Request): Promise<string> {
  const { signal, onProgress } = request;
  await emptyDatabase(target, signal);
  const logs: string[] = [];
  for (const [index, file] of load.sql.entries()) {
    logs.push((await runSqlFile(target, file, places, { key: 'load.sql', together: true, signal })).stderr);
    onProgress((0.9 * (index + 1)) / load.sql.length);
  }
  return logs.join('');
}

async function loadDump(target: Target, load: DumpLoad, places: OwnDataPlaces, request: Request): Promise<string> {
  const { signal, onProgress } = request;
  const name = load.dump;
  const format = dumpFormat(path.resolve(places.scriptFolder, name), name);
  if (format === 'plain') {
    await emptyDatabase(target, signal);
    return (await runSqlFile(target, name, places, { key: 'load.dump', together: true, signal })).stderr;
  }
  const tables = await tablesInDump(name, places, signal);
  await emptyDatabase(target, signal);
  let begun = 0;
  const onTable = (): void => onProgress((0.9 * begun++) / Math.max(tables, 1));
  return (await restoreDump(target, { name, format }, places, { signal, onTable })).stderr;
}

/**
 * What of the data is not there, each a phrase.
 *
 * @param held what `contentsOf` gave right after the load; undefined before there is a load mark
 */
export async function missingFromOwnData(client: Client, load: OwnData, held: unknown): Promise<string[]> {
  const now = await contentsOf(client);
  const isEmpty = !now.objects.some((object) => object.startsWith('table '));
  return [
    ...(isEmpty ? ['any table'] : held === undefined ? [] : lackingFrom(held, now)),
    ...(isEmpty ? [] : await unmetExpectations(client, load.expect)),
  ];
}

/** Runs the files of `load.reset`. They may vacuum, so that they are no transaction. */
export async function resetOwnData(
  target: Target,
  { reset = [] }: OwnData,
  places: OwnDataPlaces,
  signal: AbortSignal,
): Promise<void> {
  for (const file of reset) await runSqlFile(target, file, places, { key: 'load.reset', together: false, signal });
}

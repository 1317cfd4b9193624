import pg from 'pg';
import { isServerTrouble, UserError } from '../contract/errors.ts';
import type { Experiment } from '../contract/experiment/schema.ts';
import { isSqlFile } from '../contract/experiment/variant.ts';
import type { ServerLoad } from '../contract/result.ts';
import { withConnection } from '../postgres/connect.ts';
import { vacuumPermitted } from '../postgres/vacuum.ts';
import type { Target } from '../postgres/target.ts';
import { withClient } from '../process/client.ts';
import { type OwnDataPlaces, readByPsql, runSqlFile } from '../workloads/own-data/psql.ts';

type Prepared = NonNullable<ServerLoad['prepared']>;

/** The SQL and the files that are run on a variant after loading; empty if there are none. */
export function preparationOf({ variants }: Pick<Experiment, 'variants'>, variant: string): readonly string[] {
  return variants[variant]?.prepare ?? [];
}

/**
 * Runs the SQL and the files of a variant on a server that holds the loaded data. Each text is sent by itself, and psql
 * reads each file, so that also statements work that cannot be part of a transaction. If any variant has some, all are
 * vacuumed and analyzed once more.
 *
 * @param where.scriptFolder folder that the paths of files are relative to
 * @throws {UserError} with the SQL, or the file and its line, and what the server says about it
 */
export async function prepareServer(
  experiment: Pick<Experiment, 'variants'>,
  variant: string,
  target: Target,
  { now, signal, ...where }: { now: () => Date; signal: AbortSignal } & OwnDataPlaces,
): Promise<Prepared> {
  if (Object.keys(experiment.variants).every((name) => preparationOf(experiment, name).length === 0)) return [];
  const elements = preparationOf(experiment, variant);
  const reads = readByPsql(elements.filter(isSqlFile), where);
  const done: Prepared = [];
  await withConnection(
    target,
    async (client) => {
      for (const sql of elements) {
        const start = now().getTime();
        if (isSqlFile(sql)) {
          await withClient({ reads, signal }, (programs) =>
            runSqlFile(target, sql, { ...where, client: programs }, { key: 'prepare', loads: false, signal }),
          );
        } else {
          await client.query(sql).catch((error: unknown) => {
            throw refused(error, `prepare of ${target.server}`, sql);
          });
        }
        done.push({ sql, seconds: (now().getTime() - start) / 1000 });
      }
      await vacuumPermitted(client, { analyze: true });
    },
    signal,
    { long: true },
  );
  return done;
}

function refused(error: unknown, where: string, sql: string): unknown {
  if (!(error instanceof pg.DatabaseError) || isServerTrouble(error.code ?? '')) return error;
  const line = error.position === undefined ? 1 : sql.slice(0, Number(error.position)).split('\n').length;
  const inLine = sql.includes('\n') ? `, line ${line}` : '';
  return new UserError(`${where}${inLine}: ${error.message}\n${sql}`, { cause: error });
}

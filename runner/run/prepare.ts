import pg from 'pg';
import { isServerTrouble, UserError } from '../contract/errors.ts';
import type { Experiment } from '../contract/experiment/schema.ts';
import type { ServerLoad } from '../contract/result.ts';
import { withConnection } from '../postgres/connect.ts';
import { vacuumPermitted } from '../postgres/vacuum.ts';
import type { Target } from '../postgres/target.ts';

type Prepared = NonNullable<ServerLoad['prepared']>;

/** The SQL that is run on a variant after loading; empty if there is none. */
export function preparationOf({ variants }: Pick<Experiment, 'variants'>, variant: string): readonly string[] {
  return variants[variant]?.prepare ?? [];
}

/**
 * Runs the SQL of a variant on a server that holds the loaded data. Each text is sent by itself, so that also statements
 * work that cannot be part of a transaction. If any variant has some, all are vacuumed and analyzed once more.
 *
 * @throws {UserError} with the SQL and what the server says about it
 */
export async function prepareServer(
  experiment: Pick<Experiment, 'variants'>,
  variant: string,
  target: Target,
  { now, signal }: { now: () => Date; signal: AbortSignal },
): Promise<Prepared> {
  if (Object.keys(experiment.variants).every((name) => preparationOf(experiment, name).length === 0)) return [];
  const done: Prepared = [];
  await withConnection(
    target,
    async (client) => {
      for (const sql of preparationOf(experiment, variant)) {
        const start = now().getTime();
        try {
          await client.query(sql);
        } catch (error) {
          throw refused(error, `prepare of ${target.server}`, sql);
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

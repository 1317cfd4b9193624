import { UserError } from '../../../contract/errors.ts';
import { withConnection } from '../../../postgres/connect.ts';
import { outsideLoad, type ServiceTarget } from '../../../postgres/target.ts';
import { attemptScript } from './attempt.ts';
import { type Aside, type LoadStatement, makeScripts } from './make-scripts.ts';
import { readLoggedValues } from './log/logged-values.ts';
import { openParser } from './parse.ts';
import { readStatements } from './read-statements.ts';
import { sharesOf, weightsOf } from './weights.ts';

/** A statement of a service, with its part of the load. */
export interface WeighedStatement extends LoadStatement {
  callShare: number;
  timeShare: number;
  /** Of its script; null if it has none. */
  weight: number | null;
}

/** The load of a service, and what of it can be measured. */
export interface ServiceLoad {
  /** The most called first. */
  statements: WeighedStatement[];
  aside: Aside;
  /** How many statements have a script, with their share of all calls and of all time. */
  covered: { statements: number; calls: number; time: number };
  /** Calls of all statements, also of those without a script, per second since the counters were reset; null if unknown. */
  callsPerSecond: number | null;
  sizeBytes: number;
  /** That a dump of it must bring. */
  extensions: string[];
}

/**
 * Reads the load of a service out of pg_stat_statements, and makes a script of each statement. It reads the catalogue, the
 * statistics of columns, and values of tables with at most a hundred rows. It writes nothing, and carries no statement out.
 *
 * @param options.writes whether statements that write get scripts, too
 * @param options.logs of the server, by path, whose calls have the values
 * @param options.onProgress gets the part of the logs that was read, from 0 to 1
 * @throws {UserError} with the remedy, if the server does not show its load, or if no statement can be measured
 */
export async function loadOfService(
  target: ServiceTarget,
  options: { writes: boolean; logs: readonly string[]; signal: AbortSignal; onProgress?: (part: number) => void },
): Promise<ServiceLoad> {
  const { writes, logs, signal, onProgress } = options;
  const home = outsideLoad(target);
  const { name } = target.service;
  return withConnection(
    home,
    async (client) => {
      await client.query('SET default_transaction_read_only = on');
      const { statements: counted, since, database, sizeBytes, extensions } = await readStatements(client, name);
      const parse = await openParser();
      const logged = await readLoggedValues(logs, counted, { database, parse, signal, onProgress });
      const { statements, aside } = await makeScripts(client, counted, {
        ...{ parse, writes, logged },
        attempt: (script) => attemptScript(home, script, signal),
      });
      if (statements.length === 0) {
        throw new UserError(
          `The service ${name}: pg_stat_statements has counted no statement on its tables yet. Let the load run for a while, or name the service of another database.`,
        );
      }
      const calls = statements.reduce((sum, one) => sum + one.calls, 0);
      const seconds = since === null ? 0 : (Date.now() - since.getTime()) / 1000;
      return {
        ...{ aside, sizeBytes, extensions },
        ...weighed(statements),
        callsPerSecond: seconds > 0 ? calls / seconds : null,
      };
    },
    signal,
    { long: true },
  );
}

function weighed(statements: readonly LoadStatement[]): Pick<ServiceLoad, 'statements' | 'covered'> {
  const callShares = sharesOf(statements.map(({ calls }) => calls));
  const timeShares = sharesOf(statements.map(({ seconds }) => seconds));
  const scripted = statements.filter(({ script }) => script !== null);
  const weights = new Map(weightsOf(scripted).map((weight, index) => [scripted[index], weight]));
  const all = statements.map((one, index) => ({
    ...one,
    callShare: callShares[index] ?? 0,
    timeShare: timeShares[index] ?? 0,
    weight: weights.get(one) ?? null,
  }));
  const covered = all.filter(({ script }) => script !== null);
  return {
    statements: all,
    covered: {
      statements: covered.length,
      calls: covered.reduce((sum, { callShare }) => sum + callShare, 0),
      time: covered.reduce((sum, { timeShare }) => sum + timeShare, 0),
    },
  };
}

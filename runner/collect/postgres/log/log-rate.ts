import { UserError } from '../../../contract/errors.ts';
import type { FollowedLog } from '../../../contract/server.ts';
import type { CollectedTrial, Collection, Collector } from '../../collector.ts';
import { emptyCollection, reasonOf } from '../../absent.ts';
import { metric } from '../../metric.ts';

const destinations = `SELECT current_setting('log_destination') AS destination, current_setting('logging_collector')::boolean AS collected`;

/**
 * Opens the log that the server's place keeps, which is what the server writes to its standard error.
 *
 * @throws {UserError} if the server writes its log to its own files, or to a destination that cannot be read
 */
export async function openLog({
  serverLog,
  database,
}: Required<Pick<CollectedTrial, 'serverLog'>> & Pick<CollectedTrial, 'database'>): Promise<FollowedLog> {
  const { rows } = await database((client) => client.query<{ destination: string; collected: boolean }>(destinations));
  const { destination = 'stderr', collected = false } = rows[0] ?? {};
  if (collected) throw new UserError('the server writes its log to its own files: set logging_collector to off');
  if (!/\bstderr\b/.test(destination)) {
    throw new UserError(`the server writes its log to ${destination}: set log_destination to stderr`);
  }
  return serverLog();
}

const rate = metric('bytesPerSecond', 'server.logged', 'written to the server’s log', {
  source: 'growth of the server’s log file over the measured part',
});

/** Above this rate, the log slows a small server noticeably. */
const muchPerSecond = 2 ** 20;

/**
 * How much the server writes into its log. Statements, notices and errors of a load may be more than its WAL. Only on
 * this machine.
 */
export const logRate: Collector = {
  name: 'server-log',
  optional: true,
  metrics: [rate],
  async start({ serverLog, database }): Promise<Collection> {
    if (!serverLog) return {};
    const log = await openLog({ serverLog, database }).catch((error: unknown) => reasonOf(error));
    if (typeof log === 'string') return emptyCollection(logRate.name, log);
    return {
      async stop({ startedAt, endedAt }) {
        const seconds = Math.max(1, (endedAt.getTime() - startedAt.getTime()) / 1000);
        const perSecond = (await log.bytes()) / seconds;
        const mib = (perSecond / 2 ** 20).toLocaleString('en', { maximumSignificantDigits: 2 });
        return {
          measures: { [rate.name]: perSecond },
          warnings:
            perSecond > muchPerSecond
              ? [
                  `The server wrote ${mib} MiB per second into its log, which slows it down. Look for RAISE LOG, log_statement, log_min_duration_statement, or errors of the load.`,
                ]
              : [],
        };
      },
    };
  },
};

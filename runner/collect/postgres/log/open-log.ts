import { UserError } from '../../../contract/errors.ts';
import type { FollowedLog } from '../../../contract/server.ts';
import type { CollectedTrial } from '../../collector.ts';

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

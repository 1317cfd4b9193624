import { withConnection } from '../../postgres/connect.ts';
import type { ServiceTarget } from '../../postgres/target.ts';
import { serverBehind } from '../../process/server-behind.ts';

/**
 * The first process of a server on this machine, whose other processes are its children: the parent of the process of a
 * session of ours. In a container, a process has a number of its own, which the kernel shows as well.
 *
 * @returns null if this machine does not show the process
 */
export function findPostmaster(target: ServiceTarget, signal: AbortSignal): Promise<number | null> {
  return withConnection(
    target,
    async (client) => {
      const { rows } = await client.query<{ pid: number; user: string; database: string }>(
        'SELECT pg_backend_pid() AS pid, current_user::text AS user, current_database()::text AS database',
      );
      const [session] = rows;
      return session ? serverBehind(session) : null;
    },
    signal,
  );
}

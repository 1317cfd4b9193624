import { list } from '../../contract/format.ts';
import { UserError } from '../../contract/errors.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import type { Client } from '../../postgres/client.ts';
import { diskBehind, type ServerDisk, serverBehind } from '../../process/server-behind.ts';
import { neededRoom } from '../needed-room.ts';
import { gibText } from '../shared-memory.ts';

/**
 * The first process of a server on this machine, whose other processes are its children: the parent of the process of a
 * session of ours. In a container, a process has a number of its own, which the kernel shows as well.
 *
 * @returns null if this machine does not show the process
 */
export async function findPostmaster(client: Client): Promise<number | null> {
  const { rows } = await client.query<{ pid: number; user: string; database: string }>(
    'SELECT pg_backend_pid() AS pid, current_user::text AS user, current_database()::text AS database',
  );
  const [session] = rows;
  return session ? serverBehind(session) : null;
}

/**
 * Refuses a load that the disks of servers on this machine have no room for. Others show nobody how large their disks are.
 *
 * @param empty names of the servers on which nothing is yet, with their first processes
 * @throws {UserError} with the needed and the available room
 */
export function requireRoomHere(
  experiment: Pick<Experiment, 'workload' | 'protocol'>,
  empty: ReadonlyMap<string, number>,
): void {
  const needed = neededRoom(experiment, { engine: { parameters: {} } }, false);
  if (!needed) return;
  const { bytes, words } = needed.data;
  const onDisks = new Map<number, { disk: ServerDisk; servers: string[] }>();
  for (const [server, postmaster] of empty) {
    const disk = diskBehind(postmaster);
    if (!disk) continue;
    const { servers } = onDisks.get(disk.id) ?? { servers: [] };
    onDisks.set(disk.id, { disk, servers: [...servers, server] });
  }
  for (const { disk, servers } of onDisks.values()) {
    if (servers.length * bytes <= disk.freeBytes) continue;
    throw new UserError(
      `${list(servers)}: the disk of the server has room for only ${gibText(disk.freeBytes)}, and the load needs ${gibText(servers.length * bytes)} (${words}${servers.length > 1 ? ' on each' : ''}). Free up space there, or load less.`,
      { failure: 'disk-full' },
    );
  }
}

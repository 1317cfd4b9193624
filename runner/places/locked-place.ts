import type { DatabaseLocks } from '../postgres/database-lock.ts';
import type { Place } from './place.ts';
import { allOf, forEachServer } from './servers-failed.ts';

/**
 * The place, with the databases of all its servers locked against other runners until it is closed. If a lock is lost
 * with its connection, for example because the server restarted, it is taken again before a load, and before the reset
 * and the warm-up of every trial.
 *
 * @throws {UserError} if another runner uses one of the databases; the place has then been closed
 */
export async function lockedPlace(place: Place, locks: DatabaseLocks, signal: AbortSignal): Promise<Place> {
  const hold = async (server: string, until: AbortSignal): Promise<void> => {
    const target = place.targets.get(server);
    if (target) await locks.hold(target, until);
  };
  try {
    for (const server of place.targets.keys()) await hold(server, signal);
  } catch (error) {
    await locks.release();
    await place.close({ keep: false });
    throw error;
  }
  return {
    ...place,
    activateOnly(servers, until) {
      const used = servers.length > 0 ? servers : place.targets.keys();
      return allOf(
        () => place.activateOnly(servers, until),
        () => forEachServer(used, until, (server) => hold(server, until)),
      );
    },
    async close(options) {
      await locks.release();
      return place.close(options);
    },
  };
}

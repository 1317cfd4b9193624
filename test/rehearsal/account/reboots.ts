import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from './account.ts';
import type { Servers } from './endpoints.ts';

/**
 * Restarts the servers behind a database whenever a reboot of it was asked for and allowed, as RDS does. The emulator only
 * changes what it says of the database.
 *
 * @returns how many reboots there were so far, and what ends the watch
 */
export function restartOnReboot(
  account: Account,
  { databases }: Servers,
): { reboots: () => number; stop: () => Promise<void> } {
  const stopped = new AbortController();
  const asked = (): string[] =>
    account
      .requests()
      .filter(({ action, allowed }) => allowed && /^rds:RebootDB(Instance|Cluster)$/.test(action))
      .map(({ resource }) => resource.split(':').at(-1) ?? '');
  const before = asked().length;
  let done = before;
  const watching = (async () => {
    while (!stopped.signal.aborted) {
      for (const identifier of asked().slice(done)) {
        done += 1;
        const database = [...databases.values()].find((one) => one.identifier === identifier);
        await database?.restart('fast');
      }
      await sleep(200);
    }
  })();
  return {
    reboots: () => done - before,
    async stop() {
      stopped.abort();
      await watching;
    },
  };
}

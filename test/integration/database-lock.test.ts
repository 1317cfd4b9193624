import { expect, it, onTestFinished } from 'vitest';
import { lockedPlace } from '../../runner/places/locked-place.ts';
import type { Place } from '../../runner/places/place.ts';
import { resetDatabase } from '../../runner/postgres/reset.ts';
import { keepLoadedCopy } from '../../runner/postgres/loaded-copy.ts';
import { type DatabaseLocks, databaseLocks } from '../../runner/postgres/database-lock.ts';
import { pauseSeconds } from '../../runner/run/time-limit.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';
import { queryOn } from '../helpers/servers/local-cluster.ts';

const cluster = clusterForAll();
const signal = new AbortController().signal;

function runner(patienceSeconds = 0): DatabaseLocks {
  const locks = databaseLocks({ patienceSeconds, pause: pauseSeconds });
  onTestFinished(() => locks.release());
  return locks;
}

function placeOf(locks: DatabaseLocks, closed: string[] = []): Promise<Place> {
  const place: Place = {
    kind: 'local',
    description: 'one server',
    caveats: [],
    volumeChecks: [],
    targets: new Map([['test', cluster.target]]),
    activateOnly: () => Promise.resolve(),
    close: () => Promise.resolve(closed.push('closed')).then(() => null),
  };
  return lockedPlace(place, locks, signal);
}

it('refuses a second runner on a database, and names the connection of the first and what to do', async () => {
  const first = await placeOf(runner());
  const closed: string[] = [];
  const second = placeOf(runner(), closed);
  await expect(second).rejects.toMatchObject({ name: 'UserError' });
  await expect(second).rejects.toThrow(
    new RegExp(
      `^Database pgduet of test \\(127\\.0\\.0\\.1:\\d+\\) is in use by another pgduet: pid \\d+, from 127\\.0\\.0\\.1, ` +
        `pgduet process ${process.pid} on \\S+, as postgres, since \\d{4}-\\d\\d-\\d\\dT\\S+Z\\. ` +
        'Wait for it to finish, or stop it\\. If its machine is gone, end its connection with SELECT pg_terminate_backend\\(\\d+\\)\\.$',
    ),
  );
  expect(closed).toEqual(['closed']);
  await first.close({ keep: false });
  await placeOf(runner());
});

it('lets a second runner wait for a first one that is about to end', async () => {
  const first = runner();
  await first.hold(cluster.target, signal);
  const second = runner(10).hold(cluster.target, signal);
  await first.release();
  await expect(second).resolves.toBeUndefined();
});

it('leaves other databases of the same server alone', async () => {
  await runner().hold(cluster.target, signal);
  await runner().hold({ ...cluster.target, database: 'another' }, signal);
});

it('takes a lock again that was lost with its connection, before the next trial', async () => {
  const locks = runner();
  const place = await placeOf(locks);
  await queryOn(cluster.target, `SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE locktype = 'advisory'`);
  await place.activateOnly([], signal);
  await expect(runner().hold(cluster.target, signal)).rejects.toThrow('is in use by another pgduet');
});

it('does not stand in the way of a reset that replaces the database', async () => {
  await runner().hold(cluster.target, signal);
  await keepLoadedCopy(cluster.target, signal, 1);
  const { warnings } = await resetDatabase(cluster.target, { steps: ['restore'], own: {} }, signal);
  expect(warnings).toEqual([]);
});

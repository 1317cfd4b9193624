import type { Client } from '../../runner/postgres/client.ts';
import { expect, it, vi } from 'vitest';
import { PartError, problemOf } from '../../runner/contract/errors.ts';
import { connect, withConnection } from '../../runner/postgres/connect.ts';
import { disconnect } from '../../runner/postgres/unanswered.ts';
import { SharedConnection } from '../../runner/run/collection.ts';
import { stopServer } from '../helpers/servers/stopped-server.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';

vi.mock('../../runner/postgres/target.ts', async (original) => ({
  ...(await original<typeof import('../../runner/postgres/target.ts')>()),
  answerSeconds: 1,
  askEverySeconds: 1,
  silentSeconds: 3,
}));

const cluster = clusterForAll();

/** Lets the server hang while `use` lasts, and gives the seconds that it took. */
async function whileItHangs(use: () => Promise<void>): Promise<number> {
  const stopped = await stopServer(cluster.target);
  const begun = performance.now();
  try {
    await use();
    return (performance.now() - begun) / 1000;
  } finally {
    stopped.resume();
  }
}

it('ends a short query in time, and names the server', async () => {
  let asked: Promise<unknown> = Promise.resolve();
  const hanging = withConnection(cluster.target, async (client) => {
    const seconds = await whileItHangs(async () => {
      asked = client.query('SELECT 1');
      await expect(asked).rejects.toThrow();
    });
    expect(seconds).toBeLessThan(30);
    await asked;
  });
  const hung = new PartError('test did not answer a pgduet query within 1 s. Is the server hung?', 'no-answer');
  await expect(hanging).rejects.toThrow(hung);
  // Another start may succeed.
  expect(problemOf(await hanging.catch((error: unknown) => error))).toMatchObject({ isTransient: true });
});

it('takes an answer that came while this process was stopped', async () => {
  await withConnection(cluster.target, async (client) => {
    const answer = client.query('SELECT pg_sleep(0.2)');
    await new Promise(setImmediate);
    // Nothing of this process runs, and its timers are due when it goes on.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);
    await expect(answer).resolves.toMatchObject({ rowCount: 1 });
  });
});

it('ends a snapshot of counters in time, and the connection too', async () => {
  const connection = new SharedConnection(cluster.target);
  await connection.use((client) => client.query('SELECT 1'));
  const seconds = await whileItHangs(async () => {
    await expect(connection.use((client) => client.query('SELECT 1'))).rejects.toThrow('test did not answer');
    await connection.close();
  });
  expect(seconds).toBeLessThan(30);
});

it('ends a connection that is at rest in time', async () => {
  const client = await connect(cluster.target);
  expect(await whileItHangs(() => disconnect(client))).toBeLessThan(30);
});

it('gives a long query up only when the server answers nothing else either', async () => {
  const slow = withConnection(cluster.target, (client) => client.query('SELECT pg_sleep(6)'), undefined, {
    long: true,
  });
  await expect(slow).resolves.toMatchObject({ rowCount: 1 });
  let connected = (): void => undefined;
  const isConnected = new Promise<void>((resolve) => (connected = resolve));
  const work = (client: Client): Promise<unknown> => {
    connected();
    return client.query('SELECT pg_sleep(600)');
  };
  const hanging = withConnection(cluster.target, work, undefined, { long: true });
  await isConnected;
  const failure = expect(hanging).rejects.toThrow('test has not answered for 3 s during a long query of pgduet');
  expect(await whileItHangs(() => failure)).toBeLessThan(30);
});

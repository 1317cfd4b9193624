import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type LocalCluster, startLocalCluster } from './local-cluster.ts';

type Asked = Parameters<typeof startLocalCluster>;

/** A server for all tests of the file or group that calls this. Its own `beforeAll` that follow find it started. */
export function clusterForAll(...asked: Asked): LocalCluster {
  let started: LocalCluster | undefined;
  beforeAll(async () => {
    started = await startLocalCluster(...asked);
  });
  afterAll(() => started?.remove());
  return new Proxy({} as LocalCluster, {
    get: (_, name) => {
      if (!started) throw new Error('the server has not been started yet');
      return Reflect.get(started, name) as unknown;
    },
  });
}

/** A server for the test that calls this, which goes with it. */
export async function clusterForTest(...asked: Asked): Promise<LocalCluster> {
  const cluster = await startLocalCluster(...asked);
  onTestFinished(() => cluster.remove());
  return cluster;
}

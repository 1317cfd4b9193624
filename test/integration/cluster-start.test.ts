import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PartError, UserError } from '../../runner/contract/errors.ts';
import { startCluster } from '../../runner/places/local/cluster.ts';
import type { ClusterRequest } from '../../runner/places/local/cluster-files.ts';
import { freePort } from '../../runner/places/local/start-server.ts';
import type { PostgresBinaries } from '../../runner/places/local/installations.ts';
import { makeRunFolder, type RunFolder } from '../../runner/places/local/run-folder.ts';
import { serverUser } from '../../runner/process/rights.ts';
import { releaseVolumes } from '../../runner/places/local/volumes/release-volumes.ts';
import { withConnection } from '../../runner/postgres/connect.ts';
import { clusterRequest } from '../helpers/servers/local-cluster.ts';
import { installedPostgres } from '../helpers/servers/local-cluster.ts';

const user = serverUser();
const { signal } = new AbortController();

let runFolder: RunFolder;
let binaries: PostgresBinaries;
let request: ClusterRequest;
beforeEach(async () => {
  runFolder = makeRunFolder(releaseVolumes);
  binaries = await installedPostgres();
  request = clusterRequest(runFolder, user);
});
afterEach(() => runFolder.remove());

describe('a port that somebody else took before the server could', () => {
  let other: Server;
  let port: number;
  let asked: number;
  beforeEach(async () => {
    asked = 0;
    other = createServer((socket) => {
      asked += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    ({ port } = other.address() as AddressInfo);
  });
  afterEach(() => void other.close());

  it('is given up for another one, and whoever answers there is asked nothing', async () => {
    const ports = [port, port, await freePort()];
    const cluster = await startCluster(request, binaries, user, signal, () => Promise.resolve(ports.shift() ?? 0));
    try {
      const { rows } = await withConnection(cluster.target, (client) => client.query('SHOW port'), signal);
      expect(rows).toEqual([{ port: String(cluster.target.port) }]);
      expect(cluster.target.port).not.toBe(port);
      expect({ asked, left: ports }).toEqual({ asked: 0, left: [] });
    } finally {
      await cluster.stop();
    }
  });

  it('ends the start when it happens again and again, as trouble that may pass', async () => {
    const start = startCluster(request, binaries, user, signal, () => Promise.resolve(port));
    await expect(start).rejects.toThrow(PartError);
    await expect(start).rejects.toThrow('the server of test found no free port');
    expect(asked).toBe(0);
  });
});

/** PostgreSQL's own initdb, beside a program that stands for the server. */
function withServer(script: string): PostgresBinaries {
  const folder = path.join(runFolder.path, 'programs');
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  symlinkSync(path.join(binaries.folder, 'initdb'), path.join(folder, 'initdb'));
  writeFileSync(path.join(folder, 'postgres'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { ...binaries, folder };
}

it('a server that is killed as it starts is not the fault of the experiment’s parameters', async () => {
  const start = startCluster(request, withServer('kill -9 $$'), user, signal);
  await expect(start).rejects.toThrow(PartError);
  await expect(start).rejects.toThrow('the server of test ended (SIGKILL)');
});

// Found by the lab, with bonjour: true.
it('a server that does not start, and does not say by which parameter, has all of its own named', async () => {
  const script = `echo 'LOG:  it is not supported by this build' >&2
echo 'FATAL:  configuration file "x" contains errors' >&2
exit 1`;
  const start = startCluster({ ...request, parameters: { bonjour: true } }, withServer(script), user, signal);
  await expect(start).rejects.toThrow(UserError);
  await expect(start).rejects.toThrow(/not supported by this build\n[^]*has these parameters: bonjour: true\.$/);
});

// Found by the lab: it waited for ever, and Ctrl-C did not end it.
it('a server whose first commit never returns is given up when the run is interrupted', async () => {
  const interruption = new AbortController();
  const parameters = { synchronous_standby_names: 'nobody' };
  const start = startCluster({ ...request, parameters }, binaries, user, interruption.signal);
  setTimeout(() => interruption.abort(new Error('interrupted')), 5000);
  await expect(start).rejects.toThrow('interrupted');
});

/** An initdb that says this, as captured from PostgreSQL 15. */
function withInitdb(words: string): PostgresBinaries {
  const folder = path.join(runFolder.path, 'programs');
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  writeFileSync(path.join(folder, 'initdb'), `#!/bin/sh\ncat >&2 <<'END'\n${words}\nEND\nexit 1\n`, { mode: 0o755 });
  return { ...binaries, folder };
}

const full = `2026-11-22 10:44:19.897 UTC [15001] FATAL:  could not extend file "base/1/2691": No space left on device
2026-11-22 10:44:19.897 UTC [15001] HINT:  Check free disk space.
2026-11-22 10:44:19.898 UTC [15001] PANIC:  cannot abort transaction 1, it was already committed
Aborted
child process exited with exit code 134
initdb: removing data directory "/tmp/x"`;

describe('a data folder that cannot be made', () => {
  it('because its user may not write there says so', async () => {
    const closed = path.join(runFolder.volumes, 'closed');
    mkdirSync(closed, { mode: 0o500 });
    const start = startCluster({ ...request, dataFolder: path.join(closed, 'data') }, binaries, user, signal);
    await expect(start).rejects.toThrow(UserError);
    await expect(start).rejects.toThrow(/variant test: .*Permission denied\. Choose another folder/);
  });

  it.each([
    ['no room', full, /could not extend file.*No space left on device\. Free up space there/],
    [
      'a disk to be read only',
      'initdb: error: could not create directory "x": Read-only file system',
      /Choose another/,
    ],
    ['an option that is unknown', "initdb: unrecognized option '--no-sync'", /'--no-sync'\. Name .* --pg-bindir/],
  ])('for %s says what can be changed', async (_, words, message) => {
    const start = startCluster(request, withInitdb(words), user, signal);
    await expect(start).rejects.toThrow(UserError);
    await expect(start).rejects.toThrow(message);
  });

  it('because the volume broke is trouble that may pass', async () => {
    const words = 'initdb: error: could not write to file "x": Input/output error';
    await expect(startCluster(request, withInitdb(words), user, signal)).rejects.toThrow(PartError);
  });
});

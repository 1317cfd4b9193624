import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { withConnection } from '../../../runner/postgres/connect.ts';
import { startLocalCluster } from '../servers/local-cluster.ts';
import { nobody } from './neighbour.ts';

/**
 * Makes in a folder what a run on limited volumes makes, but with everything left open: files and folders for everybody,
 * sockets that answer, a server that trusts all, a process of the user nobody. The caller removes the folder.
 *
 * @returns the id of that process
 */
export async function makeOpenWorld(temporary: string, results: string): Promise<number> {
  const run = path.join(temporary, 'pgduet-opened');
  const variants = ['one', 'two'].map((name) => path.join(run, 'servers', name));
  const daemons = path.join(run, 'volumes/d');
  const data = path.join(run, 'volumes/one-data/data');
  for (const folder of [daemons, data, results, ...variants]) mkdirSync(folder, { recursive: true });
  for (const file of [path.join(run, 'owner.json'), path.join(data, 'PG_VERSION'), path.join(results, 'run.json')]) {
    writeFileSync(file, 'open');
  }
  const sharing = await sharingProcess();
  const ports = [await trustingServer(), sharing.port];
  for (const [index, variant] of variants.entries()) {
    mkdirSync(`${variant}.settings`);
    writeFileSync(path.join(`${variant}.settings`, 'pgduet.conf'), `port = '${ports[index]}'\n`);
    await listen(path.join(variant, `.s.PGSQL.${ports[index]}`));
  }
  await listen(path.join(daemons, '1.qmp'));
  const shared = '/dev/shm/PostgreSQL.left-open';
  writeFileSync(shared, 'open');
  onTestFinished(() => rmSync(shared));
  for (const one of [temporary, results, shared]) openToAll(one);
  // Only its owner may change a mode.
  chownSync(path.join(run, 'owner.json'), nobody.uid, nobody.gid);
  return sharing.pid;
}

/** @returns its port */
async function trustingServer(): Promise<number> {
  const cluster = await startLocalCluster();
  onTestFinished(() => cluster.remove());
  const access = path.join(path.dirname(cluster.serverLog), 'test.settings/pg_hba.conf');
  writeFileSync(access, 'host all all 127.0.0.1/32 trust\n');
  await withConnection(cluster.target, (client) => client.query('SELECT pg_reload_conf()'));
  return cluster.target.port;
}

/** A process of the user nobody that shares its port with any other of this user. */
async function sharingProcess(): Promise<{ pid: number; port: number }> {
  const program = `
import socket, time
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
server.bind(("127.0.0.1", 0))
server.listen()
print(server.getsockname()[1], flush=True)
time.sleep(120)`;
  const environment = { PATH: '/usr/local/bin:/usr/bin:/bin' };
  const child = spawn('python3', ['-c', program], {
    ...nobody,
    cwd: '/',
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return { pid: child.pid ?? 0, port: Number(port.toString()) };
}

async function listen(socket: string): Promise<void> {
  const server = createServer().listen(socket);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
}

function openToAll(one: string): void {
  chmodSync(one, 0o777);
  if (lstatSync(one).isDirectory()) for (const name of readdirSync(one)) openToAll(path.join(one, name));
}

import { chmodSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DescribeDBClustersCommand,
  DescribeDBInstancesCommand,
  DescribeDBProxiesCommand,
  DescribeDBSnapshotsCommand,
} from '@aws-sdk/client-rds';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { type Binding, boundServers, type ServerBinding } from '../../../runner/rds/contract/binding.ts';
import { type Account, hostsFile } from './account.ts';
import { makeAuthority } from '../../helpers/servers/certificates.ts';
import { type Database, startDatabase } from '../servers/database.ts';
import type { Endpoints } from '../servers/database-request.ts';
import { proxyPort } from '../../../runner/rds/deployments/proxy.ts';
import { hasProxy } from '../../../runner/rds/place/await-proxy.ts';
import { type Proxy, startProxy } from '../servers/proxy.ts';
import { parameterGroups } from './parameter-groups.ts';

export interface ServersOptions {
  /** Path or name of the experiment file. */
  experiment: string;
  profile: string;
  otherAuthorityFor?: string;
  /** Snapshot that holds what the servers begin with. */
  restoredFrom?: string;
  /** Settings by server that are not those of its parameter group. */
  otherSettings?: Record<string, Record<string, string>>;
}

/** The servers behind the endpoints of one stack, by name. */
export interface Servers {
  databases: ReadonlyMap<string, Database>;
  /** Of the servers that have one. */
  proxies: ReadonlyMap<string, Proxy>;
  stop(): Promise<void>;
}

export const noServers: Servers = { databases: new Map(), proxies: new Map(), stop: () => Promise.resolve() };

let addresses = 1;

/**
 * Starts one server for each database of a stack, or three for a cluster. From then on, a cluster's writer is the member
 * that RDS names.
 */
export async function startServers(
  account: Account,
  binding: Binding,
  { experiment, profile, otherAuthorityFor, restoredFrom, otherSettings = {} }: ServersOptions,
): Promise<Servers> {
  const { SecretString = '' } = await account.secrets.send(new GetSecretValueCommand({ SecretId: binding.secretArn }));
  const { username, password } = JSON.parse(SecretString) as { username: string; password: string };
  const { authority } = account;
  const folder = mkdtempSync(path.join(account.folder, 'databases-'));
  chmodSync(folder, 0o755);
  mkdirSync(path.join(account.folder, 'snapshots'), { recursive: true });
  const other = otherAuthorityFor === undefined ? authority : await makeAuthority(path.join(folder, 'other-authority'));
  const groups = parameterGroups(experiment, profile);
  const databases = new Map(
    await Promise.all(
      [...boundServers(binding)].map(async ([server, bound]): Promise<[string, Database]> => [
        server,
        await startDatabase({
          identifier: bound.identifier,
          endpoints: await endpointsOf(account, bound),
          user: username,
          password,
          databaseName: binding.database.name,
          authority: server === otherAuthorityFor ? other : authority,
          settings: { ...groups.get(server)?.settings, ...otherSettings[server] },
          claims: { version: bound.expected.engineVersion, parameters: groups.get(server)?.claimed ?? {} },
          folder,
          hostsFile,
          restoredFrom: restoredFrom === undefined ? undefined : snapshotFolder(account, restoredFrom),
          nextAddress: () => `127.0.1.${addresses++}`,
        }),
      ]),
    ),
  );
  const proxied = [...boundServers(binding)].filter(([, bound]) => hasProxy(bound));
  const proxies = new Map(
    await Promise.all(
      proxied.map(async ([server, { identifier }]): Promise<[string, Proxy]> => [
        server,
        await startProxy({
          folder: path.join(folder, `proxy-${identifier}`),
          endpoint: await proxyEndpoint(account, identifier),
          database: { host: await addressOf(account, identifier), port: 5432 },
          user: username,
          password,
          authority,
          address: `127.0.1.${addresses++}`,
          port: proxyPort,
          hostsFile,
          sessions: 50,
        }),
      ]),
    ),
  );
  for (const { serverLogs } of databases.values()) {
    for (const [identifier, file] of Object.entries(serverLogs)) {
      await account.control('log', { identifier, path: file });
    }
  }
  const stopped = new AbortController();
  for (const [server, bound] of boundServers(binding)) {
    const database = databases.get(server);
    if (bound.kind === 'cluster' && database) void followWriter(account, bound.identifier, database, stopped.signal);
  }
  void copySnapshots(account, binding, databases, stopped.signal);
  return {
    databases,
    proxies,
    async stop() {
      stopped.abort();
      await Promise.all([...proxies.values()].map((proxy) => proxy.stop()));
      await Promise.all([...databases.values()].map((database) => database.stop()));
    },
  };
}

async function proxyEndpoint({ rds }: Account, DBProxyName: string): Promise<string> {
  const { DBProxies = [] } = await rds.send(new DescribeDBProxiesCommand({ DBProxyName }));
  return DBProxies[0]?.Endpoint ?? '';
}

async function addressOf({ rds }: Account, instance: string): Promise<string> {
  const { DBInstances = [] } = await rds.send(new DescribeDBInstancesCommand({ DBInstanceIdentifier: instance }));
  return DBInstances[0]?.Endpoint?.Address ?? '';
}

async function endpointsOf(account: Account, { kind, identifier }: ServerBinding): Promise<Endpoints> {
  const { rds } = account;
  if (kind === 'instance') return { kind, endpoint: await addressOf(account, identifier) };
  const { DBClusters: [cluster] = [] } = await rds.send(
    new DescribeDBClustersCommand({ DBClusterIdentifier: identifier }),
  );
  const members = (cluster?.DBClusterMembers ?? [])
    .sort((one, next) => Number(next.IsClusterWriter) - Number(one.IsClusterWriter))
    .map(({ DBInstanceIdentifier = '' }) => DBInstanceIdentifier);
  return {
    kind: 'cluster',
    writer: cluster?.Endpoint ?? '',
    reader: cluster?.ReaderEndpoint ?? '',
    members: Object.fromEntries(
      await Promise.all(
        members.map(async (member): Promise<[string, string]> => [member, await addressOf(account, member)]),
      ),
    ),
  };
}

/** Where the data of a snapshot is; below it the account keeps all of them. */
function snapshotFolder({ folder }: Account, name: string): string {
  return path.join(folder, 'snapshots', name);
}

/** Gives snapshots their data. The emulator only says that they are being made. */
async function copySnapshots(
  account: Account,
  binding: Binding,
  databases: Servers['databases'],
  signal: AbortSignal,
): Promise<void> {
  const byIdentifier = new Map(
    [...boundServers(binding)].map(([server, { identifier }]) => [identifier, databases.get(server)]),
  );
  while (!signal.aborted) {
    await sleep(200);
    const { DBSnapshots: snapshots = [] } = await account.rds
      .send(new DescribeDBSnapshotsCommand({}))
      .catch(() => ({ DBSnapshots: [] }));
    for (const { DBSnapshotIdentifier: name = '', DBInstanceIdentifier: of = '' } of snapshots) {
      const folder = snapshotFolder(account, name);
      if (!existsSync(folder)) await byIdentifier.get(of)?.copyTo(folder);
    }
  }
}

/** Carries out failovers. The emulator receives the call and only changes what it answers; the servers change here. */
async function followWriter(
  { rds }: Account,
  identifier: string,
  database: Database,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await sleep(500);
    const cluster = await rds.send(new DescribeDBClustersCommand({ DBClusterIdentifier: identifier })).then(
      ({ DBClusters = [] }) => DBClusters[0],
      () => undefined,
    );
    if (signal.aborted) return;
    const writer = cluster?.DBClusterMembers?.find(({ IsClusterWriter }) => IsClusterWriter)?.DBInstanceIdentifier;
    if (writer !== undefined && writer !== database.writer()) await database.failOver(writer);
  }
}

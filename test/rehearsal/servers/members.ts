import { chownSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { PostgresBinaries } from '../../../runner/places/local/installations.ts';
import { serverUser } from '../../../runner/process/rights.ts';
import { signCertificate } from '../../helpers/servers/certificates.ts';
import { makeDataFolder } from './data-folder.ts';
import type { DatabaseRequest } from './database-request.ts';
import { replicationSettings } from './replication.ts';
import { makeServer, type Server } from './server.ts';

/** One instance: the only one of its database, or one of three. */
export interface Member {
  identifier: string;
  /** Names in its certificate; its own endpoint comes first. */
  names: [string, ...string[]];
  server: Server;
}

/** Makes everything that the servers of a database need before they start. The first member will be the writer. */
export async function makeMembers(
  request: DatabaseRequest,
  binaries: PostgresBinaries,
): Promise<[Member, ...Member[]]> {
  const { identifier, endpoints, authority, port = 5432, nextAddress, settings } = request;
  const folder = databaseFolder(request);
  mkdirSync(request.folder, { recursive: true });
  makeServerFolder(folder);
  const made = await Promise.all(
    namesOfMembers(request).map(async ([member, names], index): Promise<Member> => {
      // Not named by the identifier: the path of a socket may have only 107 characters.
      const own = path.join(folder, `${index + 1}`);
      makeServerFolder(own);
      await signCertificate(authority, own, names);
      const source = request.restoredFrom ?? path.join(request.folder, 'template');
      await makeDataFolder(source, path.join(own, 'data'), binaries);
      const replication = endpoints.kind === 'cluster' ? replicationSettings(member, folder, port) : {};
      const rdsSettings = { 'rds.force_ssl': '1', log_line_prefix: '%t:%r:%u@%d:[%p]:', log_timezone: 'UTC' };
      const all = { ...rdsSettings, ...replication, ...settings };
      const server = makeServer({ folder: own, address: nextAddress(), port, settings: all }, binaries);
      return { identifier: member, names, server };
    }),
  );
  const [writer, ...standbys] = made;
  if (!writer) throw new Error(`${identifier} is a cluster without members`);
  return [writer, ...standbys];
}

export function databaseFolder({ folder, identifier }: DatabaseRequest): string {
  return path.join(folder, identifier);
}

function namesOfMembers({ identifier, endpoints }: DatabaseRequest): [identifier: string, names: Member['names']][] {
  if (endpoints.kind === 'instance') return [[identifier, [endpoints.endpoint]]];
  return Object.entries(endpoints.members).map(([member, endpoint]) => [
    member,
    [endpoint, endpoints.writer, endpoints.reader],
  ]);
}

function makeServerFolder(folder: string): void {
  mkdirSync(folder, { mode: 0o700 });
  const { uid, gid } = serverUser();
  chownSync(folder, uid, gid);
}

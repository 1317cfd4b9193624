import { type Authority, signCertificate } from '../../helpers/servers/certificates.ts';
import type { DatabaseRequest } from './database-request.ts';
import { copyDataFolder } from './data-folder.ts';
import { disappear } from './disappear.ts';
import { pointName } from './host-names.ts';
import { makeMasterUser, setPassword } from './master-user.ts';
import { databaseFolder, makeMembers, type Member } from './members.ts';
import { leadStandbysTo, makeStandby, standbysFollow } from './replication.ts';
import type { StopMode } from './server.ts';
import { installedPostgres } from '../../helpers/servers/local-cluster.ts';

/** Takes the place of a database instance or a Multi-AZ DB cluster of RDS. */
export interface Database {
  identifier: string;
  /** Identifier of the instance that writes. */
  writer(): string;
  /** Paths of the logs by identifier of the instance. The logs show each client that connected, and how. */
  serverLogs: Record<string, string>;
  /** Restarts all members, as a reboot does: their clients are cut off. Resolves when the members are back. */
  restart(mode: StopMode): Promise<void>;
  /**
   * Does the same as FailoverDBCluster: promotes the member, lets the others follow it, and moves the endpoints. Resolves
   * when everything is done.
   *
   * @param member identifier of a standby
   */
  failOver(member: string): Promise<void>;
  /** From now on, shows clients a certificate for the same names that another authority signed. */
  changeAuthority(authority: Authority): Promise<void>;
  /** Its writer vanishes without a packet. Returns what brings it back. */
  disappear(): Promise<() => Promise<void>>;
  /** Copies what the writer holds to a new data folder. */
  copyTo(dataFolder: string): Promise<void>;
  /** Stops the servers immediately: nothing in them is needed any more. */
  stop(): Promise<void>;
}

/** Starts the servers of one database and gives them their names. Several databases may be started at the same time. */
export async function startDatabase(request: DatabaseRequest): Promise<Database> {
  const { identifier, endpoints, hostsFile } = request;
  const folder = databaseFolder(request);
  const binaries = await installedPostgres();
  const members = await makeMembers(request, binaries);
  let [writer] = members;
  const standbys = (): Member[] => members.filter((member) => member !== writer);
  const everywhere = async (act: (member: Member) => Promise<void>): Promise<void> => {
    await Promise.all(members.map(act));
  };
  const stop = (): Promise<void> => everywhere(({ server }) => server.stop('immediate'));
  const startAll = async (): Promise<void> => {
    await everywhere(({ server }) => server.start());
    await standbysFollow(writer.server, standbys().length);
  };
  const pointEndpoints = (): void => {
    if (endpoints.kind !== 'cluster') return;
    pointName(hostsFile, endpoints.writer, writer.server.address);
    pointName(hostsFile, endpoints.reader, (standbys()[0] ?? writer).server.address);
  };

  leadStandbysTo(writer.server, folder);
  for (const { server } of standbys()) makeStandby(server);
  try {
    await startAll();
    if (request.restoredFrom === undefined) await makeMasterUser(writer.server, binaries.major, request);
    else await setPassword(writer.server, request);
    await standbysFollow(writer.server, standbys().length);
  } catch (error) {
    await stop();
    throw error;
  }
  for (const { names, server } of members) pointName(hostsFile, names[0], server.address);
  pointEndpoints();

  return {
    identifier,
    writer: () => writer.identifier,
    serverLogs: Object.fromEntries(members.map((member) => [member.identifier, member.server.log])),
    async restart(mode) {
      await everywhere(({ server }) => server.stop(mode));
      await startAll();
    },
    async failOver(wanted) {
      const target = members.find((member) => member.identifier === wanted);
      if (!target) throw new Error(`${identifier} has no instance ${wanted}`);
      if (target === writer) throw new Error(`${wanted} is the writer of ${identifier} already`);
      const before = writer;
      // An orderly end sends all of the WAL to the standbys, so that this server can follow one of them afterwards.
      await before.server.stop('fast');
      leadStandbysTo(target.server, folder);
      await target.server.query('SELECT pg_promote()');
      writer = target;
      pointEndpoints();
      makeStandby(before.server);
      await before.server.start();
      await standbysFollow(writer.server, standbys().length);
    },
    changeAuthority: (authority) =>
      everywhere(async ({ names, server }) => {
        await signCertificate(authority, server.folder, names);
        await server.reload();
      }),
    disappear: () => disappear(writer.server.address),
    copyTo: (dataFolder) => copyDataFolder(writer.server, dataFolder, binaries),
    stop,
  };
}

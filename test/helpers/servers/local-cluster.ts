import { chownSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { QueryResultRow } from 'pg';
import type { ParameterValue } from '../../../runner/contract/experiment/variant.ts';
import type { ClusterRequest } from '../../../runner/places/local/cluster-files.ts';
import { startCluster } from '../../../runner/places/local/cluster.ts';
import { findPostgresBinaries } from '../../../runner/places/local/choose-binaries.ts';
import type { PostgresBinaries } from '../../../runner/places/local/installations.ts';
import { withConnection } from '../../../runner/postgres/connect.ts';
import type { Target } from '../../../runner/postgres/target.ts';
import { makeRunFolder, type RunFolder } from '../../../runner/places/local/run-folder.ts';
import { serverUser, type ServerUser } from '../../../runner/process/rights.ts';
import type { PlacedTarget } from '../../../runner/places/place.ts';
import { releaseVolumes } from '../../../runner/places/local/volumes/release-volumes.ts';

export interface LocalCluster {
  target: PlacedTarget;
  /** Folder of pgbench and other programs, in the server's version. */
  programs: string;
  /** Major version, such as 15. */
  major: number;
  /** Folder for the test's own files. The server may read it, but not write to it. It is deleted with the cluster. */
  folder: string;
  serverLog: string;
  restart(): Promise<void>;
  /** Stops the server and deletes everything that belongs to it. */
  remove(): Promise<void>;
}

/** @param folder of the programs. @default the first that a local run would find */
export function installedPostgres(folder?: string): Promise<PostgresBinaries> {
  const explicit = folder === undefined ? [] : [folder];
  return findPostgresBinaries({ explicit, environment: process.env, signal: new AbortController().signal });
}

/** Carries out SQL over a connection of its own. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as `query`
export function queryOn<Row extends QueryResultRow = Record<string, unknown>>(
  target: Target,
  text: string,
  values?: unknown[],
): Promise<{ rows: Row[]; rowCount: number | null }> {
  return withConnection(target, (client) => client.query<Row>(text, values));
}

/**
 * One private server like those of local runs, with an empty database. If a test is killed, `pgduet clean` removes what it
 * leaves.
 *
 * @param programs folder of PostgreSQL. @default the one that a local run would take
 */
export async function startLocalCluster(
  parameters: Record<string, ParameterValue> = {},
  programs?: string,
): Promise<LocalCluster> {
  const binaries = await installedPostgres(programs);
  const user = serverUser();
  const runFolder = makeRunFolder(releaseVolumes);
  try {
    const folder = path.join(runFolder.path, 'files');
    mkdirSync(folder, { mode: 0o755 });
    const cluster = await startCluster(
      clusterRequest(runFolder, user, parameters),
      binaries,
      user,
      new AbortController().signal,
    );
    return {
      target: cluster.target,
      programs: binaries.folder,
      major: binaries.major,
      folder,
      serverLog: cluster.serverLog,
      restart: () => cluster.restart(new AbortController().signal),
      async remove() {
        await cluster.stop();
        await runFolder.remove();
      },
    };
  } catch (error) {
    await runFolder.remove();
    throw error;
  }
}

/** A request for one server, with a data folder in which nothing is yet. */
export function clusterRequest(
  runFolder: RunFolder,
  user: ServerUser,
  parameters: Record<string, ParameterValue> = {},
): ClusterRequest {
  const dataFolder = path.join(runFolder.volumes, 'data');
  mkdirSync(dataFolder, { mode: 0o700 });
  chownSync(dataFolder, user.uid, user.gid);
  return { variant: 'test', dataFolder, walFolder: null, folder: path.join(runFolder.servers, 'test'), parameters };
}

import type { AwsSources } from '../aws/sources.ts';
import {
  type DeployedDatabase,
  type LogVolumeSwitch,
  type ReadServerLog,
  serverName,
  type ServerVolume,
} from '../contract/server.ts';
import type { Bill, volumesKinds } from '../contract/run-record.ts';
import type { KeptSnapshot } from '../contract/result.ts';
import type { Conditions, EventsBetween } from '../contract/trial.ts';
import type { AskedOfServer } from '../postgres/in-force.ts';
import type { Target } from '../postgres/target.ts';

/** The place where the variants of one run are, ready to be measured. */
export interface Place {
  kind: string;
  /** Description for the report. */
  description: string;
  /** What this place cannot show, one sentence each. */
  caveats: readonly string[];
  /** What it costs while it is there; absent if nothing. */
  bill?: Bill;
  /** How far volumes of limited IOPS kept to their limits, tested before anything was measured on them. */
  volumeChecks: readonly VolumeCheck[];
  /** What local variants are on; absent where they are not local. */
  volumesKind?: VolumesKind | undefined;
  /** The targets by the name of their server. `targetAt` finds the target of a trial. */
  targets: ReadonlyMap<string, PlacedTarget>;
  /**
   * Puts servers under test. Before loading and before the reset of a trial, it is called with an empty list: then every
   * server is as fast as it can be. Before the warm-up of a trial, it is called with the servers that are about to be
   * measured: from then on the other servers are at rest.
   *
   * @throws if it did not succeed with some servers, the failure of each (`failuresByServer`); the others are as they should be
   */
  activateOnly(servers: readonly string[], signal: AbortSignal): Promise<void>;
  /**
   * Restarts a server in good order, and waits until it accepts connections again. It keeps its address. Absent where nobody
   * can do it.
   */
  restart?(server: string, signal: AbortSignal): Promise<void>;
  /**
   * Makes the log volumes what they are in this period: as deployed, or exchanged (contract/plan.ts). `targets` then
   * holds the new targets. Does nothing if they are right already. Only places where a crossover is possible have this.
   */
  enterPeriod?(period: number, signal: AbortSignal): Promise<LogVolumeSwitch[]>;
  /**
   * Makes a snapshot of a server's data that outlives the place, and waits until both are there. If an earlier start of the
   * same run has begun it, this goes on. Only places whose servers belong to somebody else have this.
   */
  keepSnapshot?(
    server: string,
    options: { startedAt: Date; signal: AbortSignal; onProgress: (done: number) => void },
  ): Promise<KeptSnapshot>;
  /** Only places with servers of somebody else have this. */
  eventsBetween?: EventsBetween;
  /** Ids of processes on this machine that belong to it and were not started by this run; absent if there are none. */
  ownProcesses?: () => readonly number[];
  /** What AWS tells about the servers. Only places in AWS have this. */
  aws?: AwsSources;
  /** Removes the place, or with `keep` leaves it and returns in words how to reach it. It may be called twice. */
  close(options: { keep: boolean }): Promise<string | null>;
}

export interface VolumeCheck {
  volume: string;
  /** The limits as writes of `writeBytes` per second. The throughput may be the limit that is reached first. */
  requestedIops: number;
  writeBytes: number;
  /** Measured writes per second, by queue depth. */
  measuredIops: Record<number, number>;
}

export type VolumesKind = (typeof volumesKinds)[number];

export interface PlacedTarget extends Target {
  /** What the place asked of the server. It is proved to be in force before each trial. */
  asked: AskedOfServer;
  /** Aborts when the server is found dead, with the reason. A trial that is running on it has failed then. */
  failed: AbortSignal;
  /** Its volumes; absent if they are not on this machine. */
  volumes?: readonly ServerVolume[];
  /** Absent if nobody gives the server's log. */
  serverLog?: ReadServerLog;
  /** How RDS describes the database; undefined on this machine. */
  deployed?: DeployedDatabase;
}

/** The server that carries a trial, or that conditions of `serversOf` name. */
export function targetAt({ targets }: Pick<Place, 'targets'>, conditions: Conditions): PlacedTarget {
  const server = serverName(conditions);
  const target = targets.get(server);
  if (!target) throw new Error(`no target for ${server}`);
  return target;
}

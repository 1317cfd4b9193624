import type { PlaceSources } from '../collect/collector.ts';
import { type ReadServerLog, serverName, type ServerVolume } from '../contract/server.ts';
import type { Built } from '../contract/built.ts';
import type { DeployedDatabase, LogVolumeSwitch } from '../contract/server-facts.ts';
import type { Bill, volumesKinds } from '../contract/run-record.ts';
import type { KeptSnapshot } from '../contract/result.ts';
import type { Conditions, EventsBetween, StorageWork } from '../contract/trial.ts';
import type { AskedOfServer } from '../postgres/in-force.ts';
import type { Target } from '../postgres/target.ts';

/** The place where the variants of one run are, ready to be measured. */
export interface Place {
  kind: string;
  /** Description for the report. */
  description: string;
  /** What this place cannot show, one sentence each. */
  caveats: readonly string[];
  /** Those of them that a user may want to remove before anything is measured. @default none */
  removableCaveats?: readonly string[] | undefined;
  /** Whether the run was told to measure servers that others use; absent if not. */
  allowActivity?: true | undefined;
  /** What the place costs as long as it exists; absent if nothing. */
  bill?: Bill;
  /** How closely volumes of limited IOPS kept to their limits, tested before anything was measured on them. */
  volumeChecks: readonly VolumeCheck[];
  /** What local variants are on; absent if they are not local. */
  volumesKind?: VolumesKind | undefined;
  /** The targets by the name of their server. `targetAt` finds the target of a trial. */
  targets: ReadonlyMap<string, PlacedTarget>;
  /**
   * Puts servers under test. It is called with an empty list before loading and before the reset of a trial: then every
   * server is as fast as it can be. It is called with the servers that are about to be measured before the warm-up of a
   * trial: from then on, the other servers are at rest.
   *
   * @throws the failure of each server for which it failed (`failuresByServer`); the others are as they should be
   */
  activateOnly(servers: readonly string[], signal: AbortSignal): Promise<void>;
  /**
   * Shuts a server down cleanly, starts it again at the same address, and waits until it accepts connections. Absent if
   * the place cannot restart servers.
   */
  restart?(server: string, signal: AbortSignal): Promise<void>;
  /**
   * Sets the log volumes for this period: as deployed, or exchanged (contract/plan.ts). `targets` then holds the new
   * targets. Does nothing if the log volumes are right already. Only places that allow a crossover have this.
   */
  crossOver?(period: number, signal: AbortSignal): Promise<LogVolumeSwitch[]>;
  /**
   * Makes a snapshot of a server's data that outlives the place, and waits until the snapshot is complete and the
   * server is at rest. If an earlier start of the same run began the snapshot, waits for that one. Only places in AWS
   * have this.
   */
  keepSnapshot?(
    server: string,
    options: { startedAt: Date; signal: AbortSignal; onProgress: (done: number) => void },
  ): Promise<KeptSnapshot>;
  /** Only places in AWS have these two. */
  eventsBetween?: EventsBetween;
  storageWork?: StorageWork;
  /**
   * Ids of the processes on this machine that belong to the place, such as its servers; absent if it has none here.
   */
  ownProcesses?: () => readonly number[];
  /** What is known about the servers when the run has ended. Only places in AWS have this. */
  sources?: PlaceSources;
  /** Removes the place. With `keep`, leaves it and returns a text that says how to reach it. It may be called twice. */
  close(options: { keep: boolean }): Promise<string | null>;
}

export interface VolumeCheck {
  volume: string;
  /** The limit as writes of `writeBytes` per second: that of IOPS or of throughput, whichever is reached first. */
  requestedIops: number;
  writeBytes: number;
  /** Measured writes per second, by queue depth. */
  measuredIops: Record<number, number>;
}

export type VolumesKind = (typeof volumesKinds)[number];

export interface PlacedTarget extends Target {
  /** What the place asked of the server. Each trial first checks that it is in force. */
  asked: AskedOfServer;
  /** Aborts with the reason when the server is found dead. A trial that runs on it has then failed. */
  failed: AbortSignal;
  /** Its volumes; absent if they are not on this machine. */
  volumes?: readonly ServerVolume[];
  /** Absent if the server's log is not available. */
  serverLog?: ReadServerLog;
  /** What pgduet built of it; absent if everything was installed. */
  built?: Built | undefined;
  /** How RDS describes the database; undefined on this machine. */
  deployed?: DeployedDatabase;
}

/** The target of the server that carries a trial, or that conditions from `serversOf` name. */
export function targetAt({ targets }: Pick<Place, 'targets'>, conditions: Conditions): PlacedTarget {
  const server = serverName(conditions);
  const target = targets.get(server);
  if (!target) throw new Error(`no target for ${server}`);
  return target;
}

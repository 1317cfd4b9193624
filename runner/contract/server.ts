import type { Conditions, Level } from './trial.ts';

/**
 * Name of the server on which trials with these conditions run: the variant, and with `protocol.replicas` also the
 * number of the replica, such as `with-dlv-2`. Everything that belongs to one server has this name: its target, its
 * files, and its database in the binding.
 */
export function serverName({ variant, replica }: { variant: string; replica?: string | number | undefined }): string {
  return replica === undefined ? variant : `${variant}-${replica}`;
}

/** All servers of an experiment. Each is described by the conditions that its trials share. */
export function serversOf(variants: readonly string[], replicas: number): Conditions[] {
  return variants.flatMap((variant) =>
    replicasOf(replicas).map((replica): Conditions => (replica === undefined ? { variant } : { variant, replica })),
  );
}

/** The replicas as an axis of the plan; empty if each variant has one server. */
export function replicaAxis(replicas: number): Record<string, readonly number[]> {
  const numbers = replicasOf(replicas).flatMap((replica) => replica ?? []);
  return numbers.length > 0 ? { replica: numbers } : {};
}

/**
 * The records of the servers at a level: those of its replica, or all of them if the level names no replica.
 *
 * @param variant if given, only servers of this variant
 */
export function serversAt<Server extends { name: string; replica?: number | undefined }>(
  servers: readonly Server[],
  level: Level,
  variant?: string,
): Server[] {
  return servers.filter(
    ({ name, replica }) =>
      (variant === undefined || name === variant) &&
      (replica === undefined || level['replica'] === undefined || level['replica'] === replica),
  );
}

/** The names of the variants, each once, in their order. */
export function variantNames(servers: readonly { name: string }[]): string[] {
  return [...new Set(servers.map(({ name }) => name))];
}

/**
 * Numbers from 1, or only undefined if a variant has one server.
 *
 * @param replicas undefined in results that were made before there were replicas
 */
function replicasOf(replicas: number | undefined): (number | undefined)[] {
  return replicas !== undefined && replicas > 1
    ? Array.from({ length: replicas }, (_, index) => index + 1)
    : [undefined];
}

/** A volume that a server uses, as seen by the machine that counts its I/O. */
export interface ServerVolume {
  /**
   * What the server keeps there: `data` (with WAL, if that has no volume of its own), `log`, or `standby1` for all of a
   * standby.
   */
  name: string;
  /** Its block device, as MAJ:MIN below /sys/dev/block; null for a plain folder, whose disk others use, too. */
  device: string | null;
  /** I/Os per second; null if they are not limited. */
  iopsLimit: number | null;
  /** Bytes per second; null if they are not limited. */
  throughputLimit: number | null;
}

/** Begins to follow a server's log, wherever it is kept. */
export type ReadServerLog = () => Promise<FollowedLog>;

export interface FollowedLog {
  /**
   * The lines that were written since then, and some that were written shortly before, in their order.
   *
   * @param isWanted leaves out all other lines, so that a log may be long
   * @throws {UserError} if the log cannot be read
   */
  lines(isWanted: (line: string) => boolean): Promise<string[]>;
  /** How many bytes were written since then. */
  bytes(): Promise<number>;
}

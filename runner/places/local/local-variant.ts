import { open, stat } from 'node:fs/promises';
import { withConnection } from '../../postgres/connect.ts';
import type { Place, PlacedTarget } from '../place.ts';
import { allOf, forEachServer } from '../servers-failed.ts';
import { settleStandby, type Standby } from './standbys.ts';
import { mountsIn, abortable } from './volumes/mounts.ts';
import type { Volume } from './volumes/volume.ts';
import { UserError, whyFailed } from '../../contract/errors.ts';
import type { FollowedLog, ServerVolume } from '../../contract/server.ts';
import { throttleLimits } from './volumes/storage-daemon.ts';

/**
 * The running cluster of one variant, with its volumes: the data volume, the log volume if it has one, then the volumes
 * of its standbys.
 */
export interface LocalVariant {
  target: PlacedTarget;
  /** File of the server's log; absent if an earlier version kept the cluster without recording it. */
  serverLog?: string | undefined;
  volumes: readonly Volume[];
  standbys: readonly Pick<Standby, 'target' | 'failed'>[];
}

/**
 * The targets by variant, with their volumes and server logs. A target fails when one of its volumes or standbys fails.
 */
export function targetsOf(variants: ReadonlyMap<string, LocalVariant>): Place['targets'] {
  return new Map(
    [...variants].map(([name, variant]) => {
      const { volumes, serverLog } = variant;
      const sources = { volumes: serverVolumes(volumes), ...(serverLog && { serverLog: () => followLog(serverLog) }) };
      return [name, { ...onVolumes(variant), ...sources }];
    }),
  );
}

/**
 * Lets only the named variants work, within their limits. Without names, all variants work without limits.
 *
 * @throws the failure of each variant for which this failed, by its name
 */
export async function activateOnly(
  variants: ReadonlyMap<string, LocalVariant>,
  tested: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const settle = async (name: string): Promise<void> => {
    const variant = variants.get(name);
    if (!variant) return;
    for (const standby of variant.standbys) await settleStandby(variant.target, standby.target, signal);
  };
  const limit = (name: string): Promise<void> =>
    abortable(limitVolumes(variants.get(name), tested.includes(name)), signal);
  const writeOut = async (name: string): Promise<void> => {
    const variant = variants.get(name);
    if (!variant) return;
    await withConnection(variant.target, (client) => client.query('CHECKPOINT'), signal, { long: true });
    await settle(name);
  };
  // Otherwise another cluster would write out the dirty pages of an earlier trial in the middle of this one.
  const atRest = tested.length === 0 ? [] : [...variants.keys()].filter((name) => !tested.includes(name));
  await allOf(
    // Before the limits apply: what a standby has not yet replayed belongs to the load or the reset, not to the trial.
    () => forEachServer(tested, signal, settle),
    () => forEachServer(variants.keys(), signal, limit),
    () => forEachServer(atRest, signal, writeOut),
  );
}

async function limitVolumes(variant: LocalVariant | undefined, limited: boolean): Promise<void> {
  for (const volume of variant?.volumes ?? []) await volume.limit(limited);
}

/** A volume that breaks gives the cause. Its server ends a moment later, and reports only an I/O error. */
function onVolumes({ target, volumes, standbys }: LocalVariant): PlacedTarget {
  const failures = [...volumes, ...standbys].map(({ failed }) => failed);
  return { ...target, failed: AbortSignal.any([...failures, target.failed]) };
}

/** Enough to see what a server had begun before. The whole log may be gigabytes long. */
const bytesBefore = 256 * 1024;

/**
 * Follows a log that a server only appends to.
 *
 * @throws {UserError} if it cannot be read
 */
export async function followLog(file: string): Promise<FollowedLog> {
  const { size } = await unlessUnreadable(file, () => stat(file));
  return {
    bytes: () => unlessUnreadable(file, async () => (await stat(file)).size - size),
    lines: (isWanted) =>
      unlessUnreadable(file, async () => {
        const wanted: string[] = [];
        const log = await open(file);
        for await (const line of log.readLines({ start: Math.max(0, size - bytesBefore) })) {
          if (isWanted(line)) wanted.push(line);
        }
        return wanted;
      }),
  };
}

async function unlessUnreadable<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${whyFailed(error)}.`);
  }
}

/** What a counter of I/O needs to know about a server's volumes: data, log, and those of its standbys. */
export function serverVolumes(volumes: readonly Pick<Volume, 'request' | 'path' | 'qmpSocket'>[]): ServerVolume[] {
  return volumes.map(({ request, path: folder, qmpSocket }) => {
    const limits = throttleLimits(request);
    const isFolder = qmpSocket === null;
    const mount = isFolder ? undefined : mountsIn(folder).find((one) => one.path === folder);
    return {
      // The name of a volume is that of its variant, followed by what it holds.
      name: request.name.slice(request.name.lastIndexOf('-') + 1),
      device: mount?.device ?? null,
      iopsLimit: isFolder ? null : limits['iops-total'] || null,
      throughputLimit: isFolder ? null : limits['bps-total'] || null,
    };
  });
}

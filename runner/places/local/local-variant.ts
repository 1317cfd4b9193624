import { withConnection } from '../../postgres/connect.ts';
import type { Place, PlacedTarget } from '../place.ts';
import { allOf, forEachServer } from '../servers-failed.ts';
import { settleStandby, type Standby } from './standbys.ts';
import { followLog } from './follow-log.ts';
import { serverVolumes } from './volumes/server-volumes.ts';
import { unlessHung } from './volumes/unless-hung.ts';
import type { Volume } from './volumes/volume.ts';

/**
 * The running cluster of one variant, with its volumes: data first, then log if the variant has a log volume, then those of
 * its standbys.
 */
export interface LocalVariant {
  target: PlacedTarget;
  /** File of the server's log; absent if an earlier version kept the cluster and did not say. */
  serverLog?: string | undefined;
  volumes: readonly Volume[];
  standbys: readonly Pick<Standby, 'target' | 'failed'>[];
}

/**
 * The targets by variant, with what can be seen of them on this machine. A target fails when one of its volumes or standbys
 * fails.
 */
export function targetsOf(variants: ReadonlyMap<string, LocalVariant>): Place['targets'] {
  return new Map(
    [...variants].map(([name, variant]) => {
      const { volumes, serverLog } = variant;
      const seen = { volumes: serverVolumes(volumes), ...(serverLog && { serverLog: () => followLog(serverLog) }) };
      return [name, { ...onVolumes(variant), ...seen }];
    }),
  );
}

/**
 * Lets only the named variants work, within their limits. Without names, all of them work without limits.
 *
 * @throws the failures of the variants that this did not succeed with, each by its name
 */
export async function putUnderTest(
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
    unlessHung(limitVolumes(variants.get(name), tested.includes(name)), signal);
  const writeOut = async (name: string): Promise<void> => {
    const variant = variants.get(name);
    if (!variant) return;
    await withConnection(variant.target, (client) => client.query('CHECKPOINT'), signal, { long: true });
    await settle(name);
  };
  // Otherwise another cluster would write what an earlier trial left unwritten in the middle of this trial.
  const atRest = tested.length === 0 ? [] : [...variants.keys()].filter((name) => !tested.includes(name));
  await allOf(
    // Before its limits: what a standby has not replayed yet belongs to the load or the reset, not to the trial.
    () => forEachServer(tested, signal, settle),
    () => forEachServer(variants.keys(), signal, limit),
    () => forEachServer(atRest, signal, writeOut),
  );
}

async function limitVolumes(variant: LocalVariant | undefined, limited: boolean): Promise<void> {
  for (const volume of variant?.volumes ?? []) await volume.limit(limited);
}

/** A volume that breaks says why. Its server ends a moment later, and only reports an I/O error. */
function onVolumes({ target, volumes, standbys }: LocalVariant): PlacedTarget {
  const failures = [...volumes, ...standbys].map(({ failed }) => failed);
  return { ...target, failed: AbortSignal.any([...failures, target.failed]) };
}

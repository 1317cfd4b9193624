import { PartError } from '../../../contract/errors.ts';
import type { Variant } from '../../../contract/experiment/variant.ts';
import type { VolumeCheck } from '../../place.ts';
import { localVolumes, type VolumeLimits } from '../schema.ts';
import { standbyNames } from '../standbys.ts';
import { judgeVolumeCheck } from './measure-volume.ts';
import type { Volume, Volumes } from './volume.ts';

/**
 * Tests the limits of new volumes before anything is measured on them. It tests one volume after another, because
 * together they would compete for this machine's disk. It needs about three seconds for each limited volume.
 *
 * @throws {PartError} if a limit does not hold twice in a row. A disk that is too slow for its limit is only a caveat:
 * the trials are still fair to both sides
 */
export async function checkVolumes(
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<{ checks: VolumeCheck[]; caveats: string[] }> {
  const checks: VolumeCheck[] = [];
  const caveats: string[] = [];
  for (const volume of volumes) {
    let check = await volume.verify(signal);
    // On a busy machine, a test of a second or two may come at the wrong moment.
    if (check && judgeVolumeCheck(check).status === 'above') check = await volume.verify(signal);
    if (check === null) continue;
    const { status, message } = judgeVolumeCheck(check);
    if (status === 'above') throw new PartError(message, 'volume-failed');
    if (status === 'below') caveats.push(message);
    checks.push(check);
  }
  return { checks, caveats };
}

export interface VariantVolumes {
  data: Volume;
  /** null if WAL is with the data. */
  log: Volume | null;
  /** One for each standby, by its name, for its data and WAL. */
  standbys: ReadonlyMap<string, Volume>;
}

/** Makes the data volume, the log volume if the variant has one, and a volume for each standby. */
export async function makeVolumes(
  variant: string,
  definition: Variant,
  volumes: Volumes,
  signal: AbortSignal,
): Promise<VariantVolumes> {
  const asked = localVolumes(definition);
  const make = (name: string, limits: VolumeLimits) =>
    volumes.create({ name: `${variant}-${name}`, sizeGib: asked.sizeGib, ...limits }, signal);
  const data = await make('data', asked.data);
  const log = asked.log && (await make('log', asked.log));
  const standbys = new Map<string, Volume>();
  if (asked.standbys) {
    const { count, ...limits } = asked.standbys;
    for (const name of standbyNames(count)) standbys.set(name, await make(name, limits));
  }
  return { data, log, standbys };
}

/** All volumes of a variant. */
export function volumesIn({ data, log, standbys }: VariantVolumes): Volume[] {
  return [data, ...(log === null ? [] : [log]), ...standbys.values()];
}

import { PartError } from '../../contract/errors.ts';
import { judgeVolumeCheck } from './volumes/judge-volume-check.ts';
import type { VolumeCheck } from '../place.ts';
import type { Volume } from './volumes/volume.ts';

/**
 * Proves the limits of new volumes before anything is measured on them. It takes one volume after another: at the same
 * time, they would compete for this machine's one disk. It needs about three seconds for each limited volume.
 *
 * @throws {PartError} if a limit does not hold, twice in a row. A disk that is too slow for its limit is only a caveat: the trials are still fair to
 *   both sides.
 */
export async function checkVolumes(
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<{ checks: VolumeCheck[]; caveats: string[] }> {
  const checks: VolumeCheck[] = [];
  const caveats: string[] = [];
  for (const volume of volumes) {
    let check = await volume.verify(signal);
    // On a machine that is busy, a look of a second or two may be at the wrong moment.
    if (check && judgeVolumeCheck(check).status === 'above') check = await volume.verify(signal);
    if (check === null) continue;
    const { status, message } = judgeVolumeCheck(check);
    if (status === 'above') throw new PartError(message);
    if (status === 'below') caveats.push(message);
    checks.push(check);
  }
  return { checks, caveats };
}

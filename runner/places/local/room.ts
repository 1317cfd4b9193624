import { statfsSync } from 'node:fs';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { UserError } from '../../contract/errors.ts';

/**
 * Refuses volumes that the disk could not hold if they became full. Their image files are sparse: they would be made, and a
 * server would fail in mid-trial.
 *
 * @param folder where the image files will be
 * @throws {UserError} with the room that there is and that is needed
 */
export function demandRoom({ variants }: Pick<Experiment, 'variants'>, folder: string): void {
  const neededGib = Object.values(variants).reduce(
    (sum, { storage, dedicatedLogVolume }) =>
      sum + storage.sizeGib * ((dedicatedLogVolume ? 2 : 1) + (storage.type === 'local' ? (storage.standbys ?? 0) : 0)),
    0,
  );
  const { bavail, bsize } = statfsSync(folder);
  const roomGib = (bavail * bsize) / 2 ** 30;
  if (neededGib <= roomGib) return;
  throw new UserError(
    `The volumes of all variants need ${neededGib} GiB, and there are ${roomGib.toFixed(1)} GiB in ${folder}. Choose a smaller storage.sizeGib, or set TMPDIR to another disk.`,
  );
}

import type { ServerBinding } from '../../contract/binding.ts';
import { UserError } from '../../contract/errors.ts';
import { awaitDatabase, type PollingOptions, withOneLimit } from './await-database.ts';
import { failOverToDriverZone } from './fail-over-to-driver-zone.ts';
import type { DatabaseState } from './database-state.ts';
import { differences } from './judge-database.ts';
import { rebootOnce } from './reboot-once.ts';

export interface ExaminedDatabase {
  state: DatabaseState;
  /** Whether it was rebooted to bring its parameter group into force. */
  rebooted: boolean;
  caveats: string[];
}

/**
 * Waits for the database of a variant, brings its primary to the driver's zone, and proves that it is what was asked for.
 * The limit of the waiting holds for all of this together.
 *
 * @param mayReboot whether to reboot it where its parameter group waits for that. In mid-run, a reboot would set one trial apart
 * @throws {UserError} with a line for everything that is different
 */
export async function examineDatabase(
  variant: string,
  binding: ServerBinding,
  options: PollingOptions,
  { anyLogVolume = false, mayReboot = false }: { anyLogVolume?: boolean; mayReboot?: boolean } = {},
): Promise<ExaminedDatabase> {
  const polling = withOneLimit(options);
  const found = await awaitDatabase(variant, binding, polling);
  const { state: inForce, rebooted } = mayReboot
    ? await rebootOnce(variant, binding, found, polling)
    : { state: found, rebooted: false };
  const { state, caveat } = await failOverToDriverZone(variant, binding, inForce, polling);
  const { dedicatedLogVolume } = state.database;
  const expected = anyLogVolume ? { ...binding.expected, dedicatedLogVolume } : binding.expected;
  const wrong = differences(expected, state);
  if (state.database.endpoint === null) wrong.push('has no endpoint');
  if (wrong.length > 0) {
    throw new UserError(wrong.map((what) => `Variant ${variant} (${binding.identifier}) ${what}.`).join('\n'));
  }
  return { state, rebooted, caveats: caveat === null ? [] : [caveat] };
}

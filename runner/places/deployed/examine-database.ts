import type { ServerBinding } from '../../contract/binding.ts';
import { UserError } from '../../contract/errors.ts';
import { awaitDatabase, type PollingOptions, withOneLimit } from './await-database.ts';
import { failOverToDriverZone } from './fail-over-to-driver-zone.ts';
import type { DatabaseState } from './database-state.ts';
import { differences } from './judge-database.ts';

export interface ExaminedDatabase {
  state: DatabaseState;
  caveats: string[];
}

/**
 * Waits for the database of a variant, brings its primary to the driver's zone, and proves that it is what was asked for.
 * The limit of the waiting holds for all of this together.
 *
 * @throws {UserError} with a line for everything that is different
 */
export async function examineDatabase(
  variant: string,
  binding: ServerBinding,
  options: PollingOptions,
  { anyLogVolume = false }: { anyLogVolume?: boolean } = {},
): Promise<ExaminedDatabase> {
  const polling = withOneLimit(options);
  const found = await awaitDatabase(variant, binding, polling);
  const { state, caveat } = await failOverToDriverZone(variant, binding, found, polling);
  const { dedicatedLogVolume } = state.database;
  const expected = anyLogVolume ? { ...binding.expected, dedicatedLogVolume } : binding.expected;
  const wrong = differences(expected, state);
  if (state.database.endpoint === null) wrong.push('has no endpoint');
  if (wrong.length > 0) {
    throw new UserError(wrong.map((what) => `Variant ${variant} (${binding.identifier}) ${what}.`).join('\n'));
  }
  return { state, caveats: caveat === null ? [] : [caveat] };
}

import { UserError } from '../../contract/errors.ts';
import { findInstallations, lacks, type LookUp, notFound, type PostgresBinaries } from './installations.ts';

/** Programs that must be in the one folder. `clients` are enough to put load on a server elsewhere. */
const programs = {
  server: ['postgres', 'initdb', 'pgbench'],
  clients: ['pgbench', 'psql'],
} as const;

/**
 * Finds the first folder that has everything.
 *
 * @throws {UserError} with what was found and why it cannot be used, and with the command that installs what is missing
 */
export async function findPostgresBinaries({
  needed = 'server',
  ...lookUp
}: LookUp & { needed?: keyof typeof programs }): Promise<PostgresBinaries> {
  const { explicit = [] } = lookUp;
  if (explicit.length > 1) {
    throw new UserError(
      `--pg-bindir is given ${explicit.length} times: ${explicit.join(', ')}. There is one load generator; expected one folder.`,
    );
  }
  const found = await findInstallations(lookUp, programs[needed]);
  const first = found.installations.find((one) => lacks(one, programs[needed]) === null);
  if (!first) throw notFound(found, programs[needed]);
  const { folder, version, major } = first;
  return { folder, version, major };
}

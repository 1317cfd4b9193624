import { UserError } from '../../../contract/errors.ts';
import { libraryScript } from '../scripts.ts';
import { startSession } from '../session.ts';
import { says } from '../output/lines.ts';

/**
 * HammerDB's version in its own words, such as `HammerDB v6.0`.
 *
 * @param install folder of HammerDB
 * @throws {UserError} if it does not start, or cannot load its library for PostgreSQL
 */
export async function versionOf(install: string, signal: AbortSignal): Promise<string> {
  const { ended } = startSession({ install, script: libraryScript, limitSeconds: 120, signal });
  const { lines } = await ended.catch((error: unknown) => {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    throw new UserError(`HammerDB in ${install} does not work: ${why}`, { cause: error });
  });
  const version = lines.map((line) => says.version.exec(line)?.[1]).find((found) => found !== undefined);
  const library = lines[lines.findIndex((line) => /^Checking database library for PostgreSQL$/.test(line)) + 1] ?? '';
  if (version === undefined) throw new UserError(`HammerDB in ${install} does not say its version.`);
  if (!library.startsWith('Success')) {
    throw new UserError(
      `HammerDB in ${install} cannot reach PostgreSQL: ${library || 'its library was not checked'}. Install the client library of PostgreSQL (libpq5, or libpq on Amazon Linux).`,
    );
  }
  return `HammerDB ${version}`;
}

import path from 'node:path';
import { exists } from '../../files/look.ts';
import { ownEnvironment } from '../../postgres/psql.ts';
import { askProgram } from '../../process/run-command.ts';
import { findInstallations, type LookUp } from '../local/installations.ts';
import { libpqEnvironment } from './libpq-environment.ts';

/** What pg_isready ends with if libpq refuses the parameters (https://www.postgresql.org/docs/current/app-pg-isready.html). */
const noAttempt = 3;

/**
 * Those of the services that libpq cannot use here. It asks no server: the host is a socket that does not exist.
 *
 * @returns none if there is no pg_isready here
 */
export async function unknownServices(services: readonly string[], lookUp: LookUp): Promise<string[]> {
  const { environment, signal } = lookUp;
  const { installations } = await findInstallations(lookUp, []);
  const program = installations.map(({ folder }) => path.join(folder, 'pg_isready')).find(exists);
  if (program === undefined) return [];
  const answers = await Promise.all(
    services.map((service) =>
      askProgram([program, '--quiet', `--dbname=service=${service} host=/nonexistent hostaddr=''`], {
        environment: ownEnvironment(libpqEnvironment(environment)),
        signal,
      }),
    ),
  );
  return services.filter((_, index) => answers[index]?.exitCode === noAttempt);
}

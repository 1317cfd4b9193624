import type { Binding } from '../../contract/binding.ts';
import { UserError } from '../../contract/errors.ts';
import { exists } from '../../files/look.ts';
import { quietClients } from '../../postgres/target.ts';
import type { PlacedTarget } from '../place.ts';
import type { ExaminedDatabase } from './examine-database.ts';
import type { PasswordFile } from './password-file.ts';
import type { AskedParameters } from './match-variants.ts';

/** What is needed to reach all databases of a stack. */
export interface DatabaseAccess {
  binding: Binding;
  parameters: AskedParameters;
  passwordFile: PasswordFile;
  /** Path of an existing file. */
  certificates: string;
}

/** How to reach an examined database. */
export function deployedTarget(
  server: string,
  { database, port }: ExaminedDatabase['state'],
  access: DatabaseAccess,
): PlacedTarget {
  const parameters = access.parameters.get(server) ?? {};
  return {
    server,
    host: database.endpoint ?? '',
    port: port ?? access.binding.database.port,
    user: access.passwordFile.user,
    database: access.binding.database.name,
    environment: {
      PGPASSFILE: access.passwordFile.path,
      PGSSLMODE: 'verify-full',
      PGSSLROOTCERT: access.certificates,
      ...quietClients(parameters),
    },
    asked: { parameters, version: database.engineVersion },
    deployed: database,
    // RDS restarts a failed server by itself. A trial that is running then fails with its client's error.
    failed: new AbortController().signal,
  };
}

/** @throws {UserError} if the file is not set or does not exist: connections without it would be less secure */
export function checkedCertificates(file: string | undefined): string {
  if (file === undefined || file === '') {
    throw new UserError(
      'PGSSLROOTCERT is not set: set it to a file with the certificate authorities of RDS, such as global-bundle.pem.',
    );
  }
  if (!exists(file)) throw new UserError(`PGSSLROOTCERT is ${file}, which does not exist.`);
  return file;
}

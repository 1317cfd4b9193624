import type { Binding } from '../../contract/binding.ts';
import { UserError } from '../../contract/errors.ts';
import { exists } from '../../files/look.ts';
import { quietClients } from '../../postgres/target.ts';
import type { PlacedTarget } from '../place.ts';
import type { ExaminedDatabase } from './examine-database.ts';
import type { PasswordFile } from './password-file.ts';
import type { AskedParameters } from './match-variants.ts';

/** With what all databases of a stack are reached. */
export interface DatabaseAccess {
  binding: Binding;
  parameters: AskedParameters;
  passwordFile: PasswordFile;
  /** Path that exists. */
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
    // RDS restarts a server by itself. A trial that is running then fails by the error of its client.
    failed: new AbortController().signal,
  };
}

/** @throws {UserError} if there are none: connections without them would be weaker */
export function checkedCertificates(file: string | undefined): string {
  if (file === undefined || file === '') {
    throw new UserError(
      'PGSSLROOTCERT is not set: name a file with the certificate authorities of RDS, such as global-bundle.pem.',
    );
  }
  if (!exists(file)) throw new UserError(`PGSSLROOTCERT is ${file}, which does not exist.`);
  return file;
}

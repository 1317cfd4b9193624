import path from 'node:path';
import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';
import { type Binding, boundServers } from '../contract/binding.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { UserError } from '../../contract/errors.ts';
import { serverName, serversOf } from '../../contract/server.ts';
import type { AskedOfServer } from '../../postgres/in-force.ts';
import { removeTree, writeFileIn } from '../../files/write.ts';
import { callAws } from '../aws/call.ts';
import { makeOwnedFolder } from '../../process/owned-folder.ts';
import { exists } from '../../files/look.ts';
import { quietClients } from '../../postgres/target.ts';
import type { PlacedTarget } from '../../places/place.ts';
import type { ExaminedDatabase } from './examine-database.ts';

/** @throws {UserError} if the stack was deployed from another state of the experiment file */
export function matchVariants(binding: Binding, experiment: Experiment): void {
  const deployed = [...boundServers(binding).keys()].sort().join(', ');
  const wanted = serversOf(Object.keys(experiment.variants), experiment.protocol.replicas)
    .map(serverName)
    .sort()
    .join(', ');
  if (experiment.name === binding.experiment.name && deployed === wanted) return;
  throw new UserError(
    `The stack ${binding.stackName} has the variants ${deployed} of ${binding.experiment.name}, but the experiment is ${experiment.name} with ${wanted}. Deploy it again, or go back to the file and the profile that were deployed.`,
  );
}

/** The parameters of each server's parameter group, by the name of the server. */
export type AskedParameters = ReadonlyMap<string, AskedOfServer['parameters']>;

/** @param experiment its parameters are written as RDS writes them */
export function askedParameters({
  variants,
  protocol,
}: {
  variants: Readonly<Record<string, { engine: { parameters: AskedOfServer['parameters'] } }>>;
  protocol: { replicas: number };
}): AskedParameters {
  return new Map(
    serversOf(Object.keys(variants), protocol.replicas).map((server) => [
      serverName(server),
      variants[server.variant]?.engine.parameters ?? {},
    ]),
  );
}

/**
 * User and password for PostgreSQL clients. Only our own user can read the file. It is removed at the end of the run;
 * if this process is killed, the next start or `clean` removes it.
 */
export interface PasswordFile {
  user: string;
  /** Path of the file, for PGPASSFILE. */
  path: string;
  remove(): void;
}

const secretSchema = z.object({ username: z.string().min(1), password: z.string().min(1) });

/**
 * Fetches the secret with the keys username and password.
 *
 * @throws {UserError} if the secret cannot be read, or holds something else; no message shows any part of it
 */
export async function fetchPasswordFile(secrets: SecretsManagerClient, secretArn: string): Promise<PasswordFile> {
  const { SecretString = '' } = await callAws('secretsmanager:GetSecretValue', secretArn, () =>
    secrets.send(new GetSecretValueCommand({ SecretId: secretArn })),
  );
  const { username, password } = parseSecret(SecretString, secretArn);
  const { path: folder } = makeOwnedFolder();
  const name = 'pgpass';
  await writeFileIn(folder, name, `*:*:*:${escaped(username)}:${escaped(password)}\n`, {
    readers: 'owner',
  });
  return {
    user: username,
    path: path.join(folder, name),
    remove() {
      removeTree(folder);
    },
  };
}

function parseSecret(text: string, secretArn: string): z.output<typeof secretSchema> {
  try {
    return secretSchema.parse(JSON.parse(text));
  } catch {
    // Without a cause, which would show parts of the secret.
    throw new UserError(`The secret ${secretArn} is not JSON with the keys username and password.`);
  }
}

function escaped(text: string): string {
  return text.replace(/[\\:]/g, (character) => `\\${character}`);
}

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

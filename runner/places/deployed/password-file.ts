import path from 'node:path';
import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { z } from 'zod';
import { removeTree, writeFileIn } from '../../files/write.ts';
import { callAws } from '../../aws/call.ts';
import { UserError } from '../../contract/errors.ts';
import { makeOwnedFolder } from '../../process/owned-folder.ts';

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

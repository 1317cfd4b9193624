import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { z } from 'zod';
import { callAws } from '../../aws/call.ts';
import { UserError } from '../../contract/errors.ts';
import { hasEnded, ownIdentity, processIdentitySchema } from '../../process/identity.ts';

/** User and password for PostgreSQL clients. Only we can read the file, and it is removed at the end of the run. */
export interface PasswordFile {
  user: string;
  /** Path of the file, for PGPASSFILE. */
  path: string;
  remove(): void;
}

const secretSchema = z.object({ username: z.string().min(1), password: z.string().min(1) });

const prefix = 'pgduet-password-';
/** Says whose a folder is, so that one of a killed run can be recognised. */
const ownerFile = 'owner.json';

/**
 * Fetches the secret with the keys username and password.
 *
 * @throws {UserError} if it cannot be read, or holds something else; no message shows any part of it
 */
export async function fetchPasswordFile(secrets: SecretsManagerClient, secretArn: string): Promise<PasswordFile> {
  const { SecretString = '' } = await callAws('secretsmanager:GetSecretValue', secretArn, () =>
    secrets.send(new GetSecretValueCommand({ SecretId: secretArn })),
  );
  const { username, password } = parseSecret(SecretString, secretArn);
  removeLeftovers();
  const folder = mkdtempSync(path.join(tmpdir(), prefix));
  writeFileSync(path.join(folder, ownerFile), JSON.stringify(ownIdentity()), { mode: 0o600 });
  const file = path.join(folder, 'pgpass');
  writeFileSync(file, `*:*:*:${escaped(username)}:${escaped(password)}\n`, { mode: 0o600 });
  return { user: username, path: file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Removes the files of this user's runs that were killed. */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const folder = path.join(tmpdir(), name);
    if (name.startsWith(prefix) && isLeftover(folder)) rmSync(folder, { recursive: true, force: true });
  }
}

function isLeftover(folder: string): boolean {
  try {
    const stat = lstatSync(folder);
    if (!stat.isDirectory() || stat.uid !== process.getuid?.()) return false;
    return hasEnded(processIdentitySchema.parse(JSON.parse(readFileSync(path.join(folder, ownerFile), 'utf8'))));
  } catch {
    // It is not ours, or somebody has just removed it.
    return false;
  }
}

function parseSecret(text: string, secretArn: string): z.output<typeof secretSchema> {
  try {
    return secretSchema.parse(JSON.parse(text));
  } catch {
    // No cause is given: it would show parts of the secret.
    throw new UserError(`The secret ${secretArn} is no JSON with the keys username and password.`);
  }
}

function escaped(text: string): string {
  return text.replace(/[\\:]/g, (character) => `\\${character}`);
}

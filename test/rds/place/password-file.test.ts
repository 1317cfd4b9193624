import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, it } from 'vitest';
import { fetchPasswordFile } from '../../../runner/rds/place/database-access.ts';
import { removeLeftovers } from '../../../runner/places/local/run-folder.ts';
import { ownIdentity } from '../../../runner/process/tracked-process.ts';
import { fakeAws, jsonAnswer } from '../../helpers/fakes/fake-aws.ts';
import { ownTemporaryFolder } from '../../helpers/own-temporary-folder.ts';

ownTemporaryFolder();

const secret = JSON.stringify({ username: 'alice', password: 'pa:ss\\word' });
const fetched = () =>
  fetchPasswordFile(new SecretsManagerClient(fakeAws(() => jsonAnswer({ SecretString: secret })).options), 'arn');
const clean = async () => (await removeLeftovers(() => Promise.resolve(), new AbortController().signal)).removed;

describe('the password file', () => {
  it('can be read by nobody else, and goes at the end', async () => {
    const password = await fetched();
    const { path: file } = password;
    expect(readFileSync(file, 'utf8')).toBe('*:*:*:alice:pa\\:ss\\\\word\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
    password.remove();
    expect(existsSync(path.dirname(file))).toBe(false);
  });

  it('stays while its runner lives, and is removed by the next start where the runner was killed', async () => {
    const { path: file } = await fetched();
    expect(await clean()).toEqual([]);
    const owner = path.join(path.dirname(file), 'owner.json');
    const killed = { ...ownIdentity(), pid: 2 ** 22 - 1 };
    writeFileSync(owner, JSON.stringify({ kind: 'pgduet-run-folder', process: killed, kept: false }));
    expect(await clean()).toEqual([path.dirname(file)]);
    expect(existsSync(file)).toBe(false);
  });
});

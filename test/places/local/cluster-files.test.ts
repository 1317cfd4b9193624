import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { lastWords, ownFiles, writeSettings } from '../../../runner/places/local/cluster-files.ts';
import { serverUser } from '../../../runner/process/rights.ts';
import { temporaryFolder } from '../../helpers/fakes/fake-run.ts';

it('writes nothing into the folders of the server’s user', () => {
  const parent = temporaryFolder();
  const request = {
    variant: 'one',
    folder: path.join(parent, 'one'),
    dataFolder: path.join(parent, 'one', 'data'),
    walFolder: null,
    parameters: {},
  };
  mkdirSync(request.dataFolder, { recursive: true });
  const shadow = path.join(parent, 'shadow');
  writeFileSync(shadow, 'secret');
  const links = ['pgduet.conf', 'pg_hba.conf', 'postgresql.conf'];
  for (const name of links) symlinkSync(shadow, path.join(request.dataFolder, name));

  const ours = ownFiles(request);
  for (const file of Object.values(ours)) expect(path.relative(request.folder, file)).toMatch(/^\.\.\//);
  writeSettings(request, ours, { port: 1, major: 17, preload: [], user: serverUser() });
  expect(readFileSync(shadow, 'utf8')).toBe('secret');
  expect(readdirSync(request.dataFolder).sort()).toEqual([...links].sort());
});

it('names the settings of initdb whatever characters the path has', () => {
  const folder = path.join(temporaryFolder(), "it's a\\b");
  mkdirSync(folder);
  const request = { variant: 'one', folder, dataFolder: path.join(folder, 'data'), walFolder: null, parameters: {} };
  const ours = ownFiles(request);
  writeSettings(request, ours, { port: 1, major: 17, preload: [], user: serverUser() });
  expect(readFileSync(ours.configuration, 'utf8')).toContain("/it''s a\\\\b/data/postgresql.conf'\n");
});

it('shows parameters, which may be secret, only to the servers’ user', () => {
  const folder = temporaryFolder();
  const request = { variant: 'one', folder, dataFolder: path.join(folder, 'data'), walFolder: null };
  const ours = ownFiles(request);
  const server = { port: 1, major: 17, preload: [], user: serverUser() };
  for (const archive_command of ['cp --password=1', 'cp --password=2']) {
    writeSettings({ ...request, parameters: { archive_command } }, ours, server);
    const { mode, uid } = statSync(ours.configuration);
    expect([mode & 0o777, uid]).toEqual([0o600, server.user.uid]);
    expect(readFileSync(ours.configuration, 'utf8')).toContain(archive_command);
  }
});

it('the last words of a server whose log is gone are that it is gone', () => {
  expect(lastWords('/nowhere/server.log')).toBe('its log is missing');
});

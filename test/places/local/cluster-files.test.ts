import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { lastWords, ownFiles, writeSettings } from '../../../runner/places/local/cluster-files.ts';
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
  writeSettings(request, ours, { port: 1, major: 17, preload: [] });
  expect(readFileSync(shadow, 'utf8')).toBe('secret');
  expect(readdirSync(request.dataFolder).sort()).toEqual([...links].sort());
});

it('names the settings of initdb whatever characters the path has', () => {
  const folder = path.join(temporaryFolder(), "it's a\\b");
  mkdirSync(folder);
  const request = { variant: 'one', folder, dataFolder: path.join(folder, 'data'), walFolder: null, parameters: {} };
  const ours = ownFiles(request);
  writeSettings(request, ours, { port: 1, major: 17, preload: [] });
  expect(readFileSync(ours.configuration, 'utf8')).toContain("/it''s a\\\\b/data/postgresql.conf'\n");
});

it('the last words of a server whose log is gone are that it is gone', () => {
  expect(lastWords('/nowhere/server.log')).toBe('its log is gone');
});

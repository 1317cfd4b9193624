import path from 'node:path';
import { expect, test } from 'vitest';
import { oneBlock, onFolders, tinyRun } from '../helpers/processes/tiny-run.ts';
import { whyNoVolumes } from '../helpers/servers/limited-volumes.ts';

test('a terminal that is closed in mid-run ends the run, and leaves no server, daemon, mount, device or folder', async () => {
  const tiny = tinyRun();
  const inside = ['python3', path.join(import.meta.dirname, '../helpers/processes/close-terminal.py')];
  const volumes = whyNoVolumes === null ? 'limited' : 'folders';
  const words = ['load-run', 'tiny', '--local', '--volumes', volumes, '--profile', 'long-trials'];
  const command = tiny.runAs({ inside, environment: { TERM: 'xterm' } }, ...words);
  await tiny.underLoad();
  command.process.stdin?.write('close it\n');
  const { exitCode } = await command.ended;
  expect(exitCode).toBe(130);
  tiny.expectNothingLeft();
});

test("the caller's settings of PostgreSQL's clients do not reach a local run", async () => {
  const tiny = tinyRun();
  tiny.define(oneBlock);
  const environment = {
    PGSSLMODE: 'verify-full',
    PGOPTIONS: '-c bad=1',
    PGHOST: 'nowhere.invalid',
    PGPORT: '1',
    PGUSER: 'nobody',
    PGSERVICE: 'none',
  };
  const { exitCode, stderr } = await tiny.runAs({ environment }, 'load-run', 'tiny', ...onFolders).ended;
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  expect(tiny.result().complete).toBe(true);
  tiny.expectNothingLeft();
});

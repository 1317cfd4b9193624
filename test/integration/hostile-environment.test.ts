import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { oneBlock, tinyRun } from '../helpers/processes/tiny-run.ts';

const asRootOnLinux = process.platform === 'linux' && process.getuid?.() === 0;
const volumes = asRootOnLinux ? ['limited', 'folders'] : ['folders'];

describe('a terminal that is closed in mid-run', () => {
  const inTerminal = ['python3', path.join(import.meta.dirname, '../helpers/processes/close-terminal.py')];

  test.each(volumes)('on %s ends the run, and leaves no server, daemon, mount, device or folder', async (kind) => {
    const tiny = tinyRun();
    const words = ['load-run', 'tiny', '--local', '--volumes', kind, '--profile', 'long-trials'];
    const command = tiny.runAs({ inside: inTerminal, environment: { TERM: 'xterm' } }, ...words);
    await tiny.underLoad();
    command.process.stdin?.write('close it\n');
    const { exitCode } = await command.ended;
    expect(exitCode).toBe(130);
    tiny.expectNothingLeft();
  });
});

test.skipIf(!asRootOnLinux)('quotes and a comma in the path of TMPDIR are no obstacle on limited volumes', async () => {
  const tiny = tinyRun('a"b",c');
  tiny.define(oneBlock);
  const { exitCode, stderr } = await tiny.run('load-run', 'tiny', '--local', '--volumes', 'limited').ended;
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  tiny.expectNothingLeft();
});

test("the caller's settings of PostgreSQL's clients do not reach a local run", async () => {
  // Nor do quotes and a comma in TMPDIR.
  const tiny = tinyRun('a"b",c');
  tiny.define(oneBlock);
  const environment = {
    PGSSLMODE: 'verify-full',
    PGOPTIONS: '-c bad=1',
    PGHOST: 'nowhere.invalid',
    PGPORT: '1',
    PGUSER: 'nobody',
    PGSERVICE: 'none',
  };
  const words = ['load-run', 'tiny', '--local', '--volumes', 'folders'];
  const { exitCode, stderr } = await tiny.runAs({ environment }, ...words).ended;
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  expect(tiny.result().complete).toBe(true);
  tiny.expectNothingLeft();
});

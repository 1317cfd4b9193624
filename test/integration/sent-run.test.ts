import { cpSync, existsSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { CommandLine } from '../helpers/processes/command-line.ts';
import { oneBlock, onFolders, tinyRun, type TinyRun } from '../helpers/processes/tiny-run.ts';

let sender: TinyRun;
let receiver: TinyRun;
beforeEach(() => {
  [sender, receiver] = [tinyRun(), tinyRun()];
});

/** Whoever measures with this script leaves a file. */
function defineIn(tiny: TinyRun, left: string): void {
  tiny.put('mix.sql', `\\shell touch ${left}\nSELECT 1;\n`);
  tiny.define({ ...oneBlock, workload: { ...oneBlock.workload, durationSeconds: 1, scripts: [{ file: 'mix.sql' }] } });
}

/** Expects that a run begins to create servers: it has asked nothing. */
async function expectBegins(command: CommandLine): Promise<void> {
  await command.shown('create ...');
  command.process.kill('SIGINT');
  expect((await command.ended).exitCode).toBe(130);
}

test('a sent run is run only by its hash, and nothing of it before', async () => {
  const left = path.join(sender.temporary, 'left');
  defineIn(sender, left);
  expect(await sender.run('load-run', 'tiny', ...onFolders).ended).toMatchObject({ exitCode: 0 });
  // The sender made it, so a repeat asks nothing, also from where it was moved to.
  const moved = path.join(sender.folder, 'moved');
  const measured = realpathSync(path.join(sender.folder, 'results/tiny/latest'));
  cpSync(measured, moved, { recursive: true });
  const own = await sender.run('verify', './moved').ended;
  expect(own).toMatchObject({ exitCode: 0, stderr: '' });
  await expectBegins(sender.run('load-run', './moved', ...onFolders));

  cpSync(measured, path.join(receiver.folder, 'sent'), { recursive: true });
  rmSync(left, { force: true });
  const verified = await receiver.run('verify', './sent').ended;
  expect(verified.stdout).toContain('Verification passed');
  expect(verified.stderr).toContain(`You did not measure ${path.join(receiver.folder, 'sent')} here`);
  expect((await receiver.run('report', './sent').ended).stderr).toContain('You did not measure');
  expect((await receiver.run('plan', './sent').ended).stdout.replace(/\s+/g, ' ')).toContain('A run asks first.');
  const refusals = [];
  for (const words of [['./sent'], ['./sent/inputs/files/tiny.yaml'], ['./sent', '--trust', '0'.repeat(40)]]) {
    const { exitCode, stderr } = await receiver.run('load-run', ...words, ...onFolders).ended;
    expect(exitCode).toBe(2);
    expect(stderr).toContain('mix.sql is part of');
    refusals.push(/--trust ([1-9a-f][0-9a-f]+|0[0-9a-f]*[1-9a-f][0-9a-f]*)\n?$/.exec(stderr.trim())?.[1]);
  }
  expect(new Set(refusals).size).toBe(1);
  expect(existsSync(left)).toBe(false);
  expect(existsSync(path.join(receiver.folder, 'results'))).toBe(false);

  const trusted = await receiver.run('load-run', './sent', ...onFolders, '--trust', refusals[0] ?? '').ended;
  expect(trusted).toMatchObject({ exitCode: 0 });
  // By now it is a run of this user.
  await expectBegins(receiver.run('load-run', 'results/tiny/latest', ...onFolders));
}, 600_000);

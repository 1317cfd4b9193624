import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ownTemporaryFolder } from '../../helpers/own-temporary-folder.ts';

const temporary = ownTemporaryFolder();

/** Has the stand-in for dnf install these, where it must fail before it installs anything. */
function failsToInstall({ names, reachable }: { names: string[]; reachable: boolean }): string {
  const folder = temporary();
  for (const file of ['dnf', 'amazon-linux-2023.packages']) {
    cpSync(path.join(import.meta.dirname, file), path.join(folder, file));
  }
  mkdirSync(path.join(folder, 'packages'));
  // Without a tree of its own, no package could be installed.
  if (reachable) writeFileSync(path.join(folder, 'packages/index'), '');
  const { status, stderr } = spawnSync('/bin/sh', [path.join(folder, 'dnf'), 'install', '--assumeyes', ...names], {
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  return stderr;
}

it('names every package that Amazon Linux does not have, and installs none of the others', () => {
  expect(failsToInstall({ names: ['jq', 'node22', 'nodejs22', 'pgbench'], reachable: true })).toBe(
    'Error: Unable to find a match: node22 pgbench\n',
  );
});

it('installs nothing if the repository cannot be reached', () => {
  expect(failsToInstall({ names: ['jq', 'nodejs22'], reachable: false })).toBe(
    "Error: Failed to download metadata for repo 'amazonlinux'\n",
  );
});

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import { withClient } from '../../runner/process/client.ts';
import { serverUser } from '../../runner/process/rights.ts';
import { runCommand } from '../../runner/process/run-command.ts';
import { ownTemporaryFolder } from '../helpers/own-temporary-folder.ts';

const temporary = ownTemporaryFolder();
const { signal } = new AbortController();
const shell = (script: string, ...args: string[]): string[] => ['/bin/sh', '-c', script, 'sh', ...args];
const asRoot = process.getuid?.() === 0;

/** A file that only its owner may read, in a folder that nobody else may enter. */
function privateFile(name: string, text: string): string {
  const folder = path.join(temporary(), 'private');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path.join(folder, name), text, { mode: 0o600 });
  return path.join(folder, name);
}

describe.skipIf(process.platform !== 'linux')('a program that runs what an experiment says', () => {
  it('is the process that was started, with the place among others that it would have without its rights taken', async () => {
    // Without the addresses of its memory, and times. While the shell starts a program, it blocks signals: it reads these itself.
    const script = `echo $$; cut -d' ' -f4,5,6,18,19,40,41 /proc/$$/stat; cat /proc/$$/cgroup /proc/$$/limits /proc/$$/oom_score_adj;
      while read -r line; do case $line in Cpus_allowed*|Mems_allowed*|Umask*|SigIgn*|SigBlk*|Seccomp:*) echo "$line";; esac; done < /proc/$$/status`;
    const observed: string[][] = [];
    for (const run of [
      (onStart: (pid: number) => void) => runCommand(shell(script), { signal, onStart }),
      (onStart: (pid: number) => void) =>
        withClient({ signal }, (client) => client.run(shell(script), { signal, onStart })),
    ]) {
      let started = NaN;
      const { stdout } = await run((pid) => (started = pid));
      const [pid, stat = '', ...rest] = stdout.trim().split('\n');
      expect(Number(pid)).toBe(started);
      // It leads a group and a session of its own.
      const [parent, group, session, ...scheduling] = stat.split(' ');
      expect([parent, group, session]).toEqual([String(process.pid), pid, pid]);
      observed.push([...scheduling, ...rest]);
    }
    expect(observed[1]).toEqual(observed[0]);
  });

  it('has no rights, no groups, and can gain none', async () => {
    const { stdout } = await withClient({ signal }, ({ run }) =>
      run(shell(`grep -E '^(Uid|Gid|Groups|CapPrm|CapEff|CapAmb|NoNewPrivs):' /proc/$$/status`), { signal }),
    );
    const { uid, gid } = serverUser();
    expect(stdout).toContain(`Uid:\t${[uid, uid, uid, uid].join('\t')}`);
    expect(stdout).toContain(`Gid:\t${[gid, gid, gid, gid].join('\t')}`);
    if (asRoot) expect(stdout).toMatch(/^Groups:\s*$/m);
    for (const set of ['CapPrm', 'CapEff', 'CapAmb']) expect(stdout).toContain(`${set}:\t0000000000000000`);
    expect(stdout).toContain('NoNewPrivs:\t1');
  });

  it('gets only the environment that it is given', async () => {
    vi.stubEnv('CANARY', 'x');
    const { stdout } = await withClient({ signal }, ({ run }) =>
      run(['/usr/bin/env'], { signal, environment: { PGOPTIONS: '-c jit=off' } }),
    );
    expect(stdout.trim().split('\n').sort()).toEqual([
      'HOME=/nonexistent',
      'LC_ALL=C',
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      'PGOPTIONS=-c jit=off',
    ]);
  });

  it('reads private files, by paths that lead to each other, and nobody else reads the copies, which go with it', async () => {
    const [script, other] = [privateFile('a.sql', 'a'), privateFile('b.sql', 'b')];
    const password = privateFile('pgpass', 'secret');
    const observed = await withClient({ reads: [script, other], signal }, async ({ pathOf, run, withOwnPaths }) => {
      const words = shell('cat "$1" "$(dirname "$1")/b.sql" "$PGPASSFILE"; echo " $1"', pathOf(script));
      const { stdout } = await run(words, { signal, environment: { PGPASSFILE: password } });
      expect(withOwnPaths(pathOf(script))).toBe(script);
      expect(statSync(pathOf(script)).mode & 0o777).toBe(0o600);
      const [folder = ''] = readdirSync(temporary()).filter((name) => name.startsWith('pgduet-'));
      if (asRoot) {
        const copy = path.join(temporary(), folder, 'passed-0');
        expect(statSync(copy)).toMatchObject({ uid: serverUser().uid });
        expect(statSync(copy).mode & 0o777).toBe(0o600);
        expect(statSync(path.dirname(copy)).mode & 0o777).toBe(0o711);
      }
      return stdout;
    });
    expect(observed).toBe(`absecret ${script}\n`);
    expect(readFileSync(script, 'utf8')).toBe('a');
    expect(statSync(script).uid).toBe(process.getuid?.());
    expect(readdirSync(temporary())).toEqual(['private']);
  });

  it('reads a large file, of which there is no copy if its user can read it anyway', async () => {
    const open = path.join(temporary(), 'open');
    for (const file of [open, privateFile('closed', '')]) {
      writeFileSync(file, '');
      truncateSync(file, 17 * 2 ** 20);
      chmodSync(file, file === open ? 0o644 : 0o600);
      await withClient({ reads: [file], signal }, async ({ pathOf, run }) => {
        expect((await run(shell('wc -c < "$1"', pathOf(file)), { signal })).stdout.trim()).toBe(String(17 * 2 ** 20));
        if (asRoot) expect(statSync(pathOf(file)).uid).toBe(file === open ? 0 : serverUser().uid);
      });
    }
  });

  it('leaves nothing, also where it fails', async () => {
    const failing = withClient({ own: { text: 'x' }, signal }, async ({ folder, run }) => {
      await run(shell('ln -s / "$1/link"; mkdir "$1/folder"; : > "$1/folder/file"', folder), { signal });
      throw new Error('the cause');
    });
    await expect(failing).rejects.toThrow('the cause');
    expect(readdirSync(temporary())).toEqual([]);
    expect(existsSync('/etc')).toBe(true);
  });

  it.each([
    ['gone', 'No such file or directory'],
    ['closed', 'Permission denied'],
  ])('that cannot begin (%s) is named, with the remedy', async (name, why) => {
    const program = path.join(temporary(), name);
    if (name === 'closed') writeFileSync(program, '#!/bin/sh\n', { mode: 0o644 });
    const started = withClient({ signal }, ({ run }) => run([program], { signal }));
    await expect(started).rejects.toThrow(UserError);
    await expect(started).rejects.toThrow(`${program} cannot be started: ${why}. Correct its path or its permissions.`);
  });
});

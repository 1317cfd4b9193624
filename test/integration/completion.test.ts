import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderForAll } from '../helpers/own-temporary-folder.ts';
import { launcher } from '../helpers/processes/command-line.ts';
import { project } from '../helpers/synthesize.ts';

const folder = folderForAll();
// Tab completes the command `pgduet`, which is found by PATH.
const programs = path.join(folder, 'bin');
mkdirSync(programs);
writeFileSync(path.join(programs, 'pgduet'), `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`, {
  mode: 0o755,
});
symlinkSync(path.join(project, 'experiments'), path.join(folder, 'experiments'));
writeFileSync(path.join(folder, 'output.log'), '');
const environment = { ...process.env, PATH: `${programs}:${process.env['PATH'] ?? ''}`, HOME: folder };

function call(program: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(program, args, { cwd: folder, env: environment, encoding: 'utf8', timeout: 60_000 });
}

const has = (program: string): boolean => spawnSync('which', [program], { timeout: 10_000 }).status === 0;

describe('the script for', () => {
  it.for([
    ['bash', '-n'],
    ['zsh', '-n'],
    ['fish', '--no-execute'],
  ] as const)('%s parses in its shell', ([shell, onlyParse], { skip }) => {
    skip(!has(shell), `${shell} is not installed`);
    const { status, stdout } = call('pgduet', 'completion', shell);
    expect(status).toBe(0);
    writeFileSync(path.join(folder, `script.${shell}`), stdout);
    expect(call(shell, onlyParse, `script.${shell}`)).toMatchObject({ status: 0, stderr: '' });
  });
});

describe.skipIf(!has('tmux'))('Tab in bash', () => {
  const socket = `pgduet-${process.pid}`;
  const tmux = (...args: string[]): string => call('tmux', '-L', socket, ...args).stdout;
  const type = (text: string): string => tmux('send-keys', '-l', text);

  beforeAll(async () => {
    tmux('new-session', '-d', '-x', '100', '-y', '40', "env PS1='> ' bash --norc");
    await shows('>');
    type('source <(pgduet completion bash); echo loaded $?');
    tmux('send-keys', 'Enter');
    await shows('loaded 0');
  });
  afterAll(() => tmux('kill-server'));

  /** Presses Tab until the screen shows a text: the first Tab completes, the second one lists. */
  async function shows(text: string, press = false): Promise<void> {
    for (let tries = 1; tries <= 60; tries++) {
      if (tmux('capture-pane', '-p').includes(text)) return;
      if (press && tries % 10 === 1) tmux('send-keys', 'Tab', 'Tab');
      await pause(500);
    }
    expect(tmux('capture-pane', '-p')).toContain(text);
  }

  async function completes(line: string, shown: string): Promise<void> {
    tmux('send-keys', 'C-u', 'C-l');
    type(line);
    await shows(shown, true);
  }

  it('completes a verb', () => completes('pgduet veri', '> pgduet verify'));

  it('lists the verbs', () => completes('pgduet load', 'load-run'));

  it('completes an experiment', () => completes('pgduet plan qui', '> pgduet plan quick'));

  it('completes a profile of the experiment', async () => {
    await completes('pgduet load-run quick --local --profile fiv', '--profile five-cycles');
    await completes('pgduet plan dlv-pgbench -p cross', '-p crossover');
  });

  it('completes a second profile after a comma', () =>
    completes('pgduet plan dlv-pgbench -p control,smo', '-p control,smoke'));

  it('completes an option and what it may be', async () => {
    await completes('pgduet load-run quick --volu', '--volumes');
    await completes('pgduet load-run quick --volumes lim', '--volumes limited');
  });

  it('leaves the names of files to the shell', () => completes('pgduet parse outp', '> pgduet parse output.log'));
});

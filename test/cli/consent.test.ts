import { appendFileSync, chmodSync, chownSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { consentTo } from '../../runner/cli/actions/consent.ts';
import { codeOf } from '../../runner/experiment/trust.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { fakeIo, type Printed, runCommandLine } from '../helpers/fakes/fake-io.ts';
import { inTerminals } from '../helpers/processes/in-terminal.ts';
import { folderWithExperiment } from '../helpers/samples/experiment-file.ts';

let folder: string;
let script: string;
beforeEach(() => {
  folder = folderWithExperiment('mine', {
    name: 'mine',
    question: 'Does it run?',
    common: { storage: { type: 'local' } },
    variants: { one: {}, two: { engine: { parameters: { work_mem: '8MB' } } } },
    baseline: 'one',
    workload: { tool: 'pgbench', scale: 1, clients: 1, durationSeconds: 1, scripts: [{ file: 'mix.sql' }] },
  });
  chmodSync(folder, 0o755);
  script = path.join(folder, 'experiments/mix.sql');
  writeFileSync(script, 'SELECT 1;\n');
  // Everybody may change it, so it is not only this user's: that needs no other user, and no root.
  chmodSync(script, 0o666);
});

const nowhere = ['--pg-bindir', '/nonexistent'];
const run = (...words: string[]): Promise<Printed> => runCommandLine(words, { workingFolder: folder });
/** The lines that were wrapped, as one. */
const flat = (text: string): string => text.replace(/\s+/g, ' ');
const hashIn = ({ stderr }: Printed): string => /--trust ([0-9a-f]{40})\n/.exec(stderr)?.[1] ?? stderr;

describe('without a terminal', () => {
  it.each([
    ['load-run', ['load-run', 'mine', '--local', ...nowhere]],
    ['load', ['load', 'mine', '--local', ...nowhere]],
    ['run', ['run', 'mine', '--local', ...nowhere]],
    ['load-run --resume', ['load-run', 'mine', '--local', '--resume', ...nowhere]],
    ['try', ['try', '--set', 'work_mem=4MB,8MB', '--script', 'experiments/mix.sql', ...nowhere]],
  ])('%s refuses files of others, names them, and runs them by their hash until one changes', async (_, words) => {
    const refused = await run(...words);
    expect(refused.exitCode).toBe(2);
    expect(flat(refused.stderr)).toContain(`${script} can be written by other users`);
    expect(refused.stderr).not.toContain('/nonexistent');
    const hash = hashIn(refused);
    expect(await run(...words, '--trust', hash)).toMatchObject({
      exitCode: 2,
      stderr: expect.not.stringContaining('--trust') as string,
    });
    appendFileSync(script, ' ');
    const again = await run(...words, '--trust', hash);
    expect(again.exitCode).toBe(2);
    expect(flat(again.stderr)).toContain(`--trust ${hash} is the hash of other files than the present ones.`);
    expect(hashIn(again)).not.toBe(hash);
  });

  it('what runs nothing says in one line whose files they are, and does its work', async () => {
    for (const words of [
      ['plan', 'mine'],
      ['load-run', 'mine', '--local', '--dry-run'],
    ]) {
      const { exitCode, stdout, stderr } = await run(...words);
      expect({ words, exitCode, stderr }).toEqual({ words, exitCode: 0, stderr: '' });
      expect(flat(stdout)).toContain(
        `Not all of this experiment is yours, and it can run any program: ${script} can be written by other users. A run asks first.`,
      );
    }
    const { stderr } = await run('doctor', 'mine', ...nowhere);
    expect(flat(stderr)).toContain(`${script} can be written by other users. A run asks first.`);
  });

  it('one’s own files need no word', async () => {
    chmodSync(script, 0o644);
    const { stderr } = await run('load-run', 'mine', '--local', ...nowhere);
    expect(stderr).toContain('/nonexistent');
    expect(stderr).not.toContain('--trust');
    expect((await run('plan', 'mine')).stdout).not.toContain('is yours');
  });
});

test.skipIf(process.getuid?.() !== 0)('all files of others are named with their owners', async () => {
  chmodSync(script, 0o644);
  chownSync(script, 65_534, 65_534);
  const { stderr } = await run('load-run', 'mine', '--local', ...nowhere);
  expect(flat(stderr)).toMatch(/mix\.sql belongs to \S+( user)? \(id 65534\)\./);
});

describe('at a terminal', () => {
  const asked = { to: '[y/N]', typed: '' };

  it('asks with the names of the files, and runs nothing unless the answer is yes', async () => {
    const words = ['load-run', 'mine', '--local', ...nowhere];
    const answers = ['y\n', 'YES\n', 'n\n', '\n', 'yep\n', '\u0004'];
    const shown = await inTerminals(
      [
        ...answers.map((typed) => ({ words, columns: 80, answer: { ...asked, typed } })),
        { words, columns: 80, answer: { ...asked, typed: '\u0003' } },
      ],
      folder,
    );
    const screens = shown.map(({ lines, exitCode }) => ({ text: flat(lines.join(' ')), exitCode }));
    for (const { text } of screens) {
      expect(text).toContain(`${script} can be written by other users`);
      expect(text).toContain('Run it? [y/N]');
    }
    expect(screens.map(({ text }) => text.includes('/nonexistent'))).toEqual([
      true,
      true,
      ...Array<boolean>(5).fill(false),
    ]);
    expect(screens.map(({ text }) => text.includes('Nothing was run.'))).toEqual([
      ...[false, false],
      ...[true, true, true, true],
      false,
    ]);
    expect(screens.map(({ exitCode }) => exitCode)).toEqual([2, 2, 2, 2, 2, 2, 130]);
  });

  it('is an answer to the files as they are then', async () => {
    const { io } = fakeIo({ canAnswer: true, stdin: Readable.from(['y\n']) });
    const loaded = loadExperiment('mine', { folder });
    const { agreed } = await consentTo(codeOf(loaded), { warnings: [] }, io);
    expect(agreed).toEqual({ 'mix.sql': 'b4e0497804e46e0a0b0b8c31975b062152d551bac49c3c2e80932567b4085dcd' });
  });
});

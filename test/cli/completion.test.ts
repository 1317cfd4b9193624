import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'completion-'));
afterAll(() => rmSync(folder, { recursive: true }));
for (const inside of ['experiments', 'results/mine/latest', 'results/other']) {
  mkdirSync(path.join(folder, inside), { recursive: true });
}
const variants = 'variants: { a: { storage: { type: local } } }';
for (const name of ['mine', 'other', '$(touch here)', 'a;b']) {
  const text = `name: ${name}\n${variants}\nprofiles: { smoke: {}, control: {}, "$(touch here)": {} }\n`;
  writeFileSync(path.join(folder, 'experiments', `${name}.yaml`), text);
}

/** What zsh is offered after a line, without descriptions. */
async function offered(line: string): Promise<string[]> {
  const environment = { SHELL: 'zsh', COMP_LINE: line, COMP_POINT: String(line.length), COMP_CWORD: '1' };
  const { stdout } = await runCommandLine(['completion-server', '--'], { workingFolder: folder, environment });
  return stdout
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => text.split(':')[0] ?? '');
}

describe('completion', () => {
  it.each([
    ['pgduet ver', ['verify']],
    ['cd / && npx pgduet pla', ['plan']],
    ['pgduet plan m', ['mine']],
    ['pgduet plan qui', ['quick']],
    ['pgduet plan mine -p ', ['full', 'smoke', 'control']],
    ['pgduet load-run --local mine --profile s', ['smoke']],
    ['pgduet plan mine -p control,', ['control,full', 'control,smoke']],
    ['pgduet init --from m', ['mine']],
    ['pgduet report ', ['results/mine/latest']],
    ['pgduet help par', ['parse']],
    ['pgduet plan mine --pow', ['--power']],
    ['pgduet plan mine --prices ', ['auto', 'live', 'kept']],
  ])('of "%s" offers %j', async (line, names) => expect(await offered(line)).toEqual(names));

  it('does not offer verbs that nobody types', async () => {
    expect(await offered('pgduet ')).not.toEqual(expect.arrayContaining(['completion-server']));
    expect(await offered('pgduet ')).not.toEqual(expect.arrayContaining(['preflight']));
  });

  it.each(['pgduet plan misspelt -p ', 'pgduet plan /nowhere/x.yaml -p '])(
    'of "%s" is nothing, and no error',
    async (line) => {
      const environment = { SHELL: 'zsh', COMP_LINE: line, COMP_POINT: String(line.length), COMP_CWORD: '4' };
      const ran = await runCommandLine(['completion-server', '--'], { workingFolder: folder, environment });
      expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    },
  );

  it('leaves bash as it was if the program fails', async () => {
    const { stdout } = await runCommandLine(['completion', 'bash'], { workingFolder: folder });
    const failing = 'pgduet() { return 2; }; COMP_WORDS=(pgduet plan); COMP_CWORD=1; _pgduet_completion';
    const script = `${stdout}\n${failing}; printf %q "$IFS"`;
    expect(execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' })).toBe(String.raw`$' \t\n'`);
  });

  it('offers no name that a shell would run', async () => {
    const all = [...(await offered('pgduet plan ')), ...(await offered('pgduet plan mine -p '))];
    expect(all.filter((name) => !/^[\w-]+$/.test(name))).toEqual([]);
  });
});

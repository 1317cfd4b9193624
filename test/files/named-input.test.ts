import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readersOf, whyNoInput } from '../../runner/files/named-input.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { nobody } from '../helpers/hostile/neighbour.ts';

let root: string;
let file: string;
const at = (name: string): string => path.join(root, name);

/** Others may not enter the folder in which all of this lies, as with most homes. */
beforeEach(() => {
  root = temporaryFolder();
  chmodSync(root, 0o700);
  file = make('work/experiments/x.yaml');
});

function make(name: string, mode = 0o644): string {
  mkdirSync(path.dirname(at(name)), { recursive: true });
  writeFileSync(at(name), 'SELECT 1;\n');
  chmodSync(at(name), mode);
  return at(name);
}

const whyNot = (one: string, named: readonly string[] = []): string | null =>
  whyNoInput(one, { file, workingFolder: at('work'), named });

describe('an experiment may name', () => {
  it.each([
    ['work/experiments/own.sql', 0o644],
    ['work/experiments/private.dump', 0o600],
    ['work/experiments/below/private.dump', 0o600],
    ['work/scripts/shared.sql', 0o644],
  ])('%s of mode %o', (name, mode) => {
    expect(whyNot(make(name, mode))).toBeNull();
  });

  it('what everybody on this machine may read, wherever it is', () => {
    expect(whyNot('/etc/passwd')).toBeNull();
  });

  it('a private file in a folder that the user has named', () => {
    expect(whyNot(make('dumps/shop.dump', 0o600), [at('dumps')])).toBeNull();
  });

  it('a link to a file that it may name', () => {
    make('work/scripts/shared.sql');
    symlinkSync('../scripts/shared.sql', at('work/experiments/link.sql'));
    expect(whyNot(at('work/experiments/link.sql'))).toBeNull();
  });
});

describe('an experiment may not name', () => {
  it.each([
    ['secret/id_rsa', 0o600],
    ['secret/notes.txt', 0o644],
    ['work/scripts/private.sql', 0o600],
    ['work/scripts/of-group.sql', 0o640],
  ])('%s of mode %o, which not everybody may read who may read the experiment', (name, mode) => {
    expect(whyNot(make(name, mode))).toMatch(
      /^is outside \/\S+\/work\/experiments, and is not readable by everyone; copy it there, or allow its folder \(--files-in \/\S+\)$/,
    );
  });

  it('what a folder keeps from others, although the file itself does not', () => {
    make('work/closed/notes.txt');
    chmodSync(at('work/closed'), 0o700);
    expect(whyNot(at('work/closed/notes.txt'))).toMatch(/^is outside /);
  });

  it.each([
    ['a link', (to: string) => [to, 'work/experiments/x.sql', 'work/experiments/x.sql']],
    ['a link on the way', (to: string) => [path.dirname(to), 'work/experiments/way', 'work/experiments/way/id_rsa']],
  ])('%s that leads to such a file, and hears where', (_, laid) => {
    const secret = make('secret/id_rsa', 0o600);
    const [to = '', link = '', named = ''] = laid(secret);
    symlinkSync(to, at(link));
    expect(whyNot(at(named))).toContain(`leads to ${secret} and is outside`);
  });

  it('a hidden file beside it that is not for everybody, such as a key in a home', () => {
    expect(whyNot(make('work/experiments/.ssh/id_rsa', 0o600))).toContain('is hidden, and is not readable by everyone');
    expect(whyNot(make('work/.env'))).toContain('is hidden');
  });

  it('a pipe, a folder or a device', () => {
    spawnSync('mkfifo', [at('work/experiments/pipe')]);
    expect(whyNot(at('work/experiments/pipe'))).toBe('is a pipe; name a file');
    expect(whyNot(at('work'))).toBe('is a folder; name a file');
    expect(whyNot('/dev/null')).toBe('is a device; name a file');
  });

  it.runIf(process.getuid?.() === 0)(
    'a private file of another user than its own, who laid a second name there',
    () => {
      const secret = make('work/experiments/key', 0o600);
      chownSync(file, nobody.uid, nobody.gid);
      expect(whyNot(secret)).toMatch(/^the owner of \/\S+x\.yaml \(id \d+\) may not read/);
      chownSync(secret, nobody.uid, nobody.gid);
      expect(whyNot(secret)).toBeNull();
    },
  );
});

describe('a copy of a file', () => {
  it.each([
    ['own.sql', 0o644, 'everyone'],
    ['own.sql', 0o600, 'owner'],
    // Of the copy, the group may be another one.
    ['own.sql', 0o640, 'owner'],
    ['../scripts/x.sql', 0o644, 'everyone'],
  ])('%s of mode %o is for %s', (name, mode, readers) => {
    expect(readersOf(make(path.join('work/experiments', name), mode), path.dirname(file))).toBe(readers);
  });

  it('is for its owner alone if a folder on the way keeps others out that the experiment does not', () => {
    make('work/experiments/closed/x.sql');
    chmodSync(at('work/experiments/closed'), 0o700);
    expect(readersOf(at('work/experiments/closed/x.sql'), path.dirname(file))).toBe('owner');
  });
});

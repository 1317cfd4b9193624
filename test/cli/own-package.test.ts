import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';

const archive = Buffer.from([0x1f, 0x8b, 0x00, 0xff]);

/** A repository as `npm init` and `npm install SPEC` leave it, with an archive beside it. */
function repositoryWith(spec: string, { list = 'dependencies', resolved = spec, archived = true } = {}) {
  const outer = temporaryFolder();
  const folder = path.join(outer, 'mine');
  mkdirSync(folder);
  if (archived) writeFileSync(path.join(outer, 'pgduet-0.1.0.tgz'), archive);
  const manifest = { name: 'mine', [list]: { other: '1.0.0', pgduet: spec }, version: '1.0.0' };
  const lock = {
    name: 'mine',
    lockfileVersion: 3,
    packages: {
      '': { name: 'mine', [list]: { other: '1.0.0', pgduet: spec } },
      'node_modules/other': { version: '1.0.0' },
      'node_modules/pgduet': { version: '0.1.0', resolved, integrity: 'sha512-AAAA' },
    },
  };
  write(folder, 'package.json', manifest, 4);
  write(folder, 'package-lock.json', lock, 2);
  return { folder, manifest, lock };
}

function write(folder: string, file: string, value: unknown, indent: number): void {
  writeFileSync(path.join(folder, file), `${JSON.stringify(value, null, indent)}\n`);
}

const text = (folder: string, file: string): string => readFileSync(path.join(folder, file), 'utf8');

async function init(folder: string) {
  const { stdout, ...printed } = await runCommandLine(['init'], { workingFolder: folder });
  return { stdout: stdout.replaceAll(/\s+/g, ' '), ...printed };
}

describe('the package of a repository that init makes', () => {
  it.each(['dependencies', 'devDependencies'])(
    'is copied into it with the archive that is elsewhere, and nothing else of its files changes (%s)',
    async (list) => {
      const { folder, manifest, lock } = repositoryWith('file:../pgduet-0.1.0.tgz', { list });
      const { stdout } = await init(folder);
      expect(readFileSync(path.join(folder, 'vendor/pgduet-0.1.0.tgz'))).toEqual(archive);
      const spec = 'file:vendor/pgduet-0.1.0.tgz';
      const replaced = (value: unknown, indent: number): string =>
        `${JSON.stringify(value, null, indent)}\n`.replaceAll('file:../pgduet-0.1.0.tgz', spec);
      expect(text(folder, 'package.json')).toBe(replaced(manifest, 4));
      expect(text(folder, 'package-lock.json')).toBe(replaced(lock, 2));
      expect(stdout).toContain(`Copied ../pgduet-0.1.0.tgz: package.json now takes pgduet from ${spec}.`);
    },
  );

  it('is found by an absolute path, too', async () => {
    const { folder, manifest } = repositoryWith('file:../pgduet-0.1.0.tgz');
    const absolute = path.resolve(folder, '../pgduet-0.1.0.tgz');
    write(folder, 'package.json', { ...manifest, dependencies: { pgduet: absolute } }, 2);
    await init(folder);
    expect(JSON.parse(text(folder, 'package.json'))).toMatchObject({
      dependencies: { pgduet: 'file:vendor/pgduet-0.1.0.tgz' },
    });
  });

  it('stays where it is if that is in the repository, also when init runs again', async () => {
    const { folder } = repositoryWith('file:../pgduet-0.1.0.tgz');
    await init(folder);
    const files = ['package.json', 'package-lock.json'];
    const before = files.map((file) => text(folder, file));
    const { stdout, exitCode } = await init(folder);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('package.json takes pgduet from file:vendor/pgduet-0.1.0.tgz.');
    expect(files.map((file) => text(folder, file))).toEqual(before);
  });

  it('is one version of the registry, not a range', async () => {
    const { folder } = repositoryWith('^0.1.0', { resolved: 'https://registry.npmjs.org/pgduet/-/pgduet-0.1.0.tgz' });
    const { stdout } = await init(folder);
    expect(stdout).toContain('package.json pins pgduet 0.1.0 of the registry.');
    expect(JSON.parse(text(folder, 'package.json'))).toMatchObject({ dependencies: { pgduet: '0.1.0' } });
    expect(JSON.parse(text(folder, 'package-lock.json'))).toMatchObject({
      packages: {
        '': { dependencies: { pgduet: '0.1.0' } },
        'node_modules/pgduet': { resolved: 'https://registry.npmjs.org/pgduet/-/pgduet-0.1.0.tgz' },
      },
    });
  });

  it.each(['file:../pgduet', '../pgduet', 'git+ssh://host/pgduet.git', 'https://host/pgduet.tgz'])(
    'may be missing on another machine if it is %s, which init says',
    async (spec) => {
      const { folder } = repositoryWith(spec);
      const { stdout, exitCode } = await init(folder);
      expect(exitCode).toBe(0);
      expect(stdout).toContain(`package.json takes pgduet from ${spec}, where npm ci may not find it`);
      expect(JSON.parse(text(folder, 'package.json'))).toMatchObject({ dependencies: { pgduet: spec } });
    },
  );

  it('is not installed by npm ci where no package.json names it, which init says', async () => {
    const folder = temporaryFolder();
    const { stdout } = await init(folder);
    expect(stdout).toContain('No package.json here names pgduet');
    expect(existsSync(path.join(folder, 'package.json'))).toBe(false);
  });

  it('is asked for if its archive is gone, before init writes anything', async () => {
    const { folder } = repositoryWith('file:../pgduet-0.1.0.tgz', { archived: false });
    const { stderr, exitCode } = await init(folder);
    expect(exitCode).toBe(2);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain('takes pgduet from ../pgduet-0.1.0.tgz, which is not there');
    expect(existsSync(path.join(folder, 'experiments'))).toBe(false);
  });

  it.each(['{', '[]'])('is not looked for in a package.json that is %s', async (content) => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'package.json'), content);
    const { stderr, exitCode } = await init(folder);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('package.json is not the JSON that npm writes') as string,
    });
  });
});

import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../../../runner/contract/errors.ts';
import { findCode } from '../../../../runner/places/local/source/find-code.ts';
import { contentOf } from '../../../../runner/places/local/source/folder-code.ts';
import { ownTemporaryFolder } from '../../../helpers/own-temporary-folder.ts';
import { findingIn, git, repositoryOf, writeTree } from '../../../helpers/samples/source-code.ts';

const temporary = ownTemporaryFolder();
const { signal } = new AbortController();
const at = (name: string): string => path.join(temporary(), name);

/** Names of the files in an archive. */
function namesIn(archive: string): string[] {
  const listed = execFileSync('tar', ['--list', `--file=${archive}`], { encoding: 'utf8' })
    .trim()
    .split('\n');
  return listed.filter((name) => !name.endsWith('/')).map((name) => name.replace(/^\.\//, ''));
}

describe('the content of a folder', () => {
  it('is the same for a copy, whenever its files were written, and with another history', async () => {
    const one = writeTree(at('one'), { 'a.c': 'a', 'src/b.c': 'b' });
    const other = writeTree(at('other'), { 'a.c': 'a', 'src/b.c': 'b', '.git/HEAD': 'ref', 'src/.git': 'gitdir: x' });
    utimesSync(path.join(other, 'a.c'), 1, 1);
    expect(await contentOf(one, signal)).toBe(await contentOf(other, signal));
  });

  it.each<[string, (folder: string) => void]>([
    ['a byte', (folder) => writeFileSync(path.join(folder, 'a.c'), 'A')],
    ['a name', (folder) => writeTree(folder, { 'c.c': '' })],
    ['what may be executed', (folder) => chmodSync(path.join(folder, 'a.c'), 0o755)],
    ['where a link leads', (folder) => symlinkSync('a.c', path.join(folder, 'link'))],
  ])('changes with %s', async (_, change) => {
    const folder = writeTree(at('tree'), { 'a.c': 'a' });
    const before = await contentOf(folder, signal);
    change(folder);
    expect(await contentOf(folder, signal)).not.toBe(before);
  });

  it('differs for any two trees', async () => {
    const files = fc.dictionary(fc.stringMatching(/^[a-c]{1,2}$/), fc.string({ maxLength: 3 }), {
      minKeys: 1,
      maxKeys: 3,
    });
    await fc.assert(
      fc.asyncProperty(files, files, async (one, other) => {
        const hashes = [];
        for (const [name, tree] of Object.entries({ one, other })) {
          rmSync(at(name), { recursive: true, force: true });
          hashes.push(await contentOf(writeTree(at(name), tree), signal));
        }
        const sorted = (tree: object): string => JSON.stringify(Object.entries(tree).sort());
        expect(hashes[0] === hashes[1]).toBe(sorted(one) === sorted(other));
      }),
      { numRuns: 50 },
    );
  });
});

describe('code in a folder', () => {
  it('is found beside the experiment, read, and archived without its history', async () => {
    writeTree(at('tree'), { configure: 'x', 'src/a.c': 'a', '.git/HEAD': 'ref' });
    const code = await findCode({ path: 'tree' }, findingIn(temporary()));
    expect(code.origin).toEqual({ from: 'tree', content: code.identity });
    expect([await code.textOf('src/a.c'), await code.textOf('none')]).toEqual(['a', null]);
    await code.archive(at('code.tar'));
    expect(namesIn(at('code.tar')).sort()).toEqual(['configure', 'src/a.c']);
  });

  it('that changes while it is copied is refused', async () => {
    writeTree(at('tree'), { configure: 'x' });
    const code = await findCode({ path: 'tree' }, findingIn(temporary()));
    writeTree(at('tree'), { configure: 'y' });
    await expect(code.archive(at('code.tar'))).rejects.toThrow(UserError);
  });

  it('that is not there is refused with its key and its path', async () => {
    await expect(findCode({ path: 'none' }, findingIn(temporary()))).rejects.toThrow(
      `variants.a.engine.source.path is none, which is ${at('none')}: `,
    );
  });

  it.runIf(process.getuid?.() === 0)('of another user is refused, also if it is one file', async () => {
    const folder = writeTree(at('tree'), { configure: 'x' });
    chownSync(path.join(folder, 'configure'), 1234, 1234);
    await expect(findCode({ path: 'tree' }, findingIn(temporary()))).rejects.toThrow(
      /configure belongs to another user/,
    );
    chownSync(folder, 1234, 1234);
    await expect(findCode({ path: 'tree' }, findingIn(temporary()))).rejects.toThrow(/tree belongs to another user/);
  });
});

describe('a commit', () => {
  const trees = { one: { 'a.c': '1', 'old.c': '' }, two: { 'a.c': '2' } };

  it.each(['two', 'main', 'HEAD', undefined, 'one~0', 'HEAD~1'])('is found by %s', async (commit) => {
    const repository = repositoryOf(at('repository'), trees);
    const code = await findCode({ git: 'repository', commit }, findingIn(temporary()));
    const isFirst = commit === 'one~0' || commit === 'HEAD~1';
    expect(code.origin).toEqual({
      from: 'repository',
      commit: git(repository, 'rev-parse', isFirst ? 'one' : 'two'),
      describe: isFirst ? 'one' : 'two',
    });
    expect(await code.textOf('a.c')).toBe(isFirst ? '1' : '2');
  });

  it('is archived as it was, whatever is in the folder now', async () => {
    repositoryOf(at('repository'), trees);
    writeTree(at('repository'), { 'a.c': 'uncommitted', 'new.c': '' });
    const code = await findCode({ git: 'repository', commit: 'one' }, findingIn(temporary()));
    await code.archive(at('code.tar'));
    expect(namesIn(at('code.tar')).sort()).toEqual(['a.c', 'old.c']);
  });

  it('may have the code in a folder below the root, which is a part of what it is known by', async () => {
    repositoryOf(at('repository'), { one: { 'lib/Makefile': 'all:', 'a.c': '' } });
    const root = await findCode({ git: 'repository' }, findingIn(temporary()));
    const below = await findCode({ git: 'repository/lib' }, findingIn(temporary()));
    expect(await below.textOf('Makefile')).toBe('all:');
    expect(below.identity).not.toBe(root.identity);
    await below.archive(at('code.tar'));
    expect(namesIn(at('code.tar'))).toEqual(['Makefile']);
  });

  it('is fetched from an address, alone, and once', async () => {
    const repository = repositoryOf(at('repository'), trees);
    const commit = git(repository, 'rev-parse', 'one');
    git(repository, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
    const address = `file://${repository}`;
    const finding = findingIn(temporary());
    const code = await findCode({ git: address, commit: 'one' }, finding);
    expect(code.origin.commit).toBe(commit);
    expect(await code.textOf('a.c')).toBe('1');
    expect(finding.said).toEqual([expect.stringContaining('Fetching one of')]);
    rmSync(repository, { recursive: true });
    const again = await findCode({ git: address, commit }, finding);
    expect(await again.textOf('a.c')).toBe('1');
    await expect(findCode({ git: address, commit: 'two' }, finding)).rejects.toThrow(/git cannot fetch two of/);
  });

  it('that is not there, and a folder without history, are refused with what was named', async () => {
    repositoryOf(at('repository'), trees);
    mkdirSync(at('plain'));
    const finding = findingIn(temporary());
    await expect(findCode({ git: 'repository', commit: 'none' }, finding)).rejects.toThrow(
      /^variants\.a\.engine\.source\.commit is none: .* no such commit/,
    );
    for (const folder of ['plain', 'none']) {
      await expect(findCode({ git: folder }, finding)).rejects.toThrow(`variants.a.engine.source.git is ${folder}: `);
    }
  });

  it.runIf(process.getuid?.() === 0)('of another user is refused, with what makes git trust it', async () => {
    chownSync(repositoryOf(at('repository'), trees), 1234, 1234);
    chownSync(at('repository/.git'), 1234, 1234);
    const environment = { PATH: process.env['PATH'], HOME: temporary() };
    await expect(findCode({ git: 'repository' }, findingIn(temporary(), { environment }))).rejects.toThrow(
      `safe.directory ${at('repository')}`,
    );
  });

  it('is that of the folder that is named, also inside a hook of another repository', async () => {
    repositoryOf(at('repository'), trees);
    const other = repositoryOf(at('other'), { three: { 'a.c': '3' } });
    const environment = { PATH: process.env['PATH'], GIT_DIR: path.join(other, '.git') };
    const code = await findCode({ git: 'repository' }, findingIn(temporary(), { environment }));
    expect(await code.textOf('a.c')).toBe('2');
    expect(readFileSync(path.join(other, 'a.c'), 'utf8')).toBe('3');
  });
});

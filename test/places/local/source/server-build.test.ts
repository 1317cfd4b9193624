import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { UserError } from '../../../../runner/contract/errors.ts';
import type { NamedSource } from '../../../../runner/contract/experiment/source.ts';
import type { Finding } from '../../../../runner/places/local/source/code.ts';
import {
  buildServer,
  compilersFor,
  examineServer,
  versionIn,
} from '../../../../runner/places/local/source/server-build.ts';
import { folderOf } from '../../../../runner/places/local/source/make-once.ts';
import { takeLock } from '../../../../runner/process/lock.ts';
import { ownTemporaryFolder } from '../../../helpers/own-temporary-folder.ts';
import { findingIn, repositoryOf, standInPostgres, writeTree } from '../../../helpers/samples/source-code.ts';

const temporary = ownTemporaryFolder();
const at = (name: string): string => path.join(temporary(), name);
const builds = (): string => at('cache/pgduet/postgresql');
const source: NamedSource = { git: 'repository', commit: 'base', configure: [] };
let finding: ReturnType<typeof findingIn>;

async function build(changes: Partial<NamedSource> = {}, with_: Finding = finding) {
  return buildServer(await examineServer({ ...source, ...changes }, with_), with_);
}

/** How many builds there were. */
function buildsSoFar(): number {
  return existsSync(at('log/built')) ? readFileSync(at('log/built'), 'utf8').trim().split('\n').length : 0;
}

/** Names in the folder of builds, besides whole builds. */
const leftovers = (): string[] => readdirSync(builds()).filter((name) => !/^[0-9a-f]{16}-[0-9a-f]{16}$/.test(name));

describe('from a repository', () => {
  beforeEach(() => {
    // Whoever builds writes to it.
    mkdirSync(at('log'));
    chmodSync(at('log'), 0o777);
    repositoryOf(at('repository'), {
      base: standInPostgres('17.5', at('log/built')),
      slow: { slow: '' },
      broken: { broken: '' },
    });
    finding = findingIn(temporary());
  });

  describe('PostgreSQL from source', () => {
    it('is built once, says what it was built from, and leaves nothing else', async () => {
      const built = await build();
      expect(built).toMatchObject({
        version: '17.5',
        major: 17,
        built: {
          server: {
            from: 'repository',
            commit: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
            describe: 'base',
            configure: [],
            compiler: expect.stringMatching(/\d/) as string,
          },
        },
      });
      expect(statSync(path.join(built.folder, 'postgres')).uid).toBe(process.getuid?.());
      expect(await build()).toEqual(built);
      expect(buildsSoFar()).toBe(1);
      expect(leftovers()).toEqual([]);
      expect(finding.said.join('\n')).toContain('Building PostgreSQL 17.5 from base');
    });

    it('is another build for another commit, and for other options', async () => {
      const folders = [];
      for (const changes of [{}, { commit: 'slow' }, { configure: ['--enable-cassert'] }]) {
        folders.push((await build(changes)).folder);
      }
      expect(new Set(folders).size).toBe(3);
      expect(buildsSoFar()).toBe(3);
    });

    it('has the version that its postgres reports, such as that of a development tree', async () => {
      const tree = standInPostgres('20devel', at('log/built'));
      writeTree(at('tree'), tree);
      expect(await build({ git: undefined, commit: undefined, path: 'tree' })).toMatchObject({
        version: '20devel',
        major: 20,
        built: { server: { from: 'tree', content: expect.stringMatching(/^[0-9a-f]{64}$/) as string } },
      });
    });

    it('is used without a compiler if it is kept, whatever compiled it', () => {
      const [cache, state] = [at('kept'), ['a commit', []]];
      expect(folderOf(cache, state, null)).toBeNull();
      const folder = folderOf(cache, state, { command: 'gcc', words: 'gcc 12' }) ?? '';
      mkdirSync(folder, { recursive: true });
      // Not whole yet.
      expect(folderOf(cache, state, null)).toBeNull();
      writeFileSync(path.join(folder, 'pgduet-build.json'), '');
      expect(folderOf(cache, state, null)).toBe(folder);
      expect(folderOf(cache, ['another', []], null)).toBeNull();
      expect(folderOf(cache, state, { command: 'gcc', words: 'gcc 14' })).not.toBe(folder);
    });

    it('that two runs want at once is built once', async () => {
      const [one, other] = await Promise.all([
        build({ commit: 'slow' }),
        build({ commit: 'slow' }, findingIn(temporary())),
      ]);
      expect(one).toEqual(other);
      expect(buildsSoFar()).toBe(1);
    });

    it('whose build a kill cut off is built anew, and what was left goes', async () => {
      mkdirSync(builds(), { recursive: true });
      chmodSync(at('cache'), 0o755);
      for (const name of ['0000000000000000-1111111111111111', '2222222222222222-3333333333333333']) {
        mkdirSync(path.join(builds(), `${name}.building-AbCdEf`));
      }
      // Another run is at work there.
      const lock = takeLock(path.join(builds(), '2222222222222222-3333333333333333.lock'), 'it');
      await build();
      expect(leftovers().sort()).toEqual([
        '2222222222222222-3333333333333333.building-AbCdEf',
        '2222222222222222-3333333333333333.lock',
      ]);
      lock.release();
    });

    it('leaves nothing when it is interrupted', async () => {
      const interruption = new AbortController();
      const interrupted = findingIn(temporary(), { signal: interruption.signal });
      const outcome = expect(build({ commit: 'slow' }, interrupted)).rejects.toThrow('interrupted');
      await vi.waitFor(() => expect(buildsSoFar()).toBe(1), 20_000);
      interruption.abort(new Error('interrupted'));
      await outcome;
      expect(readdirSync(builds())).toEqual([]);
    });
  });

  describe('a build that fails', () => {
    it.each([
      ['make', { commit: 'broken' }, /main\.c:1:1: error: no such thing/, /Install|packages/],
      [
        'configure',
        { configure: ['--with-failure'] },
        /readline library not found/,
        /libreadline-dev.*--without-readline/,
      ],
      [
        'an option that configure does not know',
        { configure: ['--with-nothing'] },
        /--with-nothing/,
        /Correct or remove/,
      ],
    ])(
      'in %s shows the last words and a remedy, keeps its log, and leaves nothing else',
      async (_, changes, said, remedy) => {
        const failed = await build(changes).catch((error: unknown) => error);
        expect(failed).toBeInstanceOf(UserError);
        const { message } = failed as UserError;
        expect(message).toMatch(/^variants\.a\.engine\.source: could not build PostgreSQL 17\.5 from /);
        expect(message).toMatch(said);
        expect(message).toMatch(remedy);
        const [log = '', ...others] = leftovers();
        expect(others).toEqual([]);
        expect(message).toContain(path.join(builds(), log));
        expect(readFileSync(path.join(builds(), log), 'utf8')).toMatch(said);
      },
    );
  });

  describe('before anything is made', () => {
    it.each<[string, Partial<NamedSource>, RegExp]>([
      [
        'a missing compiler',
        { configure: ['CC=no-such-compiler'] },
        /needs a C compiler\. Install what a build needs: /,
      ],
      [
        'a tree of something else',
        { git: undefined, commit: undefined, path: 'other' },
        /path is other, which has no source code/,
      ],
      [
        'an old version',
        { git: undefined, commit: undefined, path: 'old' },
        /PostgreSQL 13\.22 is too old; expected PostgreSQL 14 to/,
      ],
      ['a commit that is not there', { commit: 'none' }, /commit is none/],
    ])('%s is refused', async (_, changes, words) => {
      writeTree(at('other'), { configure: "PACKAGE_NAME='other'\nPACKAGE_VERSION='1.0'\n" });
      writeTree(at('old'), standInPostgres('13.22', at('log/built')));
      const refused = await examineServer({ ...source, ...changes }, finding).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(UserError);
      expect((refused as UserError).message).toMatch(words);
      expect(existsSync(at('cache'))).toBe(false);
    });

    it('bison, flex and perl are asked for only where the tree does not bring what they make', async () => {
      const { 'src/backend/parser/gram.c': _, ...tree } = standInPostgres('17.5', at('log/built'));
      writeTree(at('tree'), tree);
      const asked = await examineServer({ path: 'tree', configure: [] }, finding).then(
        () => 'all are here',
        (error: unknown) => (error as UserError).message,
      );
      expect(asked).toMatch(/^all are here$|bison|flex|perl/);
      await examineServer(source, finding);
    });
  });
});

it.each([
  ["PACKAGE_NAME='PostgreSQL'\nPACKAGE_VERSION='20devel'\n", '20devel'],
  ["x\nPACKAGE_NAME='PostgreSQL'\nPACKAGE_TARNAME='postgresql'\nPACKAGE_VERSION='17.5'\n", '17.5'],
  ["PACKAGE_NAME='PostgreSQL'\n", null],
  ["PACKAGE_NAME='pgbouncer'\nPACKAGE_VERSION='1.2'\n", null],
  [null, null],
])('the version of a script configure is that of PostgreSQL: %j is %s', (script, version) => {
  expect(versionIn(script)).toBe(version);
});

it('the compiler is the last that the options name, or else those that configure looks for', () => {
  expect(compilersFor(['--enable-cassert'])).toEqual(['gcc', 'cc']);
  expect(compilersFor(['CC=gcc', 'CFLAGS=-O3', 'CC=clang -m32'])).toEqual(['clang -m32']);
});

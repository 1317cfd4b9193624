import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { majorOf } from '../../runner/postgres/versions/known.ts';
import { folderForAll } from '../helpers/own-temporary-folder.ts';
import { onFolders, tinyExperiment, tinyRun, type TinyRun } from '../helpers/processes/tiny-run.ts';
import { git, repositoryOf } from '../helpers/samples/source-code.ts';
import { unpackSource } from '../helpers/servers/postgres-source.ts';

const folder = folderForAll();
const postgres = path.join(folder, 'postgres');
const environment = { XDG_CACHE_HOME: path.join(folder, 'cache') };
const configure = ['CFLAGS=-O0', '--without-readline', '--without-zlib'];
const built = (commit: string) => ({ engine: { source: { git: postgres, commit, configure } } });
const common = { storage: { type: 'local' }, engine: { parameters: { autovacuum: false } } };
const limitMs = 1_800_000;

/** PostgreSQL, and the same with a loop before each query. */
beforeAll(async () => {
  await unpackSource(postgres);
  git(postgres, 'init', '--quiet', '--initial-branch=main');
  commitAll('release');
  const file = path.join(postgres, 'src/backend/tcop/postgres.c');
  const begin = 'exec_simple_query(const char *query_string)\n{\n';
  const [before = '', after] = readFileSync(file, 'utf8').split(begin);
  if (after === undefined) throw new Error('there is no such function in this release');
  writeFileSync(file, `${before}${begin}\tfor (volatile int turn = 0; turn < 500000; turn++)\n\t\t;\n${after}`);
  commitAll('slow');
}, limitMs);

function commitAll(tag: string): void {
  git(postgres, 'add', '--all', '--force');
  git(postgres, 'commit', '--quiet', `--message=${tag}`);
  git(postgres, 'tag', tag);
}

async function measured(tiny: TinyRun) {
  const { exitCode, stderr, text } = await tiny.runAs({ environment }, 'load-run', 'tiny', ...onFolders).ended;
  expect(exitCode, stderr).toBe(0);
  return { ...tiny.result(), text };
}

it(
  'two commits of PostgreSQL are built and compared by one command, and the next one builds nothing',
  async () => {
    const tiny = tinyRun();
    tiny.define({
      ...tinyExperiment,
      common,
      variants: { release: built('release'), slow: built('slow') },
      baseline: 'release',
      workload: {
        ...{ tool: 'pgbench', scale: 1, clients: 1, threads: 1, durationSeconds: 1 },
        scripts: [{ builtin: 'select-only' }],
      },
      protocol: { blocks: 6, warmUpSeconds: 0, repeats: 6 },
    });
    const { text, variants, comparisons } = await measured(tiny);
    expect(text.match(/Building PostgreSQL 15/g)).toHaveLength(2);
    const [release, slow] = variants;
    expect(majorOf(release?.serverVersion ?? '')).toBe(15);
    for (const [one, tag] of [
      [release, 'release'],
      [slow, 'slow'],
    ] as const) {
      expect(one?.built?.server).toMatchObject({ commit: git(postgres, 'rev-parse', tag), describe: tag, configure });
    }
    const tps = comparisons.find(({ metric }) => metric === 'tps');
    expect(tps?.change).toBeLessThan(-0.1);
    const next = await measured(tiny);
    expect(next.text).not.toContain('Building');
    expect(next.variants.map(({ built: one }) => one)).toEqual(variants.map(({ built: one }) => one));
    tiny.expectNothingLeft();
  },
  limitMs,
);

it(
  'two versions of an extension are built for one server, and each variant has its own',
  async () => {
    const tiny = tinyRun();
    const version = (number: number) => ({
      Makefile:
        'MODULES = hello\nEXTENSION = hello\nDATA = hello--1.sql\nPG_CONFIG = pg_config\nPGXS := $(shell $(PG_CONFIG) --pgxs)\ninclude $(PGXS)\n',
      'hello.control': "default_version = '1'\nmodule_pathname = '$libdir/hello'\n",
      'hello--1.sql': `CREATE FUNCTION hello() RETURNS int AS 'MODULE_PATHNAME' LANGUAGE C;\n`,
      'hello.c': `#include "postgres.h"\n#include "fmgr.h"\nPG_MODULE_MAGIC;\nPG_FUNCTION_INFO_V1(hello);\nDatum hello(PG_FUNCTION_ARGS) { PG_RETURN_INT32(${number}); }\n`,
    });
    const extension = repositoryOf(path.join(tiny.folder, 'extension'), { one: version(1), two: version(2) });
    chmodSync(extension, 0o755);
    tiny.put('one.sql', 'SELECT 1 / (hello() = 1)::int;\n');
    tiny.put('two.sql', 'SELECT 1 / (hello() = 2)::int;\n');
    const variant = (tag: string) => ({
      ...built('release'),
      extension: { source: { git: '../extension', commit: tag } },
      scripts: [{ file: `${tag}.sql` }],
    });
    tiny.define({
      ...tinyExperiment,
      common: { ...common, prepare: 'CREATE EXTENSION hello' },
      variants: { one: variant('one'), two: variant('two') },
      protocol: { blocks: 1, warmUpSeconds: 0, repeats: 0 },
    });
    const { variants, trials } = await measured(tiny);
    expect(variants.map(({ built: one }) => one?.extension)).toMatchObject([
      { names: ['hello'], describe: 'one' },
      { names: ['hello'], describe: 'two' },
    ]);
    // A division by zero would have ended it.
    expect(trials.map(({ state }) => state)).toEqual(['finished', 'finished']);
    tiny.expectNothingLeft();
  },
  limitMs,
);

import path from 'node:path';
import * as z from 'zod';
import { builtSchema } from '../../../contract/built.ts';
import { PartError, UserError } from '../../../contract/errors.ts';
import type { NamedSource } from '../../../contract/experiment/source.ts';
import { parseVersioned } from '../../../contract/versioned-file.ts';
import { exists } from '../../../files/look.ts';
import { readTextWhole } from '../../../files/read.ts';
import { usableProcessors } from '../../../machine/capacity.ts';
import { isMeasurable, majorOf, supportedWords } from '../../../postgres/versions/known.ts';
import { cacheFolder } from '../../../process/cache-folder.ts';
import { withClient } from '../../../process/client.ts';
import type { Installation } from '../installations.ts';
import type { Finding, SourceCode } from './code.ts';
import { findCode } from './find-code.ts';
import { buildFileName, folderOf, headOf, isBuilt, makeOnce, type Workshop } from './make-once.ts';
import { askBy, type Compiler, findCompiler, requireTools } from './tools.ts';

const serverFile = {
  kind: 'pgduet-server-build',
  what: 'the description of a server that pgduet has built',
  schemaVersion: 1,
  schema: z.object({
    /** As its postgres reports it, such as `17.5` or `20devel`. */
    version: z.string(),
    server: builtSchema.shape.server.unwrap(),
  }),
  remedy: 'Remove its folder; the next run builds it again.',
  olderRemedy: 'Remove its folder; the next run builds it again.',
} as const;

/** PostgreSQL of one state of its source code. */
export interface ExaminedServer {
  code: SourceCode;
  configure: readonly string[];
  /** As its source code says. */
  version: string;
  /** Folder of its build, and the prefix that configure gets: programs find their libraries by it. */
  folder: string;
  /** null if no compiler is here; then the build is. */
  compiler: Compiler | null;
}

/**
 * Finds the source code of a server, and everything that a build of it needs, before anything is made. A build that is kept
 * needs nothing.
 *
 * @throws {UserError} if the code is not there, is no PostgreSQL or an old one, or if a tool is missing
 */
export async function examineServer(source: NamedSource, finding: Finding): Promise<ExaminedServer> {
  const { key, environment, signal } = finding;
  const code = await findCode(source, finding);
  const version = versionIn(await code.textOf('configure'));
  if (version === null) {
    const named = source.path === undefined ? `git is ${source.git ?? ''}` : `path is ${source.path}`;
    throw new UserError(
      `${key}.${named}, which has no source code of PostgreSQL with its script configure. Name the root of its source code.`,
    );
  }
  if (!isMeasurable(majorOf(version) ?? 0)) {
    throw new UserError(`${key}: PostgreSQL ${version} is too old; expected ${supportedWords} or newer.`);
  }
  // The name in its path keeps configure from adding folders of its own.
  const cache = cacheFolder('postgresql', 'builds of PostgreSQL', environment);
  const { configure } = source;
  // A home may be shared by machines.
  const state = [code.identity, configure, process.arch];
  return withClient({ signal }, async (client) => {
    const ask = askBy(client, finding);
    const compiler = await findCompiler(ask, compilersFor(configure));
    const folder = folderOf(cache, state, compiler);
    if (folder !== null && isBuilt(folder)) return { code, configure, version, folder, compiler };
    // A release before 17 comes with what bison and flex make; a repository does not have it.
    const isGenerated = (await code.textOf('src/backend/parser/gram.c')) !== null;
    const programs = isGenerated ? [] : ['bison', 'flex', 'perl'];
    await requireTools(ask, key, { what: `PostgreSQL ${version}`, compiler, programs });
    return { code, configure, version, folder: folder ?? '', compiler };
  });
}

/**
 * Builds PostgreSQL with everything in contrib, unless its build is kept.
 *
 * @returns where its programs are
 * @throws {UserError} if a step fails
 */
export async function buildServer(
  { code, configure, version, folder, compiler }: ExaminedServer,
  finding: Finding,
): Promise<Installation> {
  if (compiler) {
    await makeOnce(
      { folder, name: `PostgreSQL ${version}`, code, compiler },
      headOf(serverFile),
      finding,
      async (workshop) => {
        await carryOut(workshop, folder, configure);
        const made = path.join(workshop.stage, folder);
        const reported = await versionOf(made, workshop);
        const server = { ...code.origin, configure: [...configure], compiler: compiler.words };
        return { folder: made, complete: () => ({ version: reported, server }) };
      },
    );
  }
  const file = path.join(folder, buildFileName);
  const kept = parseVersioned(readTextWhole(file, { links: 'refused' }), file, serverFile);
  return {
    folder: path.join(folder, 'bin'),
    version: kept.version,
    major: majorOf(kept.version) ?? 0,
    programs: ['postgres', 'initdb', 'pgbench', 'psql'],
    origin: null,
    // The same code may have been built under another name.
    built: { server: { ...kept.server, ...code.origin } },
  };
}

async function carryOut({ tree, stage, step, log }: Workshop, folder: string, configure: readonly string[]) {
  // A folder may have been configured and built where it was.
  if (exists(path.join(tree, 'GNUmakefile'))) await step('make distclean', ['make', 'distclean']);
  await step('configure', ['/bin/sh', './configure', `--prefix=${folder}`, ...configure]);
  await log.requireKnownOptions();
  const make = ['make', `--jobs=${usableProcessors()}`];
  await step('make', [...make, 'all']);
  await step('make in contrib', [...make, '-C', 'contrib', 'all']);
  await step('make install', ['make', 'install', `DESTDIR=${stage}`]);
  await step('make install in contrib', ['make', '-C', 'contrib', 'install', `DESTDIR=${stage}`]);
}

/** The version that the built server reports. */
async function versionOf(made: string, { ask }: Workshop): Promise<string> {
  const { stdout } = await ask([path.join(made, 'bin/postgres'), '--version']);
  const version = /\(PostgreSQL\)\s+(\S+)/.exec(stdout)?.[1];
  if (version === undefined) throw new PartError('the built postgres does not report its version', 'program-failed');
  return version;
}

/** The version of PostgreSQL that a script configure is for, such as `17.5` or `20devel`; null if it is for none. */
export function versionIn(script: string | null): string | null {
  if (script === null || !/^PACKAGE_NAME='PostgreSQL'$/m.test(script)) return null;
  return /^PACKAGE_VERSION='(\d[^']*)'$/m.exec(script)?.[1] ?? null;
}

/** The compilers that configure looks for, in its order. */
export function compilersFor(configure: readonly string[]): string[] {
  const named = configure.flatMap((option) => /^CC=(.+)$/.exec(option)?.[1] ?? []).at(-1);
  return named === undefined ? ['gcc', 'cc'] : [named];
}

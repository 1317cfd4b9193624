import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { builtSchema } from '../../../contract/built.ts';
import { UserError } from '../../../contract/errors.ts';
import type { NamedCode } from '../../../contract/experiment/source.ts';
import { parseVersioned } from '../../../contract/versioned-file.ts';
import { exists, isFolder, isLink, modifiedMsOf, namesIn, sizeOf } from '../../../files/look.ts';
import { readTextWhole } from '../../../files/read.ts';
import { usableProcessors } from '../../../machine/capacity.ts';
import { cacheFolder } from '../../../process/cache-folder.ts';
import { withClient } from '../../../process/client.ts';
import type { PostgresBinaries } from '../installations.ts';
import type { Finding, SourceCode } from './code.ts';
import { findCode } from './find-code.ts';
import { buildFileName, folderOf, headOf, isBuilt, makeOnce } from './make-once.ts';
import { type Ask, askBy, type Compiler, findCompiler, requireTools } from './tools.ts';

const extensionFile = {
  kind: 'pgduet-extension-build',
  what: 'the description of an extension that pgduet has built',
  schemaVersion: 1,
  schema: z.object({ extension: builtSchema.shape.extension.unwrap() }),
  remedy: 'Remove its folder; the next run builds it again.',
  olderRemedy: 'Remove its folder; the next run builds it again.',
} as const;

/** Programs of a server that find everything else by where they are themselves. */
const ownPrograms = ['postgres', 'initdb', 'pg_config'] as const;

/**
 * Finds the code of an extension, before anything is made.
 *
 * @throws {UserError} if it is not there, or has no Makefile
 */
export async function examineExtension(named: NamedCode, finding: Finding): Promise<SourceCode> {
  const code = await findCode(named, finding);
  if ((await code.textOf('Makefile')) !== null) return code;
  throw new UserError(
    `${finding.key}.${named.path === undefined ? `git is ${named.git ?? ''}` : `path is ${named.path}`}, which has no Makefile. Name the folder of an extension that is built with PGXS.`,
  );
}

/** What a build of an extension needs of its server. */
interface ServerTools {
  /** null if none is here. */
  compiler: Compiler | null;
  /** All that names the server, so that another one gets another build. */
  identity: readonly (string | number)[];
  /** Folders of the server. */
  programs: string;
  share: string;
  libraries: string;
  /** The folder of libpq, if it is beside the programs. */
  beside: string | null;
  /** The makefile of PGXS. */
  makefile: string;
}

/**
 * Requires what a build of an extension for a server needs, unless it is kept.
 *
 * @throws {UserError} with what is missing, and what installs it
 */
export function requireExtensionTools(code: SourceCode, server: PostgresBinaries, finding: Finding): Promise<void> {
  return withClient({ signal: finding.signal }, async (client) => {
    const ask = askBy(client, finding);
    const tools = await toolsOf(server, ask, finding.key);
    const folder = folderFor(code, tools, finding);
    if (folder !== null && isBuilt(folder)) return;
    if (!exists(tools.makefile)) {
      throw new UserError(
        `${finding.key}: PostgreSQL ${server.version} in ${server.folder} has no PGXS (${tools.makefile}). Install the package for building extensions, such as postgresql-server-dev-${server.major}.`,
      );
    }
    await requireTools(ask, finding.key, { what: 'an extension', compiler: tools.compiler });
  });
}

/**
 * Builds an extension for a server, and puts it into a copy of the server that no other variant has. Of the copy, only the
 * extension and few programs are files; everything else is a link.
 *
 * @returns the copy
 * @throws {UserError} if a tool is missing, or a step fails
 */
export async function buildExtension(
  code: SourceCode,
  server: PostgresBinaries,
  finding: Finding,
): Promise<PostgresBinaries> {
  await requireExtensionTools(code, server, finding);
  const tools = await withClient({ signal: finding.signal }, (client) =>
    toolsOf(server, askBy(client, finding), finding.key),
  );
  const { compiler } = tools;
  const folder = folderFor(code, tools, finding) ?? '';
  if (compiler) {
    const name = `the extension for PostgreSQL ${server.version}`;
    await makeOnce({ folder, name, code, compiler }, headOf(extensionFile), finding, async ({ stage, step }) => {
      const make = ['make', 'USE_PGXS=1', `PG_CONFIG=${path.join(server.folder, 'pg_config')}`];
      await step('make', [...make, `--jobs=${usableProcessors()}`]);
      await step('make install', [...make, 'install', `DESTDIR=${stage}`]);
      return {
        folder: stage,
        complete() {
          const controls = namesIn(path.join(stage, tools.share, 'extension')).filter((one) => one.endsWith(control));
          completeCopy(stage, server, tools);
          const names = controls.map((one) => path.basename(one, control));
          return { extension: { ...code.origin, names, compiler: compiler.words } };
        },
      };
    });
  }
  const file = path.join(folder, buildFileName);
  const { extension } = parseVersioned(readTextWhole(file, { links: 'refused' }), file, extensionFile);
  return {
    folder: path.join(folder, tools.programs),
    version: server.version,
    major: server.major,
    // The same code may have been built under another name.
    built: { ...server.built, extension: { ...extension, ...code.origin } },
  };
}

const control = '.control';

function folderFor(code: SourceCode, { identity, compiler }: ServerTools, { environment }: Finding): string | null {
  const cache = cacheFolder('postgresql-extensions', 'builds of extensions', environment);
  return folderOf(cache, [code.identity, identity, process.arch], compiler);
}

/** @throws {UserError} if the server has no pg_config */
async function toolsOf({ folder, version, major }: PostgresBinaries, ask: Ask, key: string): Promise<ServerTools> {
  const program = path.join(folder, 'pg_config');
  const { exitCode, stdout } = exists(program)
    ? await ask([program, '--bindir', '--sharedir', '--pkglibdir', '--libdir', '--pgxs', '--cc'])
    : { exitCode: null, stdout: '' };
  const [programs = '', share = '', libraries = '', lib = '', makefile = '', cc = ''] = stdout.split('\n');
  if (exitCode !== 0) {
    throw new UserError(
      `${key}: ${folder} has no pg_config that works, which an extension is built by. Install the package for building extensions, such as postgresql-server-dev-${major}.`,
    );
  }
  const postgres = path.join(folder, 'postgres');
  return {
    compiler: await findCompiler(ask, [cc]),
    identity: [folder, version, sizeOf(postgres), modifiedMsOf(postgres)],
    programs,
    share,
    libraries,
    beside: path.dirname(lib) === path.dirname(programs) && lib !== libraries ? lib : null,
    makefile,
  };
}

/**
 * Makes a server of a folder that has only an extension. PostgreSQL looks for its files by where its program is, so the copy
 * has programs of its own, and links to the rest.
 */
function completeCopy(stage: string, server: PostgresBinaries, tools: ServerTools): void {
  const { programs, share, libraries, beside } = tools;
  const own = path.join(stage, programs);
  mkdirSync(own, { recursive: true });
  for (const program of ownPrograms) copyFileSync(path.join(server.folder, program), path.join(own, program));
  for (const one of [share, libraries, ...(beside === null ? [] : [beside])]) linkInto(one, path.join(stage, one));
}

/** Links everything of a folder into another, besides what that has. */
function linkInto(from: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of namesIn(from)) {
    const [original, own] = [path.join(from, name), path.join(folder, name)];
    if (!exists(own)) symlinkSync(original, own);
    else if (!isLink(own) && isFolder(own) && isFolder(original)) linkInto(original, own);
  }
}

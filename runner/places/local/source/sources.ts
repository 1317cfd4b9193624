import type { NamedCode, NamedSource } from '../../../contract/experiment/source.ts';
import type { Installation, PostgresBinaries } from '../installations.ts';
import type { Finding, SourceCode } from './code.ts';
import { buildExtension, examineExtension, requireExtensionTools } from './extension-build.ts';
import { buildServer, type ExaminedServer, examineServer } from './server-build.ts';

type Variants = Readonly<
  Record<string, { engine: { source?: NamedSource | undefined }; extension?: { source: NamedCode } | undefined }>
>;

/** All that finding needs, besides the key of what is looked for. */
export type Looking = Omit<Finding, 'key'>;

/** Code of variants, by their names. */
export interface ExaminedCode {
  servers: ReadonlyMap<string, ExaminedServer>;
  extensions: ReadonlyMap<string, SourceCode>;
}

const keyOfServer = (variant: string): string => `variants.${variant}.engine.source`;
const keyOfExtension = (variant: string): string => `variants.${variant}.extension.source`;

/** The variants whose PostgreSQL is an installed one. */
export function installedOnes<V extends Variants>(variants: V): V {
  return Object.fromEntries(Object.entries(variants).filter(([, { engine }]) => engine.source === undefined)) as V;
}

/**
 * Finds all code that is to be built, and what the builds of servers need. It makes nothing.
 *
 * @throws {UserError} see `examineServer` and `examineExtension`
 */
export async function examineCode(variants: Variants, looking: Looking): Promise<ExaminedCode> {
  const servers = new Map<string, ExaminedServer>();
  const extensions = new Map<string, SourceCode>();
  for (const [variant, { engine, extension }] of Object.entries(variants)) {
    if (engine.source) {
      servers.set(variant, await examineServer(engine.source, { ...looking, key: keyOfServer(variant) }));
    }
    if (extension) {
      extensions.set(variant, await examineExtension(extension.source, { ...looking, key: keyOfExtension(variant) }));
    }
  }
  return { servers, extensions };
}

/**
 * Requires what builds of extensions for these servers need.
 *
 * @throws {UserError} see `requireExtensionTools`
 */
export async function requireForExtensions(
  { extensions }: Pick<ExaminedCode, 'extensions'>,
  servers: ReadonlyMap<string, PostgresBinaries>,
  looking: Looking,
): Promise<void> {
  for (const [variant, code] of extensions) {
    const server = servers.get(variant);
    if (server) await requireExtensionTools(code, server, { ...looking, key: keyOfExtension(variant) });
  }
}

/**
 * Builds the PostgreSQL of all variants that name source code, unless their builds are kept.
 *
 * @returns where the programs are, by variant
 * @throws {UserError} see `buildServer`
 */
export async function buildServers({ servers }: ExaminedCode, looking: Looking): Promise<Map<string, Installation>> {
  const builds = new Map<string, Installation>();
  for (const [variant, examined] of servers) {
    builds.set(variant, await buildServer(examined, { ...looking, key: keyOfServer(variant) }));
  }
  return builds;
}

/**
 * Builds the extensions of all variants that name some, unless their builds are kept.
 *
 * @returns the server of each variant: with an extension, a copy that has it
 * @throws {UserError} see `buildExtension`
 */
export async function withExtensions(
  servers: ReadonlyMap<string, PostgresBinaries>,
  { extensions }: ExaminedCode,
  looking: Looking,
): Promise<Map<string, PostgresBinaries>> {
  const copies = new Map(servers);
  for (const [variant, code] of extensions) {
    const server = servers.get(variant);
    if (!server) throw new Error(`no PostgreSQL was chosen for ${variant}`);
    copies.set(variant, await buildExtension(code, server, { ...looking, key: keyOfExtension(variant) }));
  }
  return copies;
}

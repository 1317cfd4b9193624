import path from 'node:path';
import * as z from 'zod';
import { UserError } from '../../contract/errors.ts';
import { toolVersion } from '../../contract/tool-version.ts';
import { isFile } from '../../files/look.ts';
import { readFileWhole, readTextIfThere } from '../../files/read.ts';
import { writeFileIn } from '../../files/write.ts';

/**
 * Where a repository of experiments takes pgduet from. `vendored`: an archive in the repository, which was copied from
 * elsewhere unless it was there already. `registry`: one version. `elsewhere`: a folder or an address, where `npm ci` on
 * another machine may find nothing. `unnamed`: no package.json names pgduet.
 */
export type PackageSource =
  | { kind: 'vendored'; spec: string; copiedFrom: string | null }
  | { kind: 'registry' | 'elsewhere'; spec: string }
  | { kind: 'unnamed'; spec: null };

const name = 'pgduet';
const installed = `node_modules/${name}`;
const lists: readonly string[] = ['dependencies', 'devDependencies', 'optionalDependencies'];

const objectSchema = z.record(z.string(), z.unknown());
type Json = z.output<typeof objectSchema>;

/**
 * Makes a repository independent of this machine: copies the archive that pgduet was installed from into it, or pins the
 * installed version of the registry. package.json and package-lock.json then say so.
 *
 * @throws {UserError} if package.json names an archive that is not there, or if one of the two files is not JSON
 */
export async function fixPackageSource(folder: string): Promise<PackageSource> {
  const spec = specIn(readJson(folder, 'package.json')?.value ?? {});
  if (spec === undefined) return { kind: 'unnamed', spec: null };
  if (/^[\d^~<>=*]|^latest$/.test(spec)) return pinVersion(folder);
  const [, place = ''] = /^(?:file:)?(\.{0,2}\/.*|[^:]*)$/.exec(spec) ?? [];
  if (!/\.(tgz|tar\.gz|tar)$/.test(place)) return { kind: 'elsewhere', spec };
  return vendor(folder, spec, place);
}

function specIn(manifest: Json): string | undefined {
  const specs = lists.map((list) => objectIn(manifest, list)[name]);
  return specs.find((spec) => typeof spec === 'string');
}

async function pinVersion(folder: string): Promise<PackageSource> {
  const lock = readJson(folder, 'package-lock.json');
  const { version } = objectIn(objectIn(lock?.value ?? {}, 'packages'), installed);
  const spec = typeof version === 'string' ? version : toolVersion;
  await replaceSource(folder, spec, {});
  return { kind: 'registry', spec };
}

/** @param place path of the archive, relative to the folder or absolute */
async function vendor(folder: string, spec: string, place: string): Promise<PackageSource> {
  const archive = path.resolve(folder, place);
  if (!isFile(archive)) {
    throw new UserError(
      `package.json takes pgduet from ${place}, which is not there. Install it again: npm install ARCHIVE.tgz`,
    );
  }
  const [first] = path.relative(folder, archive).split(path.sep);
  if (first !== '..') return { kind: 'vendored', spec, copiedFrom: null };
  const copy = `vendor/${path.basename(archive)}`;
  await writeFileIn(folder, path.normalize(copy), readFileWhole(archive));
  await replaceSource(folder, `file:${copy}`, { resolved: `file:${copy}` });
  return { kind: 'vendored', spec: `file:${copy}`, copiedFrom: place };
}

/** The lock file has a hash of the archive, which stays: npm checks the copy by it. */
async function replaceSource(folder: string, spec: string, found: { resolved?: string }): Promise<void> {
  const withSpec = (manifest: Json): Json =>
    mapValues(manifest, (list, key) =>
      lists.includes(key) && name in objectIn(manifest, key) ? { ...objectIn(manifest, key), [name]: spec } : list,
    );
  const withSource = (packages: Json): Json =>
    mapValues(packages, (one, key) => {
      if (key === '') return withSpec(objectIn(packages, key));
      return key === installed ? { ...objectIn(packages, key), ...found } : one;
    });
  await changeJson(folder, 'package-lock.json', (lock) =>
    mapValues(lock, (part, key) => (key === 'packages' ? withSource(objectIn(lock, key)) : part)),
  );
  await changeJson(folder, 'package.json', withSpec);
}

function mapValues(object: Json, change: (value: unknown, key: string) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}

function objectIn(object: Json, key: string): Json {
  return objectSchema.safeParse(object[key]).data ?? {};
}

async function changeJson(folder: string, file: string, change: (value: Json) => Json): Promise<void> {
  const read = readJson(folder, file);
  if (read === null) return;
  const indent = /^([ \t]+)"/m.exec(read.text)?.[1] ?? '  ';
  await writeFileIn(folder, file, `${JSON.stringify(change(read.value), null, indent)}\n`);
}

/** null if there is no such file. */
function readJson(folder: string, file: string): { value: Json; text: string } | null {
  const text = readTextIfThere(path.join(folder, file));
  if (text === null) return null;
  try {
    return { value: objectSchema.parse(JSON.parse(text)), text };
  } catch (cause) {
    throw new UserError(`${file} is not the JSON that npm writes. Correct it, and start again.`, { cause });
  }
}

import path from 'node:path';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { UserError } from '../../contract/errors.ts';
import { exists } from '../../files/look.ts';
import { preparingFiles } from '../../workloads/of-variants.ts';
import { toolOf } from '../../workloads/registry.ts';
import {
  findInstallations,
  type FoundInstallations,
  type Installation,
  type LookUp,
  notFound,
  type PostgresBinaries,
  withPrograms,
} from './installations.ts';
import { canInstall } from './package-manager.ts';

/** The PostgreSQL of each variant, and the load generator that they share. */
export interface ChosenBinaries {
  /** By variant. */
  servers: ReadonlyMap<string, PostgresBinaries>;
  /** One for all variants: otherwise a difference between variants could come from pgbench. */
  clients: PostgresBinaries;
}

type Engine = Experiment['variants'][string]['engine'];
type Variants = Record<string, { engine: Pick<Engine, 'version'> & { source?: Engine['source'] } }>;

/** PostgreSQL that pgduet has built, by variant. */
export type Builds = ReadonlyMap<string, Installation>;
const noBuilds: Builds = new Map();

/** The programs that a server's folder must have. */
export const serverPrograms = ['postgres', 'initdb'] as const;
const loadPrograms = ['pgbench'] as const;

/** Whether this machine has no server programs, or no load generator, which its package manager could install. */
function isMissing({ installations }: FoundInstallations): boolean {
  return [serverPrograms, loadPrograms].some((needed) => withPrograms(installations, needed).length === 0);
}

/**
 * Chooses for each variant what was built of its source, or else the first PostgreSQL of its `engine.version`, or the
 * first of all if it names no version.
 * pgbench comes from the newest of the chosen installations that has it, or from the newest of all if none of these has
 * it.
 *
 * @throws {UserError} with each version that was not found, or if a folder of --pg-bindir is not used
 */
export function chooseBinaries(variants: Variants, found: FoundInstallations, builds = noBuilds): ChosenBinaries {
  const clients = chooseClients(variants, found, builds);
  const servers = new Map<string, Installation>();
  const missing: string[] = [];
  for (const [variant, { engine }] of Object.entries(variants)) {
    const server = builds.get(variant) ?? serverOf(engine, found);
    if (server) servers.set(variant, server);
    else missing.push(`variants.${variant}.engine.version: "${engine.version ?? ''}" is not installed here.`);
  }
  if (missing.length > 0) throw versionsMissing(missing, found);
  refuseUnused(found, [...servers.values(), clients]);
  return { servers, clients };
}

/**
 * The newest pgbench of the installations in use, or of all installations if none in use has it.
 *
 * @throws {UserError} if there is none
 */
export function chooseClients(variants: Variants, found: FoundInstallations, builds = noBuilds): PostgresBinaries {
  const inUse = Object.entries(variants).flatMap(
    ([name, { engine }]) => builds.get(name) ?? serverOf(engine, found) ?? [],
  );
  const [newest] = [inUse, found.installations].flatMap((among) => newestFirst(withPrograms(among, loadPrograms)));
  if (!newest) throw notFound(found, loadPrograms);
  return newest;
}

/** The folders of the other installations. */
export function othersThan(folder: string, { installations }: FoundInstallations): string[] {
  return installations.flatMap((one) => (one.folder === folder ? [] : [one.folder]));
}

/** Whether a start installs the distribution's PostgreSQL: there is none, the user named no folder, and we may. */
export function isToBeInstalled(found: FoundInstallations): boolean {
  return isMissing(found) && found.installations.every(({ origin }) => origin === null) && canInstall();
}

function serverOf(
  { version: asked, source }: Variants[string]['engine'],
  found: Pick<FoundInstallations, 'installations'>,
) {
  // What is installed is not what its source makes.
  if (source) return undefined;
  return withPrograms(found.installations, serverPrograms).find(({ version }) => isVersion(version, asked));
}

/** Whether a version such as "16.14" matches the one that was asked for: "16", "16.14" or none. */
function isVersion(version: string, asked: string | undefined): boolean {
  if (asked === undefined) return true;
  return asked.includes('.') ? version === asked : Number.parseInt(version, 10) === Number(asked);
}

function newestFirst(installations: readonly Installation[]): Installation[] {
  const minor = ({ version }: Installation): number => Number(version.split('.')[1] ?? 0);
  return installations.toSorted((a, b) => b.major - a.major || minor(b) - minor(a));
}

function versionsMissing(missing: readonly string[], found: FoundInstallations): UserError {
  const servers = withPrograms(found.installations, serverPrograms);
  if (servers.length === 0) return notFound(found, serverPrograms);
  return new UserError([
    ...missing,
    'This machine has:',
    ...servers.map(({ version, folder }) => `  ${version} in ${folder}`),
    'Specify each version’s bin folder (repeat --pg-bindir FOLDER, or set PGDUET_PG_BINDIR), or write `version: installed` to use the first of these.',
  ]);
}

function refuseUnused({ installations }: FoundInstallations, used: readonly PostgresBinaries[]): void {
  const unused = installations.find((one) => one.origin === '--pg-bindir' && !used.includes(one));
  if (!unused) return;
  const twin = used.find(({ version }) => version === unused.version);
  if (twin) {
    throw new UserError(
      `--pg-bindir is ${unused.folder}: its version is ${unused.version}, and so is that of ${twin.folder}, which comes first. A variant names only a version, so one run cannot tell two builds of a version apart. Omit one of these folders.`,
    );
  }
  throw new UserError(
    `--pg-bindir is ${unused.folder}: no variant uses PostgreSQL ${unused.version}. Set engine.version of a variant to it, or omit this folder.`,
  );
}

/**
 * Looks for the programs that a load needs besides pgbench, before any server is started.
 *
 * @param folder of the client programs
 * @throws {UserError} with each missing program
 */
export function requirePrograms(
  { workload, variants }: Pick<Experiment, 'workload' | 'variants'>,
  folder: string,
): void {
  const needed = [
    ...toolOf(workload).programs(workload),
    ...(Object.values(variants).some((one) => preparingFiles(one).length > 0) ? ['psql'] : []),
  ];
  const missing = [...new Set(needed)].filter((name) => !exists(path.join(folder, name)));
  if (missing.length === 0) return;
  throw new UserError(
    `The workload needs ${missing.join(' and ')}, missing from ${folder}. Install the PostgreSQL client programs there, or specify another folder (--pg-bindir FOLDER, or PGDUET_PG_BINDIR).`,
  );
}

/** Programs that must be in one folder. `clients` are enough to put load on a server elsewhere. */
const programs = {
  server: ['postgres', 'initdb', 'pgbench'],
  clients: ['pgbench', 'psql'],
} as const;

/**
 * Finds the first folder that has all needed programs.
 *
 * @throws {UserError} with what was found and why it cannot be used, and with the command that installs what is missing
 */
export async function findPostgresBinaries({
  needed = 'server',
  ...lookUp
}: LookUp & { needed?: keyof typeof programs }): Promise<PostgresBinaries> {
  const { explicit = [] } = lookUp;
  if (explicit.length > 1) {
    throw new UserError(
      `--pg-bindir is given ${explicit.length} times: ${explicit.join(', ')}. Name one folder: there is only one load generator.`,
    );
  }
  const found = await findInstallations(lookUp, programs[needed]);
  const [first] = withPrograms(found.installations, programs[needed]);
  if (!first) throw notFound(found, programs[needed]);
  const { folder, version, major } = first;
  return { folder, version, major };
}

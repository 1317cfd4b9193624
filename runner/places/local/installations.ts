import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Built } from '../../contract/built.ts';
import { UserError, withoutStop } from '../../contract/errors.ts';
import { controlOfOthers } from '../../files/owners.ts';
import { isMeasurable, majorOf, supportedWords } from '../../postgres/versions/known.ts';
import { isExecutable } from '../../process/program-path.ts';
import { askProgram } from '../../process/run-command.ts';
import { installCommand } from './package-manager.ts';

/** A folder with the programs of one PostgreSQL version. */
export interface PostgresBinaries {
  folder: string;
  /** Such as "15.18". */
  version: string;
  major: number;
  /** What pgduet built of it; absent if everything was installed. */
  built?: Built;
}

/** The first of these that a folder has is asked for its version. */
const known = ['postgres', 'initdb', 'pgbench', 'psql'] as const;
export type Program = (typeof known)[number];

export interface Installation extends PostgresBinaries {
  /** Which of the programs that we use are in the folder. */
  programs: readonly Program[];
  /** The option that named the folder, such as `--pg-bindir`; null if we found it. */
  origin: string | null;
}

export interface FoundInstallations {
  /** In the order in which they were looked up. */
  installations: readonly Installation[];
  /** Folders that cannot be used, each with the reason. */
  rejected: readonly string[];
}

export interface LookUp {
  /** Folders of --pg-bindir. */
  explicit?: readonly string[] | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  /** Ends the search, with its reason. */
  signal: AbortSignal;
  /** @default the distributions' versioned folders, newest first */
  versioned?: readonly string[];
}

/**
 * Finds every PostgreSQL. It looks at `explicit`, PGDUET_PG_BINDIR (several separated by colons), `pg_config --bindir`,
 * the distributions' versioned folders, newest first, and PATH.
 *
 * @param needed programs that a folder must have if the user named it
 * @param options.onlyNamed looks only at folders that the user named. @default false
 * @throws {UserError} if a folder that the user named cannot be used: it is never skipped
 */
export async function findInstallations(
  { explicit = [], environment, signal, versioned = versionedFolders() }: LookUp,
  needed: readonly Program[],
  { onlyNamed = false }: { onlyNamed?: boolean } = {},
): Promise<FoundInstallations> {
  const installations: Installation[] = [];
  const rejected: string[] = [];
  const isNew = (folder: string): boolean => !installations.some((one) => one.folder === path.resolve(folder));
  const listed = split(environment['PGDUET_PG_BINDIR']);
  for (const [origin, folders] of [
    ['--pg-bindir', explicit],
    ['PGDUET_PG_BINDIR', listed],
  ] as const) {
    for (const folder of folders.filter(isNew)) {
      const found = await inspect(folder, origin, signal);
      const problem = typeof found === 'string' ? found : whatIsMissing(found, needed);
      if (problem !== null || typeof found === 'string') throw cannotBeUsed(origin, folder, problem ?? '');
      installations.push(found);
    }
  }
  if (onlyNamed) return { installations, rejected };
  // Others may write to a working folder, so a relative folder in PATH is none to look at.
  const inPath = split(environment['PATH']).filter((folder) => path.isAbsolute(folder));
  const configured = await configuredFolder(inPath, environment, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof UserError) rejected.push(error.message);
    return [];
  });
  const searched = [...configured, ...versioned, ...inPath];
  for (const folder of new Set(searched.filter(isNew))) {
    if (programsIn(folder, existsSync).length === 0) continue;
    const found = await inspect(folder, null, signal);
    if (typeof found === 'string') rejected.push(`${folder}: ${found}`);
    else installations.push(found);
  }
  return { installations, rejected };
}

/** Those that have all of the needed programs. */
export function withPrograms(installations: readonly Installation[], needed: readonly Program[]): Installation[] {
  return installations.filter((one) => whatIsMissing(one, needed) === null);
}

/** Which of the needed programs a folder does not have, as a text; null if it has all of them. */
function whatIsMissing({ programs }: Pick<Installation, 'programs'>, needed: readonly Program[]): string | null {
  const missing = needed.filter((program) => !programs.includes(program));
  return missing.length === 0 ? null : `has no ${missing.join(', no ')}`;
}

/**
 * The error that no installation has the needed programs, with the command that installs them.
 *
 * @param needed programs that one folder must have
 */
export function notFound({ installations, rejected }: FoundInstallations, needed: readonly Program[]): UserError {
  const lacking = installations.flatMap((one) => {
    const problem = whatIsMissing(one, needed);
    return problem === null ? [] : [`${one.folder}: ${problem}`];
  });
  return new UserError([
    `${supportedWords} with pgbench is needed and was not found.`,
    ...[...lacking, ...rejected].map((line) => `  ${line}`),
    `Install it: ${installCommand()}`,
    'or specify its bin folder: --pg-bindir FOLDER, or PGDUET_PG_BINDIR.',
  ]);
}

function cannotBeUsed(origin: string, folder: string, problem: string): UserError {
  return new UserError(
    `${origin} is ${folder}: ${problem}. Name the folder of ${supportedWords} with pgbench, or install it: ${installCommand()}`,
  );
}

function split(list: string | undefined): string[] {
  return (list ?? '').split(path.delimiter).filter((folder) => folder !== '');
}

/** The folder that the first pg_config in PATH reports; empty if there is none, if it fails, or if it is somebody else's. */
async function configuredFolder(
  inPath: readonly string[],
  environment: LookUp['environment'],
  signal: AbortSignal,
): Promise<string[]> {
  const program = inPath.map((folder) => path.join(folder, 'pg_config')).find(isExecutable);
  if (program === undefined || controlOfOthers(program) !== null) return [];
  const { exitCode, stdout } = await askProgram([program, '--bindir'], { environment, signal });
  return exitCode === 0 ? [stdout.trim()] : [];
}

/** Versioned folders of Debian, Red Hat (also PGDG's packages on Amazon Linux) and Homebrew, newest version first. */
function versionedFolders(): string[] {
  const layouts = [
    { root: '/usr/lib/postgresql', pattern: /^(\d+)$/ },
    { root: '/usr', pattern: /^pgsql-(\d+)$/ },
    { root: '/opt/homebrew/opt', pattern: /^postgresql@(\d+)$/ },
    { root: '/usr/local/opt', pattern: /^postgresql@(\d+)$/ },
  ];
  return layouts
    .flatMap(({ root, pattern }) =>
      (existsSync(root) ? readdirSync(root) : []).flatMap((name) => {
        const major = pattern.exec(name)?.[1];
        return major === undefined ? [] : [{ major: Number(major), folder: path.join(root, name, 'bin') }];
      }),
    )
    .sort((a, b) => b.major - a.major)
    .map(({ folder }) => folder);
}

/** The installation in a folder, or a text that says why it cannot be used. */
async function inspect(folder: string, origin: string | null, signal: AbortSignal): Promise<Installation | string> {
  const programs = programsIn(folder, isExecutable);
  const [first] = programs;
  if (first === undefined) return whatIsMissing({ programs }, known) ?? '';
  // Asking it for its version runs it, perhaps as root.
  const others = origin === null ? controlOfOthers(path.join(folder, first)) : null;
  if (others !== null) return `its ${first} ${others}; if you trust it, name the folder (--pg-bindir)`;
  const reported = await askProgram([path.join(folder, first), '--version'], { signal }).catch((error: unknown) => {
    if (error instanceof UserError) return withoutStop(error.message);
    throw error;
  });
  if (typeof reported === 'string') return reported;
  const version = /\(PostgreSQL\)\s+(\S+)/.exec(reported.stdout)?.[1];
  if (version === undefined) return `its ${first} does not report its version`;
  const major = majorOf(version);
  if (major === null) return `its ${first} reports the version ${version}, which is none of PostgreSQL`;
  if (!isMeasurable(major)) return `PostgreSQL ${version} is too old; expected ${supportedWords}`;
  return { folder: path.resolve(folder), version, major, programs, origin };
}

function programsIn(folder: string, isThere: (file: string) => boolean): Program[] {
  return known.filter((program) => isThere(path.join(folder, program)));
}

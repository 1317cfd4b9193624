import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { runCommand } from '../../process/run-command.ts';
import { installCommand } from './package-manager.ts';

export interface PostgresBinaries {
  folder: string;
  /** Such as "15.18". */
  version: string;
  major: number;
}

export const oldestMajor = 14;
export const newestMajor = 18;
/**
 * Programs that must be in the folder. `clients` are enough to put load on a server elsewhere. The first program of each
 * list tells the version.
 */
const programs = {
  server: ['postgres', 'initdb', 'pgbench'],
  clients: ['pgbench', 'psql'],
} as const;
type Needed = keyof typeof programs;

/**
 * Finds PostgreSQL with pgbench. It looks at `explicit` (--pg-bindir), PGDUET_PG_BINDIR, `pg_config --bindir`, the
 * distributions' versioned folders from the newest on, and PATH. A folder that was named is used or refused, never skipped.
 *
 * @throws {UserError} with what was found and why it cannot be used, and with the command that installs what is missing
 */
export async function findPostgresBinaries(options: {
  explicit?: string | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  needed?: Needed;
  /** @default the distributions' versioned folders, from the newest on */
  versioned?: readonly string[];
}): Promise<PostgresBinaries> {
  const { needed = 'server', environment, versioned = versionedFolders() } = options;
  const named: [string, string | undefined][] = [
    ['--pg-bindir', options.explicit],
    ['PGDUET_PG_BINDIR', environment['PGDUET_PG_BINDIR']],
  ];
  for (const [origin, folder] of named) {
    if (folder === undefined || folder === '') continue;
    const found = await inspect(folder, needed);
    if (typeof found === 'string') {
      throw new UserError(
        `${origin} is ${folder}: ${found}. Name the folder of PostgreSQL ${oldestMajor} to ${newestMajor} with pgbench, or install it: ${installCommand()}`,
      );
    }
    return found;
  }
  const rejected: string[] = [];
  const searched = (environment['PATH'] ?? '').split(path.delimiter);
  for (const folder of withPrograms([...(await configuredFolder(environment)), ...versioned, ...searched], needed)) {
    const found = await inspect(folder, needed);
    if (typeof found !== 'string') return found;
    rejected.push(`${folder}: ${found}`);
  }
  throw new UserError(
    [
      `PostgreSQL ${oldestMajor} to ${newestMajor} with pgbench is needed and was not found.`,
      ...rejected.map((line) => `  ${line}`),
      `Install it: ${installCommand()}`,
      'or name the folder of its programs: --pg-bindir FOLDER, or PGDUET_PG_BINDIR.',
    ].join('\n'),
  );
}

/** What pg_config says; empty if there is none. */
async function configuredFolder(environment: Readonly<Record<string, string | undefined>>): Promise<string[]> {
  return runCommand(['pg_config', '--bindir'], { environment }).then(
    ({ exitCode, stdout }) => (exitCode === 0 ? [stdout.trim()] : []),
    () => [],
  );
}

/** Those of the folders that hold any of the programs, each once. */
function withPrograms(folders: readonly string[], needed: Needed): string[] {
  return [...new Set(folders)].filter(
    (folder) => folder !== '' && programs[needed].some((program) => existsSync(path.join(folder, program))),
  );
}

/** Versioned folders of Debian and Red Hat (also of Amazon Linux's PGDG packages and of Homebrew), newest version first. */
function versionedFolders(): string[] {
  const layouts = [
    { root: '/usr/lib/postgresql', pattern: /^(\d+)$/, programs: 'bin' },
    { root: '/usr', pattern: /^pgsql-(\d+)$/, programs: 'bin' },
    { root: '/opt/homebrew/opt', pattern: /^postgresql@(\d+)$/, programs: 'bin' },
    { root: '/usr/local/opt', pattern: /^postgresql@(\d+)$/, programs: 'bin' },
  ];
  return layouts
    .flatMap(({ root, pattern, programs }) =>
      (existsSync(root) ? readdirSync(root) : []).flatMap((name) => {
        const major = pattern.exec(name)?.[1];
        return major === undefined ? [] : [{ major: Number(major), folder: path.join(root, name, programs) }];
      }),
    )
    .sort((a, b) => b.major - a.major)
    .map(({ folder }) => folder);
}

/** The binaries in a folder, or in words why they cannot be used. */
async function inspect(folder: string, needed: Needed): Promise<PostgresBinaries | string> {
  const missing = programs[needed].filter((program) => !isExecutable(path.join(folder, program)));
  if (missing.length > 0) return `has no ${missing.join(', no ')}`;
  const { stdout } = await runCommand([path.join(folder, programs[needed][0]), '--version']);
  const version = /\(PostgreSQL\)\s+(\S+)/.exec(stdout)?.[1] ?? '';
  const major = Number.parseInt(version, 10);
  if (!(major >= oldestMajor)) return `PostgreSQL ${version} is too old; ${oldestMajor} to ${newestMajor} will do`;
  if (major > newestMajor) return `PostgreSQL ${version} is newer than what pgduet knows (up to ${newestMajor})`;
  return { folder: path.resolve(folder), version, major };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

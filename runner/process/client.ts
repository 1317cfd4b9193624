import { chmodSync, lchownSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import { isFile } from '../files/look.ts';
import { readFileWhole } from '../files/read.ts';
import { lendFiles } from './lent-files.ts';
import type { OutputFiles } from './output-files.ts';
import { makeOwnedFolder } from './owned-folder.ts';
import { removeTrees } from './remove-trees.ts';
import { plainEnvironment, reducedRights, type ServerUser, serverUser } from './rights.ts';
import { type CommandOptions, type CommandResult, type CommandWithFilesResult, runCommand } from './run-command.ts';

export interface ClientNeeds {
  /** Absolute paths of files and folders that the programs read. @default none */
  reads?: readonly string[];
  /** Texts of files in the client's own folder, by name; absent if it needs no such folder. */
  own?: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

interface RunOptions extends Omit<CommandOptions, 'uid' | 'gid'> {
  signal: AbortSignal;
}

/** Where programs run what an experiment says: pgbench, psql, pg_restore, HammerDB. */
export interface Client {
  /** Its own folder, where it may write. */
  folder: string;
  /** Folder around it that only we may write to. */
  around: string;
  /** Where the programs find a file or folder that they read. */
  pathOf: (file: string) => string;
  /** A text in which files that they read have their own paths again. */
  withOwnPaths: (text: string) => string;
  /** As `runCommand`. Of the environment, they get only what is given here. */
  run: ((command: readonly string[], options: RunOptions & { files: OutputFiles }) => Promise<CommandWithFilesResult>) &
    ((command: readonly string[], options: RunOptions) => Promise<CommandResult>);
}

/**
 * Lets programs run what an experiment says, such as a script with `\shell`: never as root, and without our environment
 * and home (rights.ts). If they run as another user, who may not be able to reach our files, they get copies of those
 * that they read. Nobody else can read the copies, and they are gone afterwards.
 */
export async function withClient<T>(
  { reads = [], own, signal }: ClientNeeds,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const user = serverUser();
  const another = user.spawnAs.uid === undefined ? null : user;
  if (!another && own === undefined) return use(await clientIn('/nonexistent', another));
  const { path: place } = makeOwnedFolder();
  const give = (made: string): void => giveTo(another, made);
  try {
    if (another) chmodSync(place, 0o711);
    const folder = path.join(place, ownFolder);
    mkdirSync(folder, { mode: 0o700 });
    for (const [name, text] of Object.entries(own ?? {})) writeFor(another, path.join(folder, name), text);
    // Last: from now on, the user could lay links there.
    give(folder);
    if (another) await lendFiles(reads, path.join(place, lentFolder), give, signal);
    return await use(await clientIn(place, another));
  } finally {
    await removeTrees([place]);
  }
}

const [ownFolder, lentFolder] = ['own', 'lent'];

/** @param another user that the programs run as; null if that is ours */
function giveTo(another: ServerUser | null, made: string): void {
  if (another) lchownSync(made, another.uid, another.gid);
}

/** @param file whose folder only we may write to */
function writeFor(another: ServerUser | null, file: string, content: string | Buffer): void {
  writeFileSync(file, content, { mode: 0o600 });
  giveTo(another, file);
}

/** Variables that name a file which the program reads. */
const namesFile = ['PGPASSFILE', 'PGSSLROOTCERT'] as const;

async function clientIn(place: string, another: ServerUser | null): Promise<Client> {
  const { prefix, spawnAs } = await reducedRights();
  const lent = path.join(place, lentFolder);
  const passed = new Map<string, string>();
  const withOwnPaths = (text: string): string => (another ? text.replaceAll(`${lent}/`, '/') : text);
  function pass(file: string): string {
    const copy = passed.get(file) ?? path.join(place, `passed-${passed.size}`);
    if (!passed.has(file)) writeFor(another, copy, readFileWhole(file));
    passed.set(file, copy);
    return copy;
  }
  /** With copies of the files that it names. */
  function environmentFor(environment: NonNullable<RunOptions['environment']>): typeof environment {
    const files = namesFile.flatMap((name) => {
      const file = environment[name];
      const isThere = another !== null && file !== undefined && path.isAbsolute(file) && isFile(file);
      return isThere ? [[name, pass(file)] as const] : [];
    });
    return { ...plainEnvironment, ...environment, ...Object.fromEntries(files) };
  }
  async function run(command: readonly string[], options: RunOptions): Promise<CommandResult> {
    const { environment = {}, files, signal, ...others } = options;
    const result = await runCommand([...prefix, ...command], {
      cwd: '/',
      ...others,
      ...spawnAs,
      signal,
      environment: environmentFor(environment),
      ...(files && { files: another ? { ...files, owner: another } : files }),
    });
    requireStarted(command, result);
    return { ...result, stdout: withOwnPaths(result.stdout), stderr: withOwnPaths(result.stderr) };
  }
  return {
    folder: path.join(place, ownFolder),
    around: place,
    pathOf: (file) => (another ? path.join(lent, path.resolve(file)) : file),
    withOwnPaths,
    run: run as Client['run'],
  };
}

/** What setpriv, like a shell, ends with if it cannot execute a program. */
const notExecuted = [126, 127];

/** @throws {UserError} if the program did not begin */
function requireStarted([program = '']: readonly string[], { exitCode, stderr }: CommandResult): void {
  const why = /^setpriv: failed to execute .*: (.*)$/m.exec(stderr)?.[1];
  if (why === undefined || exitCode === null || !notExecuted.includes(exitCode)) return;
  throw new UserError(`${program} cannot be started: ${why}. Correct its path or its permissions.`);
}

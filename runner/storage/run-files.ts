import path from 'node:path';
import { trialFile } from '../contract/trial.ts';
import { DamagedFileError, parseVersioned } from '../contract/versioned-file.ts';
import { entriesBelow, stateOf } from '../files/look.ts';
import { readTextIfThere } from '../files/read.ts';
import { durableSumsIn, readSums, type Sums, sumsFile, sumsText } from '../files/sums.ts';
import type { KnownFolder } from '../files/open-folder.ts';
import { writeFileIn } from '../files/write.ts';

/** Names of the files in a run's folder; docs/results.md describes what they hold. */
export const runFiles = {
  run: 'run.json',
  inputs: 'inputs',
  steps: 'steps.jsonl',
  result: 'result.json',
  trials: 'trials',
} as const;
/** Folder with the experiment file and the files that it names, in the same relative places. */
export const inputFilesFolder = `${runFiles.inputs}/files`;
/** The plan of the run, among its inputs. */
export const planFile = `${runFiles.inputs}/plan.json`;
/** Names in the folder of a trial, which is below `trials/`. */
export const trialFiles = { trial: 'trial.json', later: 'later' } as const;

/** Files that are made from the others, and may be made again. */
const derivedFiles: readonly string[] = ['report.html', 'report.md', 'report.json', 'pairs.csv'];
/** Folder of the pictures beside report.md, which are made from the others, too. */
export const chartsFolder = 'charts';

/** Whether a file in the folder of pictures has a name such as we give them. */
export function isChartName(file: string): boolean {
  return /^[a-z][a-z0-9-]*\.svg$/.test(file);
}

function isDerived(file: string): boolean {
  return derivedFiles.includes(file) || (path.dirname(file) === chartsFolder && isChartName(path.basename(file)));
}

/**
 * Relative paths of the files of a run, in the order in which they are uploaded to a bucket. Files of trials come
 * first, so that result.json never refers to a trial that is not there yet. In a folder, JSON comes last, since it
 * refers to the series beside it. The manifest comes last of all. Links and our own notes, whose names begin with a
 * dot, are left out.
 *
 * If a trial did not finish, the folders below its own, such as its transaction logs, are left out: they may be large,
 * and count for nothing.
 */
export async function filesOfRun(folder: string): Promise<string[]> {
  const files = await shownFilesBelow(folder);
  const filesOfTrials = files.filter(
    (file) => file.startsWith(`${runFiles.trials}/`) && file.split(path.sep).length > 2,
  );
  const others = files.filter((file) => !filesOfTrials.includes(file));
  return [
    ...filesOfTrials.filter((file) => isFileOfTrialItself(file) || isFinished(path.join(folder, trialFolderOf(file)))),
    ...others.filter((file) => file !== sumsFile),
    ...others.filter((file) => file === sumsFile),
  ];
}

/** Relative paths of the files in the folder of a trial that `filesOfRun` would name, all below `trials/`. */
export async function filesOfTrial(folder: string, id: string, isFinished: boolean): Promise<string[]> {
  const own = `${runFiles.trials}/${id}`;
  const files = (await shownFilesBelow(path.join(folder, own))).map((file) => `${own}/${file}`);
  return files.filter((file) => isFinished || isFileOfTrialItself(file));
}

/** Whether a file belongs in a manifest: it is neither made from others, nor the manifest or a signature of it. */
export function isSealable(file: string): boolean {
  return !isDerived(file) && !file.startsWith(sumsFile);
}

/** Whether this is the output of a program that belongs to no trial, such as loading. */
export function isLog(file: string): boolean {
  return path.dirname(file) === '.' && path.extname(file) === '.log';
}

async function shownFilesBelow(folder: string): Promise<string[]> {
  const entries = await entriesBelow(folder);
  return entries
    .filter(({ name, isFile }) => isFile && !path.basename(name).startsWith('.'))
    .map(({ name }) => name)
    .sort(jsonLast);
}

function jsonLast(a: string, b: string): number {
  const [one, other] = [a, b].map((file) =>
    path.join(path.dirname(file), `${isJson(file) ? 1 : 0}${path.basename(file)}`),
  );
  return (one ?? '') < (other ?? '') ? -1 : 1;
}

function isJson(file: string): boolean {
  return path.extname(file) === '.json';
}

function trialFolderOf(file: string): string {
  return file.split(path.sep).slice(0, 2).join(path.sep);
}

function isFileOfTrialItself(file: string): boolean {
  return path.dirname(file) === trialFolderOf(file);
}

function isFinished(trialFolder: string): boolean {
  const file = path.join(trialFolder, trialFiles.trial);
  const text = readTextIfThere(file, { links: 'refused' });
  try {
    return text !== null && parseVersioned(text, file, trialFile).state === 'finished';
  } catch (error) {
    if (error instanceof DamagedFileError) return false;
    throw error;
  }
}

/** The manifest of a run that is being written. */
export interface Manifest {
  /** Makes files durable, whoever wrote them, and then adds them with their present content. */
  seal(names: readonly string[]): Promise<void>;
  /**
   * Writes files that may already be in the manifest, and adds them. If pgduet is killed in between, they are not in
   * the manifest. Such a file does not count, but it is not mistaken for one that someone has changed either.
   */
  replace(names: readonly string[], write: () => Promise<void>): Promise<void>;
  /** Removes files from the manifest that will be removed or written again. */
  unseal(names: readonly string[]): Promise<void>;
}

export function manifestOf(folder: KnownFolder): Manifest {
  const read = (): Sums | null => readSums(folder.path);
  const write = (sums: Sums): Promise<void> => writeFileIn(folder, sumsFile, sumsText(sums));
  async function unseal(names: readonly string[]): Promise<void> {
    const sums = new Map(read());
    const taken = names.filter((name) => sums.delete(name));
    if (taken.length > 0) await write(sums);
  }
  async function seal(names: readonly string[]): Promise<void> {
    const added = await durableSumsIn(folder, names);
    await write(new Map([...(read() ?? []), ...added]));
  }
  return {
    seal,
    unseal,
    async replace(names, work) {
      await unseal(names);
      await work();
      await seal(names);
    },
  };
}

/** Reads the manifest of a folder, which may grow meanwhile. It is read again only if it has changed. */
export function sumsOf(folder: string): () => Sums | null {
  let known: { state: string; sums: Sums | null } | null = null;
  return () => {
    const state = stateOf(path.join(folder, sumsFile));
    if (known?.state !== state) known = { state, sums: readSums(folder) };
    return known.sums;
  };
}

import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import type { Experiment } from '../contract/experiment/schema.ts';
import { runFile } from '../contract/run-record.ts';
import { parseVersioned } from '../contract/versioned-file.ts';
import { exists, isFile, isLink } from '../files/look.ts';
import { type Environment, isOwnMark } from '../files/own-mark.ts';
import { controlOfOthers } from '../files/owners.ts';
import { readTextWhole } from '../files/read.ts';
import { hashOfFile, sumOf } from '../files/sums.ts';
import { type FileHashes, hashFiles } from '../workloads/loaded-with.ts';
import { filesOf } from '../workloads/of-variants.ts';
import type { LoadedExperiment } from './file/load.ts';

/** What a run executes: an experiment is code, and so is every file that it names. */
export interface Code {
  /** Absolute path of the experiment file; null if the command has made the experiment from its options. */
  file: string | null;
  /** Of the experiment; empty if the command has made it. */
  text: string;
  /** That the names are relative to. */
  folder: string;
  /** Files that the workload and the parameters name, and those that these are seen to read. */
  names: readonly string[];
}

/** A file of somebody else. */
export interface ForeignFile {
  file: string;
  /** In words that follow the name, such as `belongs to bob (id 1001)`. */
  why: string;
}

export function codeOf({ experiment, path: file, text, others }: LoadedExperiment): Code {
  return { file, text, folder: path.dirname(file), names: namesOf(experiment, others) };
}

/**
 * The same of options that the command has made an experiment of. They are the user's own words, but the files that they
 * name may be somebody else's.
 *
 * @param folder of the file that it stands for
 */
export function codeOfOptions(
  { experiment, others }: Pick<LoadedExperiment, 'experiment' | 'others'>,
  folder: string,
): Code {
  return { file: null, text: '', folder, names: namesOf(experiment, others) };
}

function namesOf(experiment: Pick<Experiment, 'workload' | 'variants'>, others: readonly string[]): string[] {
  const named = filesOf(experiment).all;
  return [...new Set([...named, ...others.filter(isFile), ...filesOfParameters(experiment.variants)])];
}

/** Files that parameters name by their whole paths, such as the program of a command. Libraries go without their ending. */
function filesOfParameters(variants: Experiment['variants']): string[] {
  const values = Object.values(variants).flatMap(({ engine }) => Object.values(engine.parameters));
  const paths = values.flatMap((value) => (typeof value === 'string' ? value.split(betweenPaths) : []));
  return paths.filter((one) => path.isAbsolute(one)).flatMap((one) => [one, `${one}.so`].filter(isThere));
}

const betweenPaths = /[\s'",;|&()<>=]+/;

function isThere(file: string): boolean {
  try {
    return isFile(file);
  } catch {
    // What we cannot reach, we cannot run either.
    return false;
  }
}

/**
 * The files of an experiment that somebody else wrote or could change: they belong to a user who is not trusted, or lie in
 * the folder of a run that this user did not make on this machine. It reads only files of such folders.
 */
export function foreignFiles({ file, folder, names }: Code, environment: Environment): ForeignFile[] {
  const files = [...(file === null ? [] : [file]), ...names.map((name) => path.resolve(folder, name))];
  return [...new Set(files)].filter(exists).flatMap((one) => {
    const why = controlOfOthers(one) ?? whyForeignRun(one, environment);
    return why === null ? [] : [{ file: one, why }];
  });
}

/**
 * What stands for the code of an experiment: a change of any file gives another one. It is as long as it must be, since
 * whoever wrote the files could look for two of them with the same beginning of a hash.
 *
 * @param files hashes of the files that the workload names
 */
export function codeHash(text: string, files: FileHashes): string {
  const named = Object.entries(files).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sumOf(JSON.stringify(['code of an experiment', sumOf(text), named])).slice(0, 40);
}

/** Whose files an experiment has, in one sentence. */
export function foreignWords(foreign: readonly ForeignFile[]): string {
  const all = foreign.map(({ file, why }) => `${shownFile(file)} ${why}`);
  return `Not all of this experiment is yours, and it can run any program: ${all.join('; ')}.`;
}

/** The name of a file in one line: it may have line breaks. */
export function shownFile(file: string): string {
  return file.replaceAll(/[\n\t]/g, ' ');
}

/**
 * What refuses code of somebody else.
 *
 * @param given what the user says its hash is, if anything
 * @param word what the user says it by, such as `--trust `
 */
export function trustRefusal(
  foreign: readonly ForeignFile[],
  { hash, answered, word }: { hash: string; answered: string | undefined; word: string },
): UserError {
  const changed = answered === undefined ? '' : `${word}${answered} is the hash of other files than the present ones. `;
  return new UserError(
    `${changed}${foreignWords(foreign)} Read its files first. To run it as it is now, add:\n  ${word}${hash}`,
  );
}

/**
 * The same for a deploy, whose driver runs what is here now.
 *
 * @throws {UserError} if it has files of somebody else, and the user does not give its hash
 */
export function requireTrusted(
  loaded: LoadedExperiment,
  answered: string | undefined,
  { word, environment }: { word: string; environment: Environment },
): void {
  const code = codeOf(loaded);
  const foreign = foreignFiles(code, environment);
  if (foreign.length === 0) return;
  const hash = codeHash(code.text, hashFiles(code.names, code.folder));
  if (answered !== hash) throw trustRefusal(foreign, { hash, answered, word });
}

/** Why a file that lies in the folder of a run is somebody else's; null if it is in none, or as this user's run kept it. */
function whyForeignRun(file: string, environment: Environment): string | null {
  const run = runAround(file);
  return run === null || isKeptByOwnRun(file, run, environment)
    ? null
    : `is part of ${run}, which was not measured here`;
}

/** Whether a folder holds a run that can be repeated from it, and that this user did not make on this machine. */
export function isRunFromElsewhere(folder: string, environment: Environment): boolean {
  const inputs = inputsOf(folder);
  return inputs !== null && !isOwnMark(inputs.origin, codeHash(inputs.text, inputs.files), environment);
}

/** The folder of the run among whose inputs a file is; null if there is none. */
function runAround(file: string): string | null {
  for (let inside = path.dirname(file); inside !== path.dirname(inside); inside = path.dirname(inside)) {
    const run = path.dirname(inside);
    if (path.basename(inside) === 'inputs' && exists(path.join(run, 'run.json'))) return run;
  }
  return null;
}

/** Whether this user made the run, and the file is one of its inputs, as it was. */
function isKeptByOwnRun(file: string, run: string, environment: Environment): boolean {
  const inputs = inputsOf(run);
  if (inputs === null || isRunFromElsewhere(run, environment)) return false;
  const { written, files } = inputs;
  if (file === written) return true;
  const kept = Object.entries(files).find(([name]) => path.resolve(path.dirname(written), name) === file);
  // A large file is only linked to: the owner of what the link leads to was looked at.
  return kept !== undefined && (isLink(file) || hashOfFile(file) === kept[1]);
}

interface Inputs {
  /** Path of the experiment file in the folder of the run. */
  written: string;
  text: string;
  files: FileHashes;
  origin: string | undefined;
}

/** What a run was made from; null if it does not say that, or cannot be read. */
function inputsOf(run: string): Inputs | null {
  const source = path.join(run, 'run.json');
  try {
    const { experiment, tool, origin } = parseVersioned(readTextWhole(source, { links: 'refused' }), source, runFile);
    if (experiment.file === undefined || !tool) return null;
    const written = path.resolve(run, experiment.file);
    return { written, text: readTextWhole(written, { links: 'refused' }), files: tool.files, origin };
  } catch (error) {
    if (error instanceof UserError || (error instanceof Error && 'code' in error)) return null;
    throw error;
  }
}

import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { UserError } from '../../contract/errors.ts';
import { type RunRecord, runFile } from '../../contract/run-record.ts';
import { parseVersioned } from '../../contract/versioned-file.ts';
import { ownFile } from '../../files/own-files.ts';
import { exists, isFile, namesIn, realPath } from '../../files/look.ts';
import { runFolderAt } from '../../files/named-run.ts';
import { readFileWhole, readTextWhole } from '../../files/read.ts';
import { agreementOf, disagreementOf, readSums } from '../../files/sums.ts';
import { nearWords } from './near-words.ts';
import type { BuiltByVariant } from './recorded-code.ts';
import { ExperimentSource } from './source.ts';

/** Folder in which experiments are looked up by name: in the user's own folder, and then among those that pgduet brings. */
export const experimentsFolder = 'experiments';

/** What the run to repeat was made with. */
export interface RepeatedRun {
  profile: string;
  seed: number;
  /** SHA-256 of the workload's files, by their names there. */
  files: Readonly<Record<string, string>>;
  /** Volumes of its local variants; undefined if they were not local, or if the kind is unknown. */
  volumes: RunRecord['place']['volumesKind'];
  /** What it built, by variant. */
  built: BuiltByVariant;
  /** What relative paths of source code start from; undefined if it built nothing. */
  codeFolder: string | undefined;
  /** Folder that holds the files of the run, the large ones as links. Nothing of the run lies elsewhere. */
  inputs: string;
}

export interface FoundExperiment {
  /** Absolute path of the experiment file. */
  file: string;
  /** The name by which it was looked up; absent if the user gave a path. */
  name?: string;
  /** Absent if the user named an experiment or its file instead of a run. */
  run?: RepeatedRun;
  /** What the file would hold; absent if it exists. */
  text?: string;
}

/**
 * Finds an experiment by its name, by the path of its file, or by a run that is to be repeated (files/named-run.ts). The
 * ending of the file may be left out, or be added to the name.
 *
 * @throws {UserError} if there is no such experiment; names similar ones, or all if none is similar
 */
export function findExperiment(named: string, folder: string): FoundExperiment {
  const at = path.resolve(folder, named);
  const name = nameOfFile(named);
  const byName = isBare(named) ? placesOfExperiments(folder).map((place) => path.join(place, `${name}.yaml`)) : [];
  const [own = [], ...brought] = byName;
  const files = ending.test(named) ? [at, ...byName] : [own, `${at}.yaml`, `${at}.yml`, brought].flat();
  const file = files.find(isFile);
  if (file !== undefined) return byName.includes(file) ? { file, name } : { file };
  const run = runFolderAt(at);
  if (exists(path.join(run, 'run.json'))) return experimentOfRun(realPath(run), named);
  throw new UserError(notFoundWords(named, experimentNames(folder)), { failure: 'unknown-experiment' });
}

function notFoundWords(named: string, known: readonly string[]): string {
  const near = nearWords(nameOfFile(named), known).slice(0, 3);
  const isName = isBare(named) && !ending.test(named);
  const remedies = {
    name: `The experiments in ${experimentsFolder}/ and those that pgduet brings are: ${known.join(', ')}.`,
    path: 'Specify a path to a YAML file, a name, or the folder of a run to repeat, such as results/quick/latest.',
  };
  const remedy = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : remedies[isName ? 'name' : 'path'];
  return isName ? `Experiment "${named}" not found. ${remedy}` : `No experiment file at ${named}. ${remedy}`;
}

/** Whether it can be the name of an experiment: a path leads through a folder. */
function isBare(named: string): boolean {
  return path.basename(named) === named;
}

const ending = /\.ya?ml$/;

/** The name that an experiment has in a file of this path. */
export function nameOfFile(file: string): string {
  return path.basename(file).replace(ending, '');
}

/**
 * @param folder without symbolic links: `latest` points to another run as soon as one begins
 * @param shown the folder as the user wrote it
 */
function experimentOfRun(folder: string, shown: string): FoundExperiment {
  const record = path.join(folder, 'run.json');
  const { experiment, tool, place, variants } = parseVersioned(readSealed(folder, 'run.json'), record, runFile);
  const inputs = path.join(folder, 'inputs');
  const named = path.resolve(folder, experiment.file ?? 'inputs');
  const file = exists(named) ? realPath(named) : named;
  // A run that came from someone else must not refer to a file elsewhere, neither by its path nor by a link.
  if (!file.startsWith(inputs + path.sep) || !isFile(file)) {
    throw new UserError(
      `${shown} does not contain the experiment file of its run, so the run cannot be repeated from there. Name the experiment instead.`,
    );
  }
  readSealed(folder, path.relative(folder, file));
  const { profile, seed } = experiment;
  const built = Object.fromEntries(variants.flatMap(({ name, built: one }) => (one ? [[name, one]] : [])));
  const codeFolder = experiment.codeFolder === undefined ? undefined : path.resolve(folder, experiment.codeFolder);
  return {
    file,
    run: { profile, seed, files: tool?.files ?? {}, volumes: place.volumesKind, built, codeFolder, inputs },
  };
}

/**
 * The text of a file of the run. Files that the workload names are checked against their hashes in run.json instead.
 *
 * @throws {UserError} if the run has a manifest, and the file does not match it
 */
function readSealed(folder: string, name: string): string {
  const file = path.join(folder, name);
  const bytes = readFileWhole(file, { links: 'refused' });
  const error = disagreementOf(file, agreementOf(readSums(folder), name, bytes));
  if (error) throw error;
  return bytes.toString('utf8');
}

/**
 * Names of the experiments in `experiments/` of a folder and of those that pgduet brings, sorted, each once. What is not
 * a file, such as a link to nothing, is none: it must not keep anyone from seeing the others.
 */
export function experimentNames(folder: string): string[] {
  const files = placesOfExperiments(folder).flatMap((place) =>
    namesIn(place).filter(
      (name) => name.endsWith('.yaml') && exists(path.join(place, name)) && isFile(path.join(place, name)),
    ),
  );
  const names = files.map((file) => file.slice(0, -'.yaml'.length));
  return [...new Set(names)].sort();
}

/** Where experiments are looked up by name, the user's own first. */
function placesOfExperiments(folder: string): string[] {
  const own = path.join(folder, experimentsFolder);
  const brought = ownFile(experimentsFolder);
  return own === brought ? [own] : [own, brought];
}

/**
 * Says that a name does not mean the experiment that pgduet brings, but another one of the user's own; null if it does.
 * A copy that says the same hides nothing.
 *
 * @throws {UserError} if one of the two files cannot be understood
 */
export function hidingWords(name: string, folder: string): string | null {
  const [own, hidden] = placesOfExperiments(folder).map((place) => path.join(place, `${name}.yaml`));
  if (own === undefined || hidden === undefined || !isFile(own) || !isFile(hidden)) return null;
  const [value, hiddenValue] = [own, hidden].map((file) => new ExperimentSource(readTextWhole(file), file).value);
  if (isDeepStrictEqual(value, hiddenValue)) return null;
  return `${experimentsFolder}/${name}.yaml overrides pgduet’s built-in experiment of the same name. To use both, rename yours.`;
}

import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { nearWords } from './nearest.ts';
import { UserError } from '../../contract/errors.ts';

/** Folder in which experiments are looked up by name. */
export const experimentsFolder = 'experiments';

/** @throws {UserError} if there is no such experiment; names similar ones, or all if none is similar */
export function findExperimentFile(nameOrPath: string, folder: string): string {
  const isPath = /[/\\]|\.ya?ml$/.test(nameOrPath);
  const file = isPath ? path.resolve(folder, nameOrPath) : path.join(folder, experimentsFolder, `${nameOrPath}.yaml`);
  if (existsSync(file) && statSync(file).isFile()) return file;
  if (isPath) throw new UserError(`No experiment file at ${nameOrPath}. Give a path to a YAML file, or a name.`);
  const known = experimentNames(folder);
  const near = nearWords(nameOrPath, known);
  const remedy =
    near.length > 0
      ? `Did you mean ${near.slice(0, 3).join(' or ')}?`
      : known.length > 0
        ? `There are: ${known.join(', ')}.`
        : `There is no folder ${experimentsFolder}/ with experiments here; run from the project's folder or give a path.`;
  throw new UserError(`No experiment "${nameOrPath}". ${remedy}`);
}

/** Names of the experiments below a project's folder, sorted. */
export function experimentNames(folder: string): string[] {
  const directory = path.join(folder, experimentsFolder);
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length))
    .sort();
}

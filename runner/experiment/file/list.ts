import path from 'node:path';
import { problemOf } from '../../contract/errors.ts';
import { readTextWhole } from '../../files/read.ts';
import { placeOfStorage } from '../../places/registry.ts';
import type { PlaceDefinition } from '../../places/definition.ts';
import { experimentNames, findExperiment, hidingWords } from './find.ts';
import { fullProfile } from './load.ts';
import { applyProfile, foldCommon, isMap, type Plain, profileNames, valueAt } from './profiles.ts';
import { ExperimentSource } from './source.ts';

/** An experiment file, as far as a list shows it. */
export interface ListedExperiment {
  name: string;
  /** Absolute path of the file. */
  file: string;
  /** Empty if the file has none. */
  question: string;
  /** Each with the place where it would run. Empty if the file cannot be understood: `plan` says why. */
  profiles: { name: string; place: PlaceDefinition }[];
  /** That it hides another experiment, in words; null if it does not. */
  hiding: string | null;
}

/** The experiments that there are, by name. They are not checked: `plan` does that, and takes a hundred times as long. */
export function listExperiments(folder: string): ListedExperiment[] {
  return experimentNames(folder).map((name) => {
    const { file } = findExperiment(name, folder);
    const value = valueOf(file);
    const question = valueAt(value, ['question']);
    const hiding = unlessWrong(() => hidingWords(name, folder)) ?? null;
    return { name, file, question: typeof question === 'string' ? question : '', profiles: profilesOf(value), hiding };
  });
}

/** @throws {UserError} if there is no such experiment */
export function profilesOfExperiment(name: string, folder: string): string[] {
  return profilesOf(valueOf(findExperiment(name, folder).file)).map((profile) => profile.name);
}

function valueOf(file: string): Plain {
  return unlessWrong(() => new ExperimentSource(readTextWhole(file), path.basename(file)).value) ?? null;
}

function profilesOf(value: Plain): ListedExperiment['profiles'] {
  return [...new Set([fullProfile, ...profileNames(value)])].flatMap((name) => {
    const place = unlessWrong(() => placeOfVariants(foldCommon(applyProfile(value, name))));
    return place ? [{ name, place }] : [];
  });
}

/** All variants of an experiment have the same place, so that of the first one is enough. */
function placeOfVariants(experiment: Plain): PlaceDefinition | undefined {
  const variants = valueAt(experiment, ['variants']);
  const [first] = isMap(variants) ? Object.values(variants) : [];
  const type = valueAt(first, ['storage', 'type']);
  return typeof type === 'string' ? placeOfStorage({ type }) : undefined;
}

function unlessWrong<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (problemOf(error)) return undefined;
    throw error;
  }
}

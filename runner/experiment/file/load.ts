import { type Warning, warningsOf } from '../../contract/warnings.ts';
import { randomInt } from 'node:crypto';
import path from 'node:path';
import { whyNoFolder } from '../../files/look.ts';
import { atOnce, type InParts, partByPart } from '../../files/in-parts.ts';
import { readTextWhole } from '../../files/read.ts';
import { checkFiles } from './check-files.ts';
import { findExperiment, hidingWords, nameOfFile, type FoundExperiment, type RepeatedRun } from './find.ts';
import { judgeForm } from './judge-form.ts';
import { nearest } from './near-words.ts';
import { ExperimentProblems, type Problem, withoutConsequences, wordOf } from './problems.ts';
import { expandMatrix } from './matrix.ts';
import { applyProfile, combinedProfiles, foldCommon, profileNames, valueAt } from './profiles.ts';
import { checkRules } from '../rules/rules.ts';
import type { Experiment, WrittenExperiment } from '../../contract/experiment/schema.ts';
import { designWarnings } from '../plan/start.ts';
import { withFilesOfFolders } from './prepared-files.ts';
import { withRecordedCommits } from './recorded-code.ts';
import { ExperimentSource } from './source.ts';
import { UserError } from '../../contract/errors.ts';
import type { QuietMachine } from '../../contract/quiet-machine.ts';

export interface LoadedExperiment {
  experiment: Experiment;
  /** The profile that was applied, or several with commas. */
  profile: string;
  /** All profiles of the file. */
  profiles: string[];
  /** The experiment in each of them, by its name, as the file has it: perhaps without a seed. */
  inProfiles: ReadonlyMap<string, WrittenExperiment>;
  /** Absolute path of the file; scripts that it names are relative to its folder. */
  path: string;
  /** All that the file holds. */
  text: string;
  /** Paths of files that the workload does not name, but its files are seen to read. */
  others: readonly string[];
  /** Things that are allowed, but that the user should know about. */
  warnings: Warning[];
  /** Whether neither the user nor the file or the repeated run names the seed. */
  isSeedDrawn: boolean;
  /** The run to repeat, if its folder was named. The files that data is loaded from have not been compared yet. */
  repeated?: RepeatedRun | undefined;
}

interface LoadOptions {
  folder: string;
  profile?: string | undefined;
  /** The profile if neither `profile` nor a repeated run names one. @default full */
  defaultProfile?: string;
  seed?: number | undefined;
  quietMachine?: QuietMachine | undefined;
  volumes?: string | undefined;
  /** @default none */
  filesIn?: readonly string[] | undefined;
  drawSeed?: (experiment: WrittenExperiment, profile: string) => number;
}

/** The profile that applies the file as it is, without overrides. */
export const fullProfile = 'full';

/** The profile that a run on this machine takes, if the experiment has it. */
export const localProfile = 'local';

/**
 * The one that it takes instead, if the experiment has it and this machine cannot limit volumes: it asks what plain
 * folders can answer.
 */
export const foldersProfile = 'folders';

/**
 * Reads an experiment by name (NAME.yaml below `folder`/experiments), by path, or from the folder of a run that is to
 * be repeated, and applies one profile, or several as in `control,smoke`. A run is repeated with its profile and its
 * seed.
 *
 * @param named an experiment that is in no file may have its text with it
 * @param options.seed replaces the seed in the file
 * @param options.quietMachine replaces the rule in the file
 * @param options.filesIn folders in which it may name files that not everybody may read, besides its own folder
 * @param options.volumes kind of volumes for servers on this machine, if the user names one
 * @param options.drawSeed draws the seed if the options, the repeated run and the file have none
 * @throws {ExperimentProblems} with every problem of the file at once, in all of its profiles. Each has the line, the
 *   path, the wrong value and what would be right.
 */
export function loadExperiment(named: string | FoundExperiment, options: LoadOptions): LoadedExperiment {
  return atOnce(loading(named, options));
}

/**
 * The same, hearing Ctrl-C while it reads the files that the experiment names.
 *
 * @param signal ends it, with its reason
 */
export function loadInParts(
  named: string | FoundExperiment,
  options: LoadOptions,
  signal: AbortSignal,
): Promise<LoadedExperiment> {
  return partByPart(loading(named, options), signal);
}

function* loading(
  named: string | FoundExperiment,
  { drawSeed = randomSeed, ...options }: LoadOptions,
): InParts<LoadedExperiment> {
  const {
    file,
    name: lookedUp,
    run: repeated,
    text = readTextWhole(file),
  } = typeof named === 'string' ? findExperiment(named, options.folder) : named;
  // Whoever names a run, or has the text made, has named the files: those of a run must be what they were.
  const isOwnText = repeated !== undefined || (typeof named !== 'string' && named.text !== undefined);
  const bounds = isOwnText ? null : { file, workingFolder: options.folder, named: foldersNamed(options) };
  const shownPath = path.relative(options.folder, file) || file;
  const source = new ExperimentSource(text, shownPath);
  const known = [...new Set([fullProfile, ...profileNames(source.value)])];
  const profile = options.profile ?? repeated?.profile ?? options.defaultProfile ?? fullProfile;
  const unknown = combinedProfiles(profile).find((name) => !known.includes(name));

  const problems: Problem[] = [...source.problems];
  const warnings: Warning[] = [];
  const others: string[] = [];
  const inProfiles = new Map<string, WrittenExperiment>();
  let experiment: Experiment | undefined;
  let isSeedDrawn = false;
  const reported = new Set<string>();
  const inFolders = (options.volumes ?? repeated?.volumes) === 'folders';
  for (const name of source.value === null ? [] : new Set(unknown === undefined ? [...known, profile] : known)) {
    yield;
    const folded = foldCommon(applyProfile(source.value, name));
    const expanded = expandMatrix(folded);
    const { experiment: merged, groups, origins } = expanded;
    const { complete, parsed, ...form } = judgeForm(merged);
    const { load, ...rules } = checkRules(complete, inFolders);
    // A driver has only the files of the profile that was deployed.
    const files =
      name === profile && load ? yield* checkFiles(load, complete, path.dirname(file), { repeated, bounds }) : null;
    const places = [
      ...expanded.problems.map((problem) => ({ problem, within: folded })),
      ...withoutConsequences([...form.problems, ...rules.problems, ...(files?.problems ?? [])]).map((problem) => ({
        problem,
        within: merged,
      })),
    ];
    for (const { problem, within } of places) {
      const located = source.locate(problem, { merged: within, profile: name, origins });
      const { code, path: at, line, column, value, message } = located;
      // One mistake may be seen in many profiles, and a misspelt word with other words that were meant.
      const what = wordOf(problem, valueAt(within, problem.path)) ?? [value, message];
      const identityAt = (place: string): string =>
        JSON.stringify(code === 'missing' ? [place, what] : [place, line, column, what]);
      const isKnown =
        reported.has(identityAt(at)) ||
        // What the file lacks, every profile lacks.
        (code === 'missing' && reported.has(identityAt(at.replace(`profiles.${name}.`, ''))));
      if (isKnown) continue;
      reported.add(identityAt(at));
      const isOfProfile = name !== fullProfile && !at.startsWith('profiles.');
      problems.push({ ...located, message: `${message}${isOfProfile ? ` (with profile ${name})` : ''}` });
    }
    if (parsed.success) inProfiles.set(name, parsed.data);
    if (name === profile && parsed.success) {
      const declared = options.seed ?? repeated?.seed ?? parsed.data.protocol.seed;
      const seed = declared ?? drawSeed(parsed.data, name);
      isSeedDrawn = declared === undefined;
      const { protocol } = parsed.data;
      const { quietMachine = protocol.quietMachine } = options;
      const written = withFilesOfFolders(parsed.data.variants, path.dirname(file));
      const variants = repeated ? withRecordedCommits(written, repeated.built) : written;
      experiment = {
        ...parsed.data,
        variants,
        protocol: { ...protocol, seed, quietMachine },
        ...(groups && { groups }),
      };
      others.push(...(files?.others ?? []));
      if (problems.length === 0) {
        const hiding = lookedUp === undefined ? null : hidingWords(lookedUp, options.folder);
        warnings.push(
          ...warningsOf('hidden-experiment', hiding === null ? [] : [hiding]),
          ...rules.warnings,
          ...warningsOf('design', designWarnings(experiment)),
          ...warningsOf('reaches-outside', files?.warnings ?? []),
        );
      }
    }
  }
  const expectedName = nameOfFile(file);
  const statedName = valueAt(source.value, ['name']);
  if (typeof statedName === 'string' && statedName !== expectedName) {
    const message = `file name is ${path.basename(file)}; expected "${expectedName}"`;
    problems.push(source.locate({ path: ['name'], message }, { merged: source.value, profile: fullProfile }));
  }
  if (problems.length > 0) throw new ExperimentProblems(shownPath, problems);
  if (!experiment) {
    throw new UserError(
      `${shownPath} has no profile "${unknown}". It has: ${known.join(', ')}.${nearest(unknown ?? '', known, (name) => ` Did you mean "${name}"?`)}`,
    );
  }
  return {
    experiment,
    profile,
    profiles: known,
    inProfiles,
    path: file,
    text,
    others,
    warnings,
    isSeedDrawn,
    repeated,
  };
}

/** @throws {UserError} if one of them is not a folder */
function foldersNamed({ folder, filesIn = [] }: { folder: string; filesIn?: readonly string[] | undefined }): string[] {
  return filesIn.map((one) => {
    const why = whyNoFolder(path.resolve(folder, one));
    if (why !== null) throw new UserError(`--files-in ${one}: ${why}. Name a folder.`);
    return path.resolve(folder, one);
  });
}

/**
 * Every run has an order of its own: with one seed for all of them, the same accident would hit the same variant each
 * time.
 */
export function randomSeed(): number {
  return randomInt(1_000_000);
}

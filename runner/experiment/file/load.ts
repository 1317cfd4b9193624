import { randomInt } from 'node:crypto';
import path from 'node:path';
import { exists, sizeOf } from '../../files/look.ts';
import { mostBytes, readTextWhole } from '../../files/read.ts';
import { findExperiment, type FoundExperiment, type RepeatedRun } from './find.ts';
import { nearest, type Problem, problemsMessage, schemaProblems } from './problems.ts';
import {
  applyProfile,
  combinedProfiles,
  expandMatrix,
  foldCommon,
  isMap,
  type Plain,
  profileNames,
} from './profiles.ts';
import { checkRules, foreseenProblems, wellFormed } from '../rules/rules.ts';
import type { Experiment, WrittenExperiment } from '../../contract/experiment/schema.ts';
import type { RuleProblem } from '../../contract/check.ts';
import { hashFiles } from '../../workloads/loaded-with.ts';
import { toolOf } from '../../workloads/registry.ts';
import { experimentSchema } from '../schema.ts';
import { designWarnings } from '../plan/design.ts';
import { ExperimentSource } from './source.ts';
import { UserError } from '../../contract/errors.ts';
import { tools } from '../../workloads/every-tool.ts';

export interface LoadedExperiment {
  experiment: Experiment;
  /** The profile that was applied, or several with commas. */
  profile: string;
  /** All profiles of the file. */
  profiles: string[];
  /** Absolute path of the file; scripts that it names are relative to its folder. */
  path: string;
  /** All that the file holds. */
  text: string;
  /** Things that are allowed, but that the user should know about. */
  warnings: string[];
  /** The run to repeat, if its folder was named. The files that data is loaded from have not been compared yet. */
  repeated?: RepeatedRun | undefined;
}

/** The profile that applies the file as it is, without overrides. */
export const fullProfile = 'full';

/**
 * The profile that a run on this machine takes if the experiment has it and this machine cannot limit volumes: it asks
 * what plain folders can answer.
 */
export const foldersProfile = 'folders';

/**
 * Reads an experiment by name (NAME.yaml below `folder`/experiments), by path, or from the folder of a run that is to
 * be repeated, and applies one profile, or several as in `control,smoke`. A run is repeated with its profile and its
 * seed.
 *
 * @param named an experiment that is in no file may have its text with it
 * @param options.seed replaces the seed in the file
 * @param options.volumes kind of volumes for servers on this machine, if the user names one
 * @param options.drawSeed draws the seed if the options, the repeated run and the file have none
 * @throws {UserError} with every problem of the file at once, in all of its profiles. Each has the line, the path, the
 *   wrong value and what would be right.
 */
export function loadExperiment(
  named: string | FoundExperiment,
  {
    drawSeed = randomSeed,
    ...options
  }: {
    folder: string;
    profile?: string | undefined;
    /** The profile if neither `profile` nor a repeated run names one. @default full */
    usualProfile?: string;
    seed?: number | undefined;
    volumes?: string | undefined;
    drawSeed?: (experiment: WrittenExperiment, profile: string) => number;
  },
): LoadedExperiment {
  const {
    file,
    run: repeated,
    text = readTextWhole(file),
  } = typeof named === 'string' ? findExperiment(named, options.folder) : named;
  const shownPath = path.relative(options.folder, file) || file;
  const source = new ExperimentSource(text, shownPath);
  const profile = options.profile ?? repeated?.profile ?? options.usualProfile ?? fullProfile;
  const known = [...new Set([fullProfile, ...profileNames(source.value)])];
  const unknown = combinedProfiles(profile).find((name) => !known.includes(name));

  const problems: Problem[] = [...source.problems];
  const warnings: string[] = [];
  let experiment: Experiment | undefined;
  if (problems.length === 0) {
    for (const name of new Set(unknown === undefined ? [...known, profile] : known)) {
      const {
        experiment: merged,
        groups,
        origins,
        problems: wrong,
      } = expandMatrix(foldCommon(applyProfile(source.value, name)));
      const located = (problem: RuleProblem): Problem => source.locate(problem, { merged, profile: name, origins });
      const complete = withToolDefaults(merged);
      const parsed = experimentSchema.safeParse(complete, { reportInput: true });
      const rules = checkRules(complete);
      problems.push(
        ...[...wrong, ...schemaProblems(parsed.error?.issues ?? [], toolNamed(complete)), ...rules.problems].map(
          located,
        ),
      );
      if (parsed.success && rules.problems.length === 0) {
        problems.push(
          ...foreseenProblems(parsed.data, (options.volumes ?? repeated?.volumes) === 'folders').map(located),
        );
      }
      if (name === profile && parsed.success) {
        // A driver has only the files of the profile that was deployed.
        const { workload } = parsed.data;
        const files = toolOf(workload).readFiles?.(workload, path.dirname(file));
        const wrongFiles = [
          ...missingFiles(parsed.data, path.dirname(file)),
          ...(repeated ? otherFiles(parsed.data, path.dirname(file), repeated) : []),
          ...(files?.problems ?? []),
        ];
        problems.push(...wrongFiles.map(located));
        const seed = options.seed ?? repeated?.seed ?? parsed.data.protocol.seed ?? drawSeed(parsed.data, name);
        experiment = { ...parsed.data, protocol: { ...parsed.data.protocol, seed }, ...(groups && { groups }) };
        warnings.push(...rules.warnings, ...designWarnings(experiment), ...(files?.warnings ?? []));
      }
    }
    const expectedName = path.basename(file).replace(/\.ya?ml$/, '');
    const statedName = experiment?.name;
    if (statedName !== undefined && statedName !== expectedName) {
      problems.push(
        source.locate(
          { path: ['name'], message: `the file is called ${path.basename(file)}; expected "${expectedName}"` },
          { merged: { name: statedName }, profile: fullProfile },
        ),
      );
    }
  }
  if (problems.length > 0) throw new UserError(problemsMessage(shownPath, problems));
  if (!experiment) {
    throw new UserError(
      `${shownPath} has no profile "${unknown}". It has: ${known.join(', ')}.${nearest(unknown ?? '', known, (name) => ` Did you mean "${name}"?`)}`,
    );
  }
  return { experiment, profile, profiles: known, path: file, text, warnings, repeated };
}

/**
 * Every run has an order of its own: with one seed for all of them, the same accident would hit the same variant each
 * time.
 */
export function randomSeed(): number {
  return randomInt(1_000_000);
}

/** Files that the workload names but that do not exist: the user should not learn this only after hours of loading. */
function missingFiles({ workload }: WrittenExperiment, folder: string): RuleProblem[] {
  return toolOf(workload)
    .files(workload)
    .filter((file) => !exists(path.resolve(folder, file)))
    .map((file) => ({
      path: ['workload'],
      showValue: false,
      message: `names the file ${file}, which is not in ${folder}; paths are relative to the experiment file`,
    }));
}

export const otherFileRemedy =
  'its SHA-256 differs from the one in run.json. Restore the file, or copy the experiment and start a run of your own';

/**
 * Files that are not those of the run to repeat: changed since, or reached by a relative path that leads out of the
 * run's folder. A file at an absolute path is accepted if it is what the run had. Files that data is loaded from may be
 * large. They, and any other large file, are compared when the run begins.
 */
function otherFiles({ workload }: WrittenExperiment, folder: string, run: RepeatedRun): RuleProblem[] {
  const tool = toolOf(workload);
  const loadFiles = tool.loadFiles?.(workload) ?? [];
  return tool
    .files(workload)
    .filter((file) => exists(path.resolve(folder, file)))
    .flatMap((file) => {
      const whole = path.resolve(folder, file);
      const problem = (message: string): RuleProblem[] => [{ path: ['workload'], showValue: false, message }];
      if (!path.isAbsolute(file) && !whole.startsWith(run.inputs + path.sep)) {
        return problem(`names the file ${file}, which is outside the folder of the run`);
      }
      return loadFiles.includes(file) ||
        sizeOf(whole) > mostBytes ||
        hashFiles([file], folder)[file] === run.files[file]
        ? []
        : problem(`names the file ${file}, which is not the one that the run used: ${otherFileRemedy}`);
    });
}

function toolNamed(experiment: Plain): Plain | undefined {
  const workload = isMap(experiment) ? experiment['workload'] : undefined;
  return isMap(workload) ? workload['tool'] : undefined;
}

/**
 * Fills in what depends on the tool if the experiment says nothing: how databases are reset, the metric that decides,
 * and a network in which the driver can download what the tool needs.
 */
function withToolDefaults(experiment: Plain): Plain {
  if (!isMap(experiment) || !isMap(experiment['workload'])) return experiment;
  const { tool: name } = experiment['workload'];
  const tool = tools.find((one) => one.name === name);
  const { protocol = {}, decision = {} } = experiment;
  if (!tool) return experiment;
  const workload = wellFormed(tool.schema.shape, experiment['workload']);
  const reset = tool.defaultReset(workload);
  const downloads = (tool.driver.downloads?.(workload) ?? null) !== null;
  return {
    ...experiment,
    ...(isMap(protocol) && !('reset' in protocol) ? { protocol: { ...protocol, reset: [...reset] } } : {}),
    ...(isMap(decision) && !('metric' in decision) ? { decision: { ...decision, metric: tool.throughput } } : {}),
    ...(downloads && !('network' in experiment) ? { network: { mode: 'public-driver' } } : {}),
  };
}

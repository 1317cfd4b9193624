import path from 'node:path';
import type { S3Client } from '@aws-sdk/client-s3';
import { exists, isFolder, realPath } from '../../files/look.ts';
import { readTextWhole } from '../../files/read.ts';
import { nearest } from '../../experiment/file/problems.ts';
import { UserError } from '../../contract/errors.ts';
import type { Result } from '../../contract/result.ts';
import { serversAt, variantNames } from '../../contract/server.ts';
import type { ToolRun } from '../../contract/tool-output.ts';
import { mostOutputBytes, readOutput } from '../../workloads/read-output.ts';
import { type OpenS3, openS3 } from '../../storage/bucket-run.ts';
import { openAddress, openFolder, type OpenOptions } from '../open-result.ts';
import { failures } from '../../contract/check.ts';
import { countedTrials, type Losses, lossesOf } from '../counted-trials.ts';
import { failuresOfTrials } from '../validity/judge-validity.ts';
import { type Facts, levelKey, levelOf, type Trial } from '../../contract/trial.ts';
import type { Measured } from '../../metrics/value.ts';
import { toolOf } from '../../workloads/registry.ts';
import type { WorkloadShape } from '../../workloads/tool.ts';
import { declaredValues, type Side } from '../undeclared-differences.ts';

/** What one argument of `pgduet compare` names. */
export type ComparedSource = ResultSource | OutputsSource;

export interface ResultSource {
  kind: 'result';
  /** As the user typed it, without the variant. */
  name: string;
  /** Identifies the result: it does not depend on the name that the user typed. */
  location: string;
  result: Result;
  /** null if the user named none. */
  variant: string | null;
}

export interface OutputsSource {
  kind: 'outputs';
  /** File names as typed; a file may hold several runs. */
  files: string[];
  runs: ToolRun[];
}

/**
 * Reads `FOLDER` or `FOLDER#VARIANT`, where FOLDER may be an s3:// address, or `FILE,FILE...`.
 *
 * @throws {UserError} if it does not exist or is not a measurement
 */
export async function readSource(
  text: string,
  { workingFolder, ...options }: OpenOptions & { workingFolder: string; signal: AbortSignal },
  s3: OpenS3 = openS3,
): Promise<ComparedSource> {
  if (text.startsWith('s3://')) return readAddress(text, await s3(options.signal), options);
  const isThere = (name: string): boolean => exists(path.resolve(workingFolder, name));
  const hash = text.lastIndexOf('#');
  const [name, variant] = hash > 0 && !isThere(text) ? [text.slice(0, hash), text.slice(hash + 1)] : [text, null];
  const location = path.resolve(workingFolder, name);
  if (isFolder(location)) return readFolder(name, location, variant, options);
  if (path.basename(location) === 'result.json') return readFolder(name, path.dirname(location), variant, options);
  const files = isThere(text) ? [text] : text.split(',').filter((file) => file !== '');
  return readOutputs(files, workingFolder, options.signal);
}

async function readFolder(
  name: string,
  folder: string,
  variant: string | null,
  options: OpenOptions,
): Promise<ResultSource> {
  const { result } = await openFolder(folder, options);
  return resultSource({ name, location: realPath(folder), result, variant });
}

async function readAddress(text: string, s3: S3Client, options: OpenOptions): Promise<ResultSource> {
  const [name = '', variant = null] = text.split('#');
  const { result, location } = await openAddress(s3, name, options);
  return resultSource({ name, variant, result, location });
}

function resultSource(source: Omit<ResultSource, 'kind'>): ResultSource {
  const { name, result, variant } = source;
  const known = variantNames(result.variants);
  if (variant !== null && !known.includes(variant)) {
    const hint = nearest(variant, known, (word) => ` Did you mean ${word}?`);
    throw new UserError(`${name} has no variant ${variant}.${hint} It has ${known.join(', ')}.`);
  }
  return { kind: 'result', ...source };
}

async function readOutputs(files: string[], workingFolder: string, signal: AbortSignal): Promise<OutputsSource> {
  const runs: { file: string; run: ToolRun }[] = [];
  for (const file of files) {
    for (const run of await readOutput(readText(file, workingFolder), file, signal)) runs.push({ file, run });
  }
  for (const { file, run } of runs) {
    if (run.complete) continue;
    throw new UserError(
      `${file} holds a run that is not a measurement: ${run.problems.join('; ') || 'it did not end'}. Leave it out, or measure again.`,
    );
  }
  return { kind: 'outputs', files, runs: runs.map(({ run }) => run) };
}

function readText(file: string, workingFolder: string): string {
  const location = path.resolve(workingFolder, file);
  if (!exists(location)) {
    throw new UserError(
      `${file} does not exist. Name a folder that holds result.json, such as results/quick/latest, or files with outputs of pgbench.`,
    );
  }
  if (isFolder(location)) {
    throw new UserError(`${file} is a folder: only outputs of pgbench can be listed with commas.`);
  }
  return readTextWhole(location, { most: mostOutputBytes });
}

/** A side in the form that both the comparison methods and the search for differences read. */
export interface ComparableSide extends Side {
  measured: readonly (Measured & { facts: Facts })[];
  limit: WorkloadShape['limit'];
  /** Failed checks, in words. If there are any, there is no verdict. */
  failed: string[];
  /**
   * Trials that the servers lost. A failed trial has no figures, so it is not in `measured`. For outputs, nothing is
   * known.
   */
  losses: Losses;
  /** From the first start to the last end, in ISO 8601; null if not known. */
  span: { from: string; to: string } | null;
}

/**
 * Decides which side is compared with which. In two results without named variants, each variant is compared with its
 * namesake.
 *
 * @param role name of a candidate that is known only by several files
 */
export function pairSides(
  baseline: ComparedSource,
  candidate: ComparedSource,
  role: string,
): [ComparableSide, ComparableSide][] {
  if (baseline.kind === 'outputs' && candidate.kind === 'outputs') {
    const labels = [outputsLabel(baseline, 'baseline'), outputsLabel(candidate, role)] as const;
    const [first, second] = labels[0] === labels[1] ? ['baseline', role] : labels;
    return [[outputsSide(baseline, first), outputsSide(candidate, second)]];
  }
  if (baseline.kind === 'result' && candidate.kind === 'result') {
    const names =
      baseline.variant !== null && candidate.variant !== null
        ? [[baseline.variant, candidate.variant] as const]
        : namesakes(baseline, candidate).map((name) => [name, name] as const);
    return names.map(([before, after]) => [resultSide(baseline, before), resultSide(candidate, after)]);
  }
  const sideOf = (source: ComparedSource, name: string): ComparableSide =>
    source.kind === 'outputs'
      ? outputsSide(source, outputsLabel(source, name))
      : resultSide(source, onlyVariant(source));
  return [[sideOf(baseline, 'baseline'), sideOf(candidate, role)]];
}

function namesakes(baseline: ResultSource, candidate: ResultSource): string[] {
  const wanted = baseline.variant ?? candidate.variant;
  const inCandidate = new Set(variantNames(candidate.result.variants));
  const common = variantNames(baseline.result.variants).filter(
    (name) => inCandidate.has(name) && (wanted === null || name === wanted),
  );
  if (common.length === 0) {
    throw new UserError(
      `${baseline.name} and ${candidate.name} have no ${wanted === null ? 'variant' : `variant ${wanted}`} in common. Name one on each side: ${baseline.name}#VARIANT ${candidate.name}#VARIANT.`,
    );
  }
  return common;
}

function onlyVariant({ name, variant, result }: ResultSource): string {
  const names = variantNames(result.variants);
  const [first, ...others] = names;
  if (variant !== null) return variant;
  if (first !== undefined && others.length === 0) return first;
  throw new UserError(`${name} has the variants ${names.join(', ')}. Name one of them: ${name}#VARIANT.`);
}

export function resultSide(source: ResultSource, variant: string): ComparableSide {
  const { result } = source;
  const trials = lastAttempts(
    result.trials.filter(({ state, conditions }) => state === 'finished' && conditions.variant === variant),
    countedTrials(result),
  );
  const { workload } = result.experiment.definition;
  return {
    label: `${source.name}#${variant}`,
    measured: trials,
    servers: serversAt(result.variants, {}, variant),
    declared: declaredValues(result, variant),
    limit: toolOf(workload).shape(workload).limit,
    failed: failuresOfTrials(trials),
    losses: lossesOf(result.trials, variant),
    span: spanOf(trials),
  };
}

/**
 * One trial of each block at each level: the one that the run's own comparison uses, or else the last one without a
 * failed check, or else the last one. Several attempts at a block do not count as several runs.
 */
function lastAttempts(trials: readonly Trial[], counted: ReadonlySet<string>): Trial[] {
  const byPlace = new Map<string, Trial[]>();
  for (const trial of trials) {
    const place = JSON.stringify([trial.block, levelKey(levelOf(trial.conditions))]);
    byPlace.set(place, [...(byPlace.get(place) ?? []), trial]);
  }
  return [...byPlace.values()].flatMap((attempts) => {
    const latest = [...attempts].sort((a, b) => b.attempt - a.attempt);
    const isSound = ({ checks }: Trial): boolean => failures(checks).length === 0;
    return latest.find(({ id }) => counted.has(id)) ?? latest.find(isSound) ?? latest.slice(0, 1);
  });
}

function spanOf(trials: readonly Trial[]): ComparableSide['span'] {
  const from = trials.map(({ startedAt }) => startedAt).sort()[0];
  const to = trials
    .map(({ endedAt }) => endedAt)
    .sort()
    .at(-1);
  return from === undefined || to === undefined ? null : { from, to };
}

function outputsLabel({ files }: OutputsSource, role: string): string {
  return files.length === 1 ? path.basename(files[0] ?? role) : role;
}

function outputsSide({ runs }: OutputsSource, label: string): ComparableSide {
  return {
    label,
    measured: runs.map(measuredRun),
    servers: [],
    declared: new Map(),
    // pgbench prints a duration only if the run was limited by time.
    limit: runs.some(({ durationSeconds }) => durationSeconds === null) ? 'transactions' : 'time',
    span: null,
    failed: [],
    losses: { lost: 0, of: runs.length },
  };
}

function measuredRun(run: ToolRun): ComparableSide['measured'][number] {
  return toolOf(run).measuresOf(run);
}

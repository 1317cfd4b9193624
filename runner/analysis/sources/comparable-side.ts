import path from 'node:path';
import { failures } from '../../contract/check.ts';
import { countedTrials, type Losses, lossesOf } from '../counted-trials.ts';
import { failuresOfTrials } from '../validity/judge-validity.ts';
import { UserError } from '../../contract/errors.ts';
import { serversAt, variantNames } from '../../contract/server.ts';
import type { ToolRun } from '../../contract/tool-output.ts';
import { type Facts, levelKey, levelOf, type Trial } from '../../contract/trial.ts';
import type { Measured } from '../../metrics/value.ts';
import { toolOf } from '../../workloads/registry.ts';
import type { WorkloadShape } from '../../workloads/tool.ts';
import { declaredValues, type Side } from '../undeclared-differences.ts';
import type { ComparedSource, OutputsSource, ResultSource } from './source.ts';

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
 */
export function pairSides(baseline: ComparedSource, candidate: ComparedSource): [ComparableSide, ComparableSide][] {
  if (baseline.kind === 'outputs' && candidate.kind === 'outputs') {
    const labels = [outputsLabel(baseline, 'baseline'), outputsLabel(candidate, 'candidate')] as const;
    const [first, second] = labels[0] === labels[1] ? ['baseline', 'candidate'] : labels;
    return [[outputsSide(baseline, first), outputsSide(candidate, second)]];
  }
  if (baseline.kind === 'result' && candidate.kind === 'result') {
    const names =
      baseline.variant !== null && candidate.variant !== null
        ? [[baseline.variant, candidate.variant] as const]
        : namesakes(baseline, candidate).map((name) => [name, name] as const);
    return names.map(([before, after]) => [resultSide(baseline, before), resultSide(candidate, after)]);
  }
  const sideOf = (source: ComparedSource, role: string): ComparableSide =>
    source.kind === 'outputs'
      ? outputsSide(source, outputsLabel(source, role))
      : resultSide(source, onlyVariant(source));
  return [[sideOf(baseline, 'baseline'), sideOf(candidate, 'candidate')]];
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

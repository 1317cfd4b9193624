import path from 'node:path';
import { failedChecks } from '../../contract/check.ts';
import { UserError } from '../../contract/errors.ts';
import { serversAt, variantNames } from '../../contract/server.ts';
import { comparedLevel, type Facts, type Level, levelKey, levelOf, type Trial } from '../../contract/trial.ts';
import type { WithheldReason } from '../../contract/withheld.ts';
import type { Measured } from '../../metrics/value.ts';
import { type FullTool, toolOf } from '../../workloads/registry.ts';
import type { WorkloadShape } from '../../workloads/tool.ts';
import { countedTrials, type Losses, lossesOf } from '../counted-trials.ts';
import { declaredValues, type Side } from '../undeclared-differences.ts';
import { failuresOfTrials } from '../validity/judge-validity.ts';
import type { ComparedSource, OutputsSource, ResultSource } from './source.ts';

/** What says which work was offered in a run, by name; null if it is unknown. */
export type OfferedWork = Readonly<Record<string, string | number | null>>;

/** One run of a side. */
export interface SideRun extends Measured {
  facts: Facts;
  conditions: OfferedWork;
  limit: WorkloadShape['limit'];
  /** null for a raw output. */
  trial: Trial | null;
}

/** A side in the form that both the comparison methods and the search for differences read. */
export interface ComparableSide extends Side {
  measured: readonly SideRun[];
  /** What was offered in each of its runs, also in those that failed, as far as it is known. */
  offered: readonly OfferedWork[];
  limit: WorkloadShape['limit'];
  /** Failed checks. If there are any, there is no verdict. */
  failed: WithheldReason[];
  /**
   * Trials that the servers lost. A failed trial has no figures, so it is not in `measured`. For outputs, nothing is
   * known.
   */
  losses: Losses;
  /** From the first start to the last end, in ISO 8601; null if not known. */
  span: { from: string; to: string } | null;
  /** The same side with these of its runs alone, and with the losses at this level. */
  only: (runs: readonly SideRun[], level: Level) => ComparableSide;
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
  const { workload } = result.experiment.definition;
  const tool = toolOf(workload);
  const own = result.trials.filter(({ conditions }) => conditions.variant === variant);
  const finished = own.filter(({ state }) => state === 'finished');
  const { limit } = tool.shape(workload);
  // What the tool prints is rounded.
  const { latencyLimitMicros } = tool.logged(workload);
  const exact: Facts['identity'] =
    latencyLimitMicros === undefined ? {} : { latencyLimitMs: latencyLimitMicros / 1000 };
  const conditionsOf = ({ conditions, facts }: Trial): OfferedWork => {
    const { group: _, ...axes } = comparedLevel(levelOf(conditions));
    const { offeredPerSecond } = tool.shape(tool.resolveLevel(workload, axes));
    return { ...offeredIn(facts, tool), rate: offeredPerSecond, ...axes };
  };
  const sideOf = (measured: readonly SideRun[], level: Level): ComparableSide => {
    const trials = measured.flatMap(({ trial }) => trial ?? []);
    const isAtLevel = ({ conditions }: Trial): boolean =>
      Object.entries(conditions).every(([name, value]) => name === 'variant' || (level[name] ?? value) === value);
    return {
      label: `${source.name}#${variant}`,
      measured,
      offered: own.map(conditionsOf),
      servers: serversAt(result.variants, {}, variant),
      declared: declaredValues(result, variant),
      limit,
      failed: failuresOfTrials(trials),
      losses: lossesOf(own.filter(isAtLevel), variant),
      span: spanOf(trials),
      only: sideOf,
    };
  };
  return sideOf(
    lastAttempts(finished, countedTrials(result)).map((trial) => ({
      ...trial,
      facts: { ...trial.facts, identity: { ...trial.facts.identity, ...exact } },
      conditions: conditionsOf(trial),
      limit,
      trial,
    })),
    {},
  );
}

function offeredIn({ identity = {} }: Facts, { conditions }: FullTool): OfferedWork {
  return Object.fromEntries(conditions.map((name) => [name, identity[name] ?? null]));
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
    const isValidTrial = ({ checks }: Trial): boolean => failedChecks(checks).length === 0;
    return latest.find(({ id }) => counted.has(id)) ?? latest.find(isValidTrial) ?? latest.slice(0, 1);
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
  const sideOf = (measured: readonly SideRun[]): ComparableSide => ({
    label,
    measured,
    offered: measured.map(({ conditions }) => conditions),
    servers: [],
    declared: new Map(),
    limit: measured.some(({ limit }) => limit === 'transactions') ? 'transactions' : 'time',
    span: null,
    failed: [],
    losses: { lost: 0, of: measured.length },
    only: sideOf,
  });
  return sideOf(
    runs.map((run) => {
      const tool = toolOf(run);
      const { measures, facts } = tool.measuresOf(run);
      // pgbench prints a duration only if the run was limited by time.
      const limit = run.durationSeconds === null ? 'transactions' : 'time';
      return { measures, facts, conditions: offeredIn(facts, tool), limit, trial: null };
    }),
  );
}

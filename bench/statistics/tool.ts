import { compareRun } from '../../runner/analysis/compare-run.ts';
import { shiftsIn } from '../../runner/analysis/disturbance.ts';
import { estimatePaired } from '../../runner/analysis/estimate.ts';
import type { AtCrossover } from '../../runner/analysis/crossover.ts';
import { judgeFamily } from '../../runner/analysis/family.ts';
import { applyControls } from '../../runner/analysis/validity/judge-validity.ts';
import { compareSources } from '../../runner/analysis/sources/compare-sources.ts';
import { totalsOf } from '../../runner/analysis/totals.ts';
import { holdsBeside, judge } from '../../runner/analysis/verdict.ts';
import type { Verdict } from '../../runner/contract/comparison.ts';
import type { Decision, Experiment } from '../../runner/contract/experiment/schema.ts';
import type { Measures } from '../../runner/contract/metric.ts';
import type { ToolRun } from '../../runner/contract/tool-output.ts';
import type { Facts, Trial } from '../../runner/contract/trial.ts';
import { metricNamed } from '../../runner/metrics/catalogue.ts';
import type { Interval } from '../../runner/statistics/exact-interval.ts';
import { decideToStop, type Look } from '../../runner/statistics/sequential.ts';

/** What the bench asks of the code that judges real experiments: all calls that decide are in this file. */
export interface Pair extends AtCrossover {
  baseline: number;
  candidate: number;
}

export interface Decided {
  verdict: Verdict;
  interval: Interval | null;
}

/** The defaults of an experiment. */
export const decision: Decision = { metric: 'tps', practicalThreshold: 0.05, level: 0.95 };

/** Judges candidates of one experiment together, each by its pairs. */
export function decide(family: readonly (readonly Pair[])[], by: Decision = decision): Decided[] {
  const members = family.map((pairs) => {
    const known = new Map<number, ReturnType<typeof estimatePaired>>();
    const estimateAt = (level: number): ReturnType<typeof estimatePaired> => {
      const estimate = known.get(level) ?? estimatePaired(pairs, 'ratio', { level });
      known.set(level, estimate);
      return estimate;
    };
    return { level: by.level, estimateAt };
  });
  return judgeFamily(members).map((judged, index) => ({
    verdict: judge(judged, totalsOf(family[index] ?? []), { better: 'higher', compared: 'ratio' }, by).verdict,
    interval: judged.estimate.interval,
  }));
}

/** Judges one candidate by itself. */
export function decideAlone(pairs: readonly Pair[], by: Decision = decision): Decided {
  const [decided] = decide([pairs], by);
  if (!decided) throw new Error('nothing was judged');
  return decided;
}

/** A pair of trials, and what the machine reported of each. */
export interface ObservedPair extends Pair {
  reported: Record<'baseline' | 'candidate', { measures: Measures; facts?: Facts }>;
}

/** The verdict on trials that may have been measured beside other programs, and whether it holds only beside them. */
export function decideBeside(
  pairs: readonly ObservedPair[],
  by: Decision = decision,
): { verdict: Verdict; isCondition: boolean } {
  const observed = pairs.map(({ baseline, candidate, reported }, index) => {
    const [before, after] = [trialOf('baseline', index, baseline), trialOf('candidate', index, candidate)];
    const sides = {
      baseline: { ...before, ...reported.baseline, measures: { ...reported.baseline.measures, tps: baseline } },
      candidate: { ...after, ...reported.candidate, measures: { ...reported.candidate.measures, tps: candidate } },
    };
    return {
      pair: {
        baseline,
        candidate,
        trials: [{ block: index, attempt: 1, ids: { baseline: before.id, candidate: after.id } }],
      },
      block: { block: index, attempt: 1, replica: undefined, period: 1, ...sides },
    };
  });
  const shifts = shiftsIn(
    observed.map(({ block }) => block),
    metricNamed('tps'),
  );
  const estimateAt = (level: number) =>
    estimatePaired(
      observed.map(({ pair }) => pair),
      'ratio',
      { level, shifts },
    );
  const [judged] = judgeFamily([{ level: by.level, estimateAt }]);
  if (!judged) throw new Error('nothing was judged');
  const { verdict } = judge(judged, totalsOf(pairs), { better: 'higher', compared: 'ratio' }, by);
  return { verdict, isCondition: !holdsBeside(judged.estimate, 'quiet') };
}

/**
 * Whether `until: precision` stops after so many blocks.
 *
 * @param values log-ratios of each candidate, of its blocks that count
 * @returns null if it continues; otherwise the intervals at the stop
 */
export function stopsForPrecision(
  values: readonly (readonly number[])[],
  blocks: number,
  looks: readonly Look[],
): (Interval | null)[] | null {
  const widest = Math.log1p(decision.practicalThreshold);
  const decided = values.map((of) => decideToStop(of, looks, { blocks, widest, comparisons: values.length }));
  return decided.every(({ stop }) => stop) ? decided.map(({ interval }) => interval) : null;
}

/** The verdict on raw outputs that do not say when they were measured. */
export function verdictOnOutputs(pairs: readonly Pair[], paired: boolean): Verdict | null {
  const [baseline, candidate] = [pairs.map((pair) => pair.baseline), pairs.map((pair) => pair.candidate)].map(
    (values, side) => ({
      kind: 'outputs' as const,
      files: [side === 0 ? 'before.txt' : 'after.txt'],
      runs: values.map(outputOf),
    }),
  );
  if (!baseline || !candidate) throw new Error('there are two sides');
  const { comparisons } = compareSources(baseline, candidate, { paired, decision });
  return comparisons.find(({ primary }) => primary)?.verdict ?? null;
}

function outputOf(tps: number): ToolRun {
  return {
    tool: 'pgbench',
    clientVersion: null,
    serverVersion: null,
    clients: 8,
    threads: 2,
    scale: 10,
    scripts: [],
    transactions: null,
    failedTransactions: 0,
    skippedTransactions: null,
    retriedTransactions: null,
    durationSeconds: 60,
    tps,
    latencyAverageSeconds: null,
    latencyStddevSeconds: null,
    complete: true,
    problems: [],
  };
}

/** The verdict on a run of such an experiment that ended after these pairs of trials, of `baseline` and `candidate`. */
export function verdictOnRun(definition: Experiment, pairs: readonly Pair[]): Verdict | null {
  return verdictsOnVariants(definition, { candidate: pairs })['candidate'] ?? null;
}

/**
 * The verdicts on a run of such an experiment by name of the variant, after its end and its checks.
 *
 * @param variants the pairs of each with the one baseline; one that is called `control` is the baseline once more
 */
export function verdictsOnVariants(
  experiment: Experiment,
  variants: Readonly<Record<string, readonly Pair[]>>,
): Record<string, Verdict | null> {
  const baselines = Object.values(variants)[0] ?? [];
  const trials = baselines.flatMap(({ baseline }, index) => [
    trialOf('baseline', index + 1, baseline),
    ...Object.entries(variants).map(([name, pairs]) => trialOf(name, index + 1, pairs[index]?.candidate ?? NaN)),
  ]);
  const same = experiment.variants['baseline'];
  const definition = {
    ...experiment,
    variants: Object.fromEntries(
      ['baseline', ...Object.keys(variants)].flatMap((name) => {
        const own = name === 'baseline' || name === 'control' ? same : experiment.variants['candidate'];
        return own ? [[name, own]] : [];
      }),
    ),
  };
  const facts = {
    name: definition.name,
    question: definition.question,
    profile: 'local',
    baseline: definition.baseline,
    seed: definition.protocol.seed,
    definition,
  };
  const { comparisons } = compareRun({ experiment: facts, trials, steps: [] }, { decision: definition.decision });
  const judged = applyControls(
    comparisons.filter(({ primary }) => primary),
    definition,
  );
  return Object.fromEntries(judged.map(({ candidate, verdict }) => [candidate.variant, verdict]));
}

export function trialOf(variant: string, block: number, tps: number): Trial {
  const time = '2026-11-06T14:00:00.000Z';
  return {
    id: `block-${block}-${variant}`,
    conditions: { variant },
    block,
    position: 1,
    attempt: 1,
    startedAt: time,
    endedAt: time,
    state: 'finished',
    failure: null,
    measures: { tps },
    series: [],
    facts: {},
    checks: [],
    warnings: [],
  };
}

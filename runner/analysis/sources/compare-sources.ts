import { distinctWarnings } from '../../contract/warnings.ts';
import { type Decision, decidingMetric } from '../../contract/experiment/schema.ts';
import { controlsOf, groupsOf } from '../../experiment/groups.ts';
import { variantNames } from '../../contract/server.ts';
import { experimentSchema } from '../../experiment/schema.ts';
import { UserError } from '../../contract/errors.ts';
import type { Compared } from '../compare.ts';
import { compareRun } from '../compare-run.ts';
import type { Comparison } from '../../contract/comparison.ts';
import type { Result } from '../../contract/result.ts';
import { reason, type WithheldReason } from '../../contract/withheld.ts';
import { toolOf } from '../../workloads/registry.ts';
import { compareSides, type HowSidesCompared } from './compare-sides.ts';
import { type ComparableSide, pairSides, resultSide } from './side.ts';
import type { ComparedSource, ResultSource } from './source.ts';
import { unsealedWarnings, unverifiedWarnings, withoutVerdicts } from '../open-result.ts';
import { judgeValidity } from '../validity/judge-validity.ts';

export interface ComparedSources extends Compared {
  decision: Decision;
  /** Variants that are the baseline once more. */
  controls: string[];
  /** Everything that was compared, the baseline first. */
  sides: ComparableSide[];
  /** The run whose variants were compared; null if the two sides are not of one run. */
  servers: Pick<Result, 'variants' | 'place' | 'experiment'> | null;
}

interface HowCompared extends HowSidesCompared {
  decision: Partial<Decision>;
  /** Name of a candidate that is known only by several files. @default candidate */
  role?: string;
}

/**
 * Compares two sources. Variants of one result are compared by their blocks. Everything else is compared level by level as
 * runs without blocks, unless the user says that the runs are pairs.
 */
export function compareSources(
  baseline: ComparedSource,
  candidate: ComparedSource,
  options: HowCompared,
): ComparedSources {
  const results = [baseline, candidate].filter((source) => source.kind === 'result');
  const unverified = [...new Set(results.flatMap(({ result }) => result.unverified ?? []))];
  const unsealed = results.some(({ isUnsealed }) => isUnsealed) ? unsealedWarnings : [];
  const { comparisons, warnings, ...compared } = compareAsRead(baseline, candidate, options);
  if (unverified.length === 0) return { ...compared, comparisons, warnings: [...unsealed, ...warnings] };
  return {
    ...compared,
    comparisons: withoutVerdicts(comparisons, unverified),
    warnings: [...unverifiedWarnings(unverified), ...unsealed, ...warnings],
  };
}

function compareAsRead(baseline: ComparedSource, candidate: ComparedSource, options: HowCompared): ComparedSources {
  const declared = [baseline, candidate].find((source) => source.kind === 'result')?.result.experiment.definition
    .decision;
  const decision = { ...(declared ?? defaultDecision([baseline, candidate])), ...options.decision };
  if (baseline.kind === 'result' && candidate.kind === 'result' && baseline.location === candidate.location) {
    if (options.across && options.across.length > 0) {
      throw new UserError(`--across ${options.across.join(',')}: variants of one run were measured alike. Omit it.`);
    }
    const compared = compareWithinResult(baseline, candidate.variant, decision);
    const [first] = compared.comparisons;
    const names = [first?.baseline, ...compared.comparisons.map((one) => one.candidate)].map(
      (side) => side?.variant ?? '',
    );
    return {
      ...compared,
      sides: [...new Set(names)].filter((name) => name !== '').map((name) => resultSide(baseline, name)),
      decision,
      controls: controlsOf(baseline.result.experiment.definition),
      servers: baseline.result,
    };
  }
  const pairs = pairSides(baseline, candidate, options.role ?? 'candidate');
  return {
    ...compareSides(pairs, decision, options),
    sides: pairs.flat(),
    decision,
    controls: [],
    servers: null,
  };
}

/** The decision if nothing was declared: by the metric that suits the tool of the outputs. */
function defaultDecision(sources: readonly ComparedSource[]): Decision {
  const [run] = sources.flatMap((source) => (source.kind === 'outputs' ? source.runs : []));
  const metric = run && toolOf(run).throughput;
  return experimentSchema.shape.decision.parse(metric === undefined ? undefined : { metric });
}

/**
 * Compares variants of one result. A comparison as declared before the run gets its verdict. If the metric, the
 * threshold, the level or the baseline is chosen only now, it is exploratory: its numbers are shown without a verdict.
 */
function compareWithinResult(source: ResultSource, candidate: string | null, decision: Decision): Compared {
  const { result } = source;
  const declared = result.experiment.definition.decision;
  const baseline = source.variant ?? result.experiment.baseline;
  const variants = variantNames(result.variants);
  const shown = (candidate === null ? variants : [candidate]).filter((name) => name !== baseline);
  if (shown.length === 0) {
    throw new UserError(
      `${source.name}: ${baseline} would be compared with itself. Name two different variants, each as ${source.name}#VARIANT. It has ${variants.join(', ')}.`,
    );
  }
  const { definition } = result.experiment;
  const group = groupsOf(definition).find((one) => one.variants.includes(baseline));
  const foreign = candidate !== null && group !== undefined && !group.variants.includes(candidate);
  if (foreign) {
    throw new UserError(
      `${source.name}: ${candidate} and ${baseline} are in different matrix groups, which share no common random order. Compare ${baseline} with ${group.variants.filter((name) => name !== baseline).join(' or ')}.`,
    );
  }
  const { comparisons, warnings } = compareRun(result, { decision, ...(source.variant !== null && { baseline }) });
  const afterwards = chosenAfterwards(decision, declared, baseline, result.experiment.baseline);
  const kept = judgeValidity(comparisons, result)
    // All candidates were judged together, whichever are shown.
    .filter((comparison) => shown.includes(comparison.candidate.variant))
    .map((comparison) => (afterwards === null ? comparison : exploratory(comparison, afterwards)));
  const found = kept.flatMap(({ candidate: { variant }, checks }) =>
    checks.flatMap(({ id, name, state, finding }) =>
      state === 'warn' ? [{ id, message: `${name} of ${variant}: ${finding}.` }] : [],
    ),
  );
  return { comparisons: kept, warnings: distinctWarnings([...warnings, ...found]) };
}

/** What was chosen after the run, in words; null if everything is as declared. */
function chosenAfterwards(
  asked: Decision,
  declared: Decision,
  baseline: string,
  planned: string,
): WithheldReason | null {
  const chosen = [
    ...(decidingMetric(asked) === decidingMetric(declared)
      ? []
      : [`${decidingMetric(asked)} instead of ${decidingMetric(declared)}`]),
    ...(asked.practicalThreshold === declared.practicalThreshold
      ? []
      : [`a threshold of ${asked.practicalThreshold} instead of ${declared.practicalThreshold}`]),
    ...(asked.level === declared.level ? [] : [`a level of ${asked.level} instead of ${declared.level}`]),
    ...(baseline === planned ? [] : [`${baseline} instead of ${planned} as the baseline`]),
  ];
  return chosen.length === 0 ? null : reason('chosen-afterwards', `chosen after the run: ${chosen.join(', ')}`);
}

function exploratory(
  { blocksToSettle: _, undecided: __, ...comparison }: Comparison,
  afterwards: WithheldReason,
): Comparison {
  if (!comparison.primary) return comparison;
  return { ...comparison, primary: false, verdict: null, withheld: [afterwards, ...comparison.withheld] };
}

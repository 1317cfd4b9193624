import { judgeValidity, withhold } from '../validity/judge-validity.ts';
import type { Decision } from '../../contract/experiment/schema.ts';
import { variantNames } from '../../contract/server.ts';
import { experimentSchema } from '../../experiment/schema.ts';
import { makePlan } from '../../experiment/plan/plan.ts';
import { toolOf } from '../../workloads/registry.ts';
import { UserError } from '../../contract/errors.ts';
import { compareBlocks, type Compared, compareTrials, compareUnpaired, type MeasuredPair } from '../compare.ts';
import type { Comparison } from '../../contract/comparison.ts';
import { looksOf } from '../stopping.ts';
import { undeclaredDifferences } from '../undeclared-differences.ts';
import { type ComparableSide, pairSides } from './comparable-side.ts';
import type { ComparedSource, ResultSource } from './source.ts';

export interface ComparedSources extends Compared {
  decision: Decision;
  repeats: 'blocks' | 'runs';
}

/**
 * Compares two sources. Variants of one result are compared by their blocks. Everything else is compared as runs without
 * blocks, unless the user says that the runs are pairs.
 */
export function compareSources(
  baseline: ComparedSource,
  candidate: ComparedSource,
  options: { paired: boolean; decision: Partial<Decision> },
): ComparedSources {
  const declared = [baseline, candidate].find((source) => source.kind === 'result')?.result.experiment.definition
    .decision;
  const decision = { ...(declared ?? experimentSchema.shape.decision.parse(undefined)), ...options.decision };
  if (baseline.kind === 'result' && candidate.kind === 'result' && baseline.location === candidate.location) {
    return { ...compareWithinResult(baseline, candidate.variant, decision), decision, repeats: 'blocks' };
  }
  const compared = pairSides(baseline, candidate).map(([before, after]) =>
    compareSides(before, after, decision, options.paired),
  );
  return {
    comparisons: compared.flatMap(({ comparisons }) => comparisons),
    warnings: [...new Set(compared.flatMap(({ warnings }) => warnings))],
    decision,
    repeats: options.paired ? 'blocks' : 'runs',
  };
}

function compareWithinResult(source: ResultSource, candidate: string | null, decision: Decision): Compared {
  const { result } = source;
  const baseline = source.variant ?? result.experiment.baseline;
  const names = variantNames(result.variants);
  const candidates = candidate === null ? names : [candidate];
  const others = candidates.filter((name) => name !== baseline);
  if (others.length === 0) {
    throw new UserError(
      `${source.name}: ${baseline} would be compared with itself. Name two variants: ${source.name}#VARIANT, of ${names.join(', ')}.`,
    );
  }
  const { definition, profile } = result.experiment;
  const { comparisons, warnings } = compareTrials({
    trials: result.trials,
    baseline,
    variants: others,
    levels: makePlan(definition, profile).levels,
    decision,
    looks: looksOf({ ...definition, decision }),
    crossover: definition.protocol.crossover,
    limit: toolOf(definition.workload).shape(definition.workload).limit,
  });
  const kept = judgeValidity(comparisons, result);
  const found = kept.flatMap(({ candidate: { variant }, checks }) =>
    checks.flatMap(({ name, state, finding }) => (state === 'warn' ? [`${name} of ${variant}: ${finding}.`] : [])),
  );
  return { comparisons: kept, warnings: [...new Set([...warnings, ...found])] };
}

function compareSides(
  baseline: ComparableSide,
  candidate: ComparableSide,
  decision: Decision,
  paired: boolean,
): Compared {
  const limit = baseline.limit === candidate.limit ? baseline.limit : 'time';
  const request = { baseline: baseline.label, candidate: candidate.label, decision, limit };
  const warnings = undeclaredDifferences(baseline, candidate);
  if (paired) {
    if (baseline.measured.length !== candidate.measured.length) {
      throw new UserError(
        `--paired: ${baseline.label} has ${baseline.measured.length} runs and ${candidate.label} ${candidate.measured.length}. Give as many on either side, in the order of their blocks.`,
      );
    }
    const blocks = baseline.measured.flatMap((before, index): MeasuredPair[] => {
      const after = candidate.measured[index];
      const block = { block: index + 1, attempt: 1 };
      return after ? [{ blocks: [block], period: 1, baseline: before, candidate: after }] : [];
    });
    const compared = compareBlocks({ ...request, blocks, conditions: {}, crossover: false });
    return { comparisons: withheldFor(compared, baseline, candidate), warnings };
  }
  const confounded = measuredOneAfterTheOther(baseline, candidate);
  const comparisons = compareUnpaired({
    ...request,
    baselineRuns: baseline.measured,
    candidateRuns: candidate.measured,
    confounded,
  });
  return {
    comparisons: withheldFor(comparisons, baseline, candidate),
    warnings: [...warnings, confounded === null ? unpairedWarning : `No verdict: ${confounded}.`],
  };
}

/** Withholds the verdict here, too, if a trial failed a check. */
function withheldFor(comparisons: Comparison[], ...sides: ComparableSide[]): Comparison[] {
  const failed = sides.flatMap((side) => side.failed);
  return failed.length === 0 ? comparisons : comparisons.map((one) => (one.primary ? withhold(one, failed) : one));
}

const unpairedWarning =
  'These runs belong to no blocks: whatever changed between them besides the variant (time, host, what the database held) looks the same as its effect. If they were measured in turn, say --paired.';

function measuredOneAfterTheOther({ label, span }: ComparableSide, other: ComparableSide): string | null {
  if (!span || !other.span || (span.from <= other.span.to && other.span.from <= span.to)) return null;
  return `every run of ${label} was measured ${span.to < other.span.from ? 'before' : 'after'} every run of ${other.label}, so that drift cannot be told from an effect`;
}

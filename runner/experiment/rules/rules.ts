import type { Plain } from '../file/profiles.ts';
import { isMap } from '../file/profiles.ts';
import { nearest } from '../file/problems.ts';
import { experimentSchema } from '../schema.ts';
import type { Contrast } from '../../contract/experiment/schema.ts';
import type { RuleProblem } from '../../contract/check.ts';
import { tools } from '../../workloads/every-tool.ts';
import type { Tool } from '../../workloads/tool.ts';
import { decisionProblems, ladderProblems } from './decision-rules.ts';
import {
  loadingWarnings,
  parameterProblems,
  placeProblems,
  variantProblems,
  variantWarnings,
} from './variant-rules.ts';
import {
  crossoverProblems,
  protocolProblems,
  replicaProblems,
  resetProblems,
  restoreProblems,
} from './protocol-rules.ts';
import { placeOfStorage } from '../../places/registry.ts';
import { wellFormed } from './well-formed.ts';

export interface RuleFindings {
  problems: RuleProblem[];
  warnings: string[];
}

/**
 * Checks rules that concern more than one value. They run on the values that are each valid, so that a mistake in one
 * place does not hide another.
 */
export function checkRules(merged: Plain): RuleFindings {
  if (!isMap(merged)) return { problems: [], warnings: [] };
  const { shape } = experimentSchema;
  const variantShape = shape.variants.valueType.shape;
  const rawVariants = isMap(merged['variants']) ? merged['variants'] : {};
  const variants = Object.entries(rawVariants).map(([name, raw]) => [name, wellFormed(variantShape, raw)] as const);
  const [storage] = variants.flatMap(([, variant]) => variant.storage ?? []);
  const place = storage && placeOfStorage(storage);
  const protocol = shape.protocol.safeParse(merged['protocol']).data;
  const ladder = shape.ladder.safeParse(merged['ladder']).data;
  const decision = shape.decision.safeParse(merged['decision']).data;
  const collect = shape.collect.safeParse(merged['collect']).data;
  const data = shape.data.safeParse(merged['data']).data;
  const contrasts = shape.contrasts.safeParse(merged['contrasts']).data ?? [];
  const tool = toolIn(merged['workload']);
  const workload = tool ? wellFormed(tool.schema.shape, merged['workload']) : {};
  return {
    problems: [
      ...variants.flatMap(([name, variant]) =>
        within(['variants', name], [...variantProblems(variant), ...parameterProblems(variant)]),
      ),
      ...placeProblems(variants),
      ...variantProblem(['baseline'], merged['baseline'], Object.keys(rawVariants)),
      ...contrastProblems(contrasts, Object.keys(rawVariants)),
      ...within(['workload'], tool?.problems(workload) ?? []),
      ...(tool?.experimentProblems?.(workload, {
        warmUpSeconds: protocol?.warmUpSeconds,
        phaseSeconds: protocol?.phaseSeconds,
        networkMode: shape.network.safeParse(merged['network']).data?.mode,
        deployed: place?.isDeployed === true,
        collect,
        reset: protocol?.reset,
      }) ?? []),
      ...within(['protocol'], [...protocolProblems(protocol), ...(tool ? resetProblems(protocol, tool) : [])]),
      ...(tool ? within(['ladder'], ladderProblems(ladder, protocol, { tool, workload, collect })) : []),
      ...crossoverProblems(protocol, variants, place),
      ...replicaProblems(protocol, place),
      ...restoreProblems(data, place, tool?.restores?.(workload) ?? null),
      ...(tool
        ? decisionProblems(decision, collect, { tool, workload, hasThreshold: isGiven(merged['decision']) })
        : []),
    ],
    warnings: [...variantWarnings(variants), ...loadingWarnings(Object.fromEntries(variants))],
  };
}

function isGiven(decision: Plain | undefined): boolean {
  return isMap(decision) && 'practicalThreshold' in decision;
}

function toolIn(workload: Plain | undefined): Tool | undefined {
  return isMap(workload) ? tools.find(({ name }) => name === workload['tool']) : undefined;
}

function within(path: string[], problems: readonly RuleProblem[]): RuleProblem[] {
  return problems.map((problem) => ({ ...problem, path: [...path, ...problem.path] }));
}

/** A problem if a name is not the name of a variant. */
function variantProblem(path: string[], name: Plain | undefined, variants: readonly string[]): RuleProblem[] {
  if (typeof name !== 'string' || variants.length === 0 || variants.includes(name)) return [];
  const suggestion = nearest(name, variants, (near) => `; did you mean "${near}"?`);
  return [{ path, message: `no such variant; expected one of ${variants.join(', ')}${suggestion}` }];
}

function contrastProblems(contrasts: readonly Contrast[], variants: readonly string[]): RuleProblem[] {
  return contrasts.flatMap(({ candidate, baseline }, index) => [
    ...variantProblem(['contrasts', String(index), 'candidate'], candidate, variants),
    ...variantProblem(['contrasts', String(index), 'baseline'], baseline, variants),
    ...(candidate === baseline
      ? [{ path: ['contrasts', String(index)], message: 'compares a variant with itself; expected two variants' }]
      : []),
  ]);
}

import type { z } from 'zod';
import type { RuleProblem } from '../../contract/check.ts';
import { tools } from '../../workloads/registry.ts';
import { wellFormed } from '../rules/rules.ts';
import { experimentSchema } from '../schema.ts';
import { schemaProblems } from './problems.ts';
import { isMap, type Plain, valueAt } from './profiles.ts';

export interface JudgedForm {
  problems: RuleProblem[];
  /** The experiment with the defaults of its tool. */
  complete: Plain;
  parsed: ReturnType<typeof experimentSchema.safeParse>;
}

/**
 * Judges the form of an experiment: keys, types and ranges of single values.
 *
 * @param merged the experiment with a profile and `common` applied
 */
export function judgeForm(merged: Plain): JudgedForm {
  const complete = withToolDefaults(merged);
  const parsed = experimentSchema.safeParse(complete, { reportInput: true });
  const issues = [...(parsed.error?.issues ?? []), ...issuesBelowWrongNames(complete)];
  return { problems: schemaProblems(issues, valueAt(complete, ['workload', 'tool'])), complete, parsed };
}

/** The schema does not look at a variant whose name is wrong. */
function issuesBelowWrongNames(experiment: Plain): z.core.$ZodIssue[] {
  const { keyType, valueType } = experimentSchema.shape.variants;
  const variants = isMap(experiment) && isMap(experiment['variants']) ? experiment['variants'] : {};
  return Object.entries(variants).flatMap(([name, variant]) => {
    if (keyType.safeParse(name).success) return [];
    const issues = valueType.safeParse(variant, { reportInput: true }).error?.issues ?? [];
    return issues.map((issue) => ({ ...issue, path: ['variants', name, ...issue.path] }));
  });
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

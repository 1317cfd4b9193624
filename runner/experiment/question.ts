import { createHash } from 'node:crypto';
import type { Difference } from '../contract/plan.ts';
import { decidingMetric, type WrittenExperiment } from '../contract/experiment/schema.ts';
import { differencesOf } from './plan/differences.ts';
import { canonicalValue } from '../postgres/parameters/same-value.ts';
import { workloadsOf } from '../workloads/of-variants.ts';
import { toolOf } from '../workloads/registry.ts';

/** What an experiment asks, however it is worded, named and measured. */
export interface Question {
  /** The same for the same question. */
  id: string;
  /** For people. */
  asks: string;
}

/**
 * The question of an experiment: what differs between its variants, the metric that decides, and the statements that are
 * measured. What a setting does to one report says nothing of another one, so that no answer to the first is a second try
 * at the other. Another order, name or number of equal variants asks the same. So do other blocks, thresholds, clients,
 * amounts of data and lengths of trials, with which anybody may go on until an answer pleases.
 *
 * @param folder that paths of the workload's files are relative to
 */
export function questionOf(
  { variants, decision, workload }: Pick<WrittenExperiment, 'variants' | 'decision' | 'workload'>,
  folder: string,
): Question {
  const differences = differencesOf(variants);
  const valuesOf = (variant: string): string => JSON.stringify(differences.map((one) => valueOf(one, variant)).sort());
  const sides = [...new Set(Object.keys(variants).map(valuesOf))].sort();
  const metric = decidingMetric(decision);
  const tool = toolOf(workload);
  const statements = workloadsOf({ workload, variants }).flatMap((own) => tool.statements(own, folder));
  const asks = `${metric} of ${sides.length === 1 ? 'equal variants' : sides.join(' against ')} in ${[...new Set(statements)].sort().join(' and ')}`;
  return { id: createHash('sha256').update(asks).digest('hex').slice(0, 16), asks };
}

function valueOf({ property, values }: Difference, variant: string): string {
  const value = values.find(({ variants }) => variants.includes(variant))?.value ?? null;
  return `${property}=${value === null ? 'unset' : canonicalValue(property, String(value))}`;
}

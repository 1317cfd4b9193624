import { createHash } from 'node:crypto';
import type { Difference } from '../contract/plan.ts';
import { decidingMetric, type WrittenExperiment } from '../contract/experiment/schema.ts';
import { differencesOf } from './plan/differences.ts';
import { canonicalValue } from '../postgres/parameters/same-value.ts';

/** What an experiment asks, however it is worded, named and measured. */
export interface Question {
  /** The same for the same question. */
  id: string;
  /** For people. */
  asks: string;
}

/**
 * The question of an experiment: what differs between its variants, and the metric that decides. Another order, name or
 * number of equal variants asks the same, and so do other blocks, thresholds and loads.
 */
export function questionOf({ variants, decision }: Pick<WrittenExperiment, 'variants' | 'decision'>): Question {
  const differences = differencesOf(variants);
  const valuesOf = (variant: string): string => JSON.stringify(differences.map((one) => valueOf(one, variant)).sort());
  const sides = [...new Set(Object.keys(variants).map(valuesOf))].sort();
  const metric = decidingMetric(decision);
  const asks = `${metric} of ${sides.length === 1 ? 'equal variants' : sides.join(' against ')}`;
  return { id: createHash('sha256').update(asks).digest('hex').slice(0, 16), asks };
}

function valueOf({ property, values }: Difference, variant: string): string {
  const value = values.find(({ variants }) => variants.includes(variant))?.value ?? null;
  return `${property}=${value === null ? 'unset' : canonicalValue(property, String(value))}`;
}

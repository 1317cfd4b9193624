import { binomialInterval } from '../../runner/statistics/distributions.ts';

/**
 * How many of the simulated experiments had an outcome. Both counts are kept, so that the uncertainty of the rate can
 * be shown.
 */
export interface Count {
  hits: number;
  experiments: number;
}

export interface Table {
  title: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

export function markdownOf({ title, head, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [title, '', line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** The rate, with its 95% interval for this number of simulated experiments. */
export function rate({ hits, experiments }: Count): string {
  const interval = binomialInterval(hits, experiments, 0.95);
  if (!interval) return '–';
  return `${percent(hits / experiments)} (${percent(interval.low)} to ${percent(interval.high)})`;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

/** Repeats an experiment, and counts each of its outcomes that came true. */
export function countOutcomes<Outcome extends string>(
  experiments: number,
  outcomeOf: () => Readonly<Record<Outcome, boolean>>,
): (outcome: Outcome) => Count {
  const hits = new Map<Outcome, number>();
  for (let experiment = 0; experiment < experiments; experiment++) {
    for (const [outcome, came] of Object.entries(outcomeOf()) as [Outcome, boolean][]) {
      if (came) hits.set(outcome, (hits.get(outcome) ?? 0) + 1);
    }
  }
  return (outcome) => ({ hits: hits.get(outcome) ?? 0, experiments });
}

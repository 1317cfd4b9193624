import type { Measures } from '../contract/metric.ts';
import type { Facts } from '../contract/trial.ts';

/** Facts to which several sources add. Of any other fact, the last value counts. */
const lists = ['problems', 'counterProblems'] as const;

/** Merges what several sources found about one trial. */
export function mergeFindings(found: readonly { measures?: Measures; facts?: Facts }[]): {
  measures: Record<string, number | null>;
  facts: Facts;
} {
  const facts = Object.assign({}, ...found.map((one) => one.facts ?? {})) as Facts;
  for (const name of lists) {
    const all = found.flatMap((one) => one.facts?.[name] ?? []);
    if (all.length > 0) facts[name] = all;
  }
  const absent = found.map((one) => one.facts?.absent).filter((one) => one !== undefined);
  if (absent.length > 0) facts.absent = Object.assign({}, ...absent) as Record<string, string>;
  return {
    measures: Object.assign({}, ...found.map(({ measures }) => measures ?? {})) as Record<string, number | null>,
    facts,
  };
}

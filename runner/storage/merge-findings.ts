import type { Measures } from '../contract/metric.ts';
import type { Facts } from '../contract/trial.ts';

/** Facts to which several sources add. Of any other fact, the last value counts. */
const lists = ['problems', 'counterProblems'] as const;
/** Facts of which every source says its own part. */
const maps = ['absent'] as const;

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
  for (const name of maps) {
    const all = found.flatMap(({ facts: { [name]: own } = {} }) => (own === undefined ? [] : [own]));
    if (all.length > 0) facts[name] = Object.assign({}, ...all) as Record<string, string>;
  }
  return {
    measures: Object.assign({}, ...found.map(({ measures }) => measures ?? {})) as Record<string, number | null>,
    facts,
  };
}

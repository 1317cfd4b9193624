import { expect, it } from 'vitest';
import { changedTogether } from '../../runner/analysis/changed-together.ts';
import { estimatePaired } from '../../runner/analysis/estimate.ts';
import type { Comparison } from '../../runner/contract/comparison.ts';

const by = { side: 'worse', chance: 0.05 } as const;

function latencyOf(candidates: readonly number[], perExchange = Infinity, unknown: readonly number[] = []): Comparison {
  const pairs = candidates.map((candidate, index) => ({
    block: index + 1,
    attempt: 1,
    baseline: 1,
    candidate,
    change: candidate - 1,
    ...(Number.isFinite(perExchange) && { exchange: 1 + Math.floor(index / perExchange) }),
  }));
  const { change, interval } = estimatePaired(pairs, 'ratio', { level: 0.95 });
  const lost = unknown.length === 0 ? {} : { unknownPairs: unknown.length, unknownExchanges: [...unknown] };
  return { metric: 'latency.p99', better: 'lower', change, interval, pairs, ...lost } as unknown as Comparison;
}

it('does not let one value of zero decide alone whether a metric got worse', () => {
  const candidates = Array.from({ length: 20 }, (_, index) => (index === 7 ? 0 : 1.5 + 0.02 * Math.sin(index)));
  expect(changedTogether([latencyOf(candidates)], by)).toHaveLength(1);
  const even = candidates.map((one, index) => (index % 2 === 0 && index !== 7 ? 1 / one : one));
  expect(changedTogether([latencyOf(even)], by)).toHaveLength(0);
});

it('finds nothing in a crossover that only one exchange shows, also if a block is unknown', () => {
  const candidates = Array.from({ length: 24 }, (_, index) => (index < 8 ? 3 : index % 2 === 0 ? 1.05 : 0.97));
  const interval = { low: 0.1, high: 0.5, level: 0.95 };
  for (const unknown of [[], [2]])
    expect(changedTogether([{ ...latencyOf(candidates, 8, unknown), interval }], by)).toHaveLength(0);
});

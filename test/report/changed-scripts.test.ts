import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { expect, it } from 'vitest';
import { estimatePaired } from '../../runner/analysis/estimate.ts';
import type { Comparison } from '../../runner/contract/comparison.ts';
import { changedScripts } from '../../runner/report/sections/scripts.ts';
import { repeats } from '../helpers/repeats.ts';

function compared(metric: string, ratios: readonly number[], more: Partial<Comparison> = {}): Comparison {
  const pairs = ratios.map((candidate, index) => {
    return { block: index + 1, attempt: 1, baseline: 1, candidate, change: candidate - 1 };
  });
  const { change, interval } = estimatePaired(pairs, 'ratio', { level: 0.95 });
  return { metric, better: 'lower', primary: false, change, interval, pairs, ...more } as unknown as Comparison;
}

const decides = compared('latency.average', [1, 1, 1, 1, 1, 1], { primary: true, verdict: 'equivalent' });
const scripts = 40;
const by = { pairs: 1, threshold: 0.05 };

/** Ratios of scripts that vary by a tenth, with what all scripts of a block share. */
function noise(next: () => number, blocks: number): number[][] {
  const shared = Array.from({ length: blocks }, () => next());
  return Array.from({ length: scripts }, () =>
    Array.from({ length: blocks }, (_, block) => Math.exp(0.1 * (next() + (shared[block] ?? 0)))),
  );
}

function uniform(seed: number): () => number {
  const generator = xoroshiro128plus(seed);
  return () => (generator.next() / 2 ** 31) * 2;
}

const report = (ratios: readonly number[][]): Comparison[] => [
  decides,
  ...ratios.map((own, index) => compared(`latency.average@${index}`, own)),
];

it('names the scripts that got slower or faster, and no other', () => {
  const ratios = noise(uniform(1), 8);
  const own = report(
    ratios.map((one, index) => one.map((ratio) => ratio * (index === 7 ? 12 : index === 30 ? 0.2 : 1))),
  );
  const { slower, faster, judged } = changedScripts(own, by) ?? {};
  expect(slower?.map(({ metric }) => metric)).toEqual(['latency.average@7']);
  expect(faster?.map(({ metric }) => metric)).toEqual(['latency.average@30']);
  expect(judged).toHaveLength(scripts);
});

it('names any of forty scripts that did not change in at most one report of twenty', () => {
  const reports = repeats(2000);
  let wrong = 0;
  for (let seed = 1; seed <= reports; seed += 1) {
    const { slower = [], faster = [] } = changedScripts(report(noise(uniform(seed), 8)), by) ?? {};
    if (slower.length + faster.length > 0) wrong += 1;
  }
  // Three standard deviations of chance more than 5%.
  expect(wrong / reports).toBeLessThan(0.05 + 3 * Math.sqrt((0.05 * 0.95) / reports));
});

it('names none where nothing may be claimed', () => {
  const own = report(noise(uniform(1), 8).map((one) => one.map((ratio) => ratio * 12)));
  expect(changedScripts(own, by)?.slower).toHaveLength(scripts);
  expect(changedScripts([{ ...decides, verdict: null }, ...own.slice(1)], by)).toBeNull();
  expect(changedScripts(own.slice(0, 2), by)).toBeNull();
});

it('names scripts by their own bounds where other programs can explain the answer', () => {
  const own = report(noise(uniform(1), 8).map((one) => one.map((ratio) => ratio * 12)));
  const explained = [{ ...decides, undecided: 'other-programs' as const }, ...own.slice(1)];
  expect(changedScripts(explained, by)?.slower).toHaveLength(scripts);
});

it('tells apart those of which other programs can explain the change', () => {
  const ratios = noise(uniform(1), 8);
  const own = report(ratios.map((one, index) => one.map((ratio) => ratio * (index === 7 ? 12 : 1)))).map((one) =>
    one.metric === 'latency.average@7' ? { ...one, undecided: 'other-programs' as const } : one,
  );
  const { slower, faster, explained } = changedScripts(own, by) ?? {};
  expect([slower, faster]).toEqual([[], []]);
  expect(explained?.map(({ metric }) => metric)).toEqual(['latency.average@7']);
});

it('names those with too few blocks', () => {
  const own = report(noise(uniform(1), 5));
  const changed = changedScripts(own, by);
  expect(changed?.judged).toEqual([]);
  expect(changed?.unjudged).toHaveLength(scripts);
});

it('counts what changed beyond noise by less than the threshold, and names it not', () => {
  const own = report(
    noise(uniform(1), 8).map((one, index) =>
      index === 7 ? Array.from({ length: 8 }, (_, block) => 1.03 + block / 1000) : one.map(() => 1),
    ),
  );
  const { slower, faster, explained, small } = changedScripts(own, by) ?? {};
  expect([slower, faster, explained]).toEqual([[], [], []]);
  expect(small?.map(({ metric }) => metric)).toEqual(['latency.average@7']);
});

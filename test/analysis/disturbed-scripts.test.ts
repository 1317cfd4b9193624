import fc from 'fast-check';
import { expect, it } from 'vitest';
import { movedTime, partOfTime } from '../../runner/analysis/disturbed-scripts.ts';
import { claims, compare, comparisonBy, decision } from '../helpers/samples/compared-blocks.ts';
import { trial } from '../helpers/samples/measured-trial.ts';

const metric = 'latency.average@a';
const clients = 4;

/** What a run shows whose clients are always busy: each script’s transactions, and the mean time of each. */
function measuresOf(scripts: Record<string, { count: number; time: number }>) {
  const all = Object.entries(scripts);
  const seconds = all.reduce((sum, [, { count, time }]) => sum + count * time, 0) / clients;
  const tps = all.reduce((sum, [, { count }]) => sum + count, 0) / seconds;
  const own = all.map(([name, { count, time }]) => ({
    [`tps@${name}`]: count / seconds,
    [`latency.average@${name}`]: time,
  }));
  return { tps, 'client.turn': clients / tps, ...Object.assign({}, ...own) } as Record<string, number>;
}

const script = fc.record({
  count: fc.integer({ min: 1, max: 1e6 }),
  time: fc.double({ min: 1e-4, max: 10, noNaN: true }),
});
const part = fc.double({ min: 0, max: 0.9, noNaN: true });

it('however others’ delay is spread over the scripts, the time on a quiet machine is within the bound', () => {
  fc.assert(
    fc.property(script, script, part, part, part, (a, b, lost, first, freed) => {
      // On a quiet machine. Delays add a time that is the part `lost` of what clients then have, `first` of it to a;
      // and while clients of b are delayed, a may wait for them less.
      const total = a.count * a.time + b.count * b.time;
      const added = (lost / (1 - lost)) * total;
      const eased = Math.min(freed * a.count * a.time, (1 - first) * added);
      const beside = {
        a: { ...a, time: a.time + (first * added - eased) / a.count },
        b: { ...b, time: b.time + ((1 - first) * added + eased) / b.count },
      };
      const { slowed, eased: longer } = movedTime(partOfTime(measuresOf(beside), metric), {
        loss: -Math.log1p(-lost),
        gain: 0,
      });
      const ratio = Math.log(beside.a.time / a.time);
      expect(ratio).toBeLessThanOrEqual(slowed + 1e-6);
      expect(-ratio).toBeLessThanOrEqual(longer + 1e-6);
    }),
  );
});

it('a script that had less of the clients’ time than the run can have lost has no bound, nor has one of clients on a schedule', () => {
  const measures = measuresOf({ a: { count: 100, time: 0.01 }, b: { count: 100, time: 0.99 } });
  const part = partOfTime(measures, metric);
  expect(movedTime(part, { loss: 0.02, gain: 0 }).slowed).toBe(Infinity);
  expect(movedTime(part, { loss: 0.005, gain: 0 }).slowed).toBeCloseTo(0.69, 1);
  expect(partOfTime({ ...measures, 'client.turn': null }, metric)).toBeNull();
  expect(partOfTime(measures, 'latency.p99@a')).toBeNull();
});

/** A statement `a` that takes most of the clients’ time once it has no index, and another; others take these shares beside each. */
function undecidedBeside(sharesOf: (block: number) => [before: number, after: number]) {
  const before = measuresOf({ a: { count: 1e4, time: 0.001 }, b: { count: 1e4, time: 0.003 } });
  const after = measuresOf({ a: { count: 1e3, time: 0.042 }, b: { count: 1e3, time: 0.0045 } });
  const trials = Array.from({ length: 6 }, (_, block) =>
    sharesOf(block).map((others, side) => {
      const observed = { 'driver.others': others, 'driver.own': 1 - others, 'driver.awake': 1, transactions: 1e4 };
      return trial(side === 0 ? 'without' : 'with', block + 1, { ...(side === 0 ? before : after), ...observed });
    }),
  ).flat();
  const { comparisons } = compare(trials, { decision, claims: { ...claims, sharesMachine: true } });
  return ['a', 'b'].map((name) => comparisonBy(comparisons, `latency.average@${name}`).undecided);
}

it.each<[what: string, shares: Parameters<typeof undecidedBeside>[0], b: string | undefined]>([
  ['that come and go are noise', (block) => [0.1 + 0.05 * block, 0.35 - 0.05 * block], undefined],
  [
    'that take more beside the slower side can explain a script with little of the time',
    () => [0.1, 0.2],
    'other-programs',
  ],
])('programs %s, and never explain a statement that takes 42 times as long', (_, shares, b) => {
  expect(undecidedBeside(shares)).toEqual([undefined, b]);
});

it('a law within the bound that delays one script alone is never taken for its effect', () => {
  const law = fc.record({ slope: fc.double({ min: 0, max: 2, noNaN: true }), first: part });
  const shares = fc.array(fc.tuple(part, part), { minLength: 6, maxLength: 12 });
  fc.assert(
    fc.property(law, shares, fc.double({ min: 0, max: 0.3, noNaN: true }), ({ slope, first }, drawn, more) => {
      // The candidate’s trials are always beside more, by the same share, and nothing else differs.
      const sides = drawn.map(([share]) => [0.5 * share, Math.min(0.45, 0.5 * share + more)] as const);
      const trials = sides.flatMap((pair, block) =>
        pair.map((others, side) => {
          const added = Math.min(0.95, slope * others);
          const total = 8 / (1 - added);
          const a = 1 + first * (total - 8);
          const measures = measuresOf({ a: { count: 1, time: a }, b: { count: 1, time: total - a } });
          const observed = { 'driver.others': others, 'driver.own': 1 - others, 'driver.awake': 1, transactions: 1e4 };
          return trial(side === 0 ? 'without' : 'with', block + 1, { ...measures, ...observed });
        }),
      );
      const { comparisons } = compare(trials, { decision, claims: { ...claims, sharesMachine: true } });
      for (const name of ['a', 'b']) {
        const { interval, undecided, change } = comparisonBy(comparisons, `latency.average@${name}`);
        const isCalled =
          interval !== null && change !== null && undecided === undefined && interval.low * interval.high > 0;
        if (isCalled) expect(Math.abs(change)).toBeLessThan(1e-9);
      }
    }),
    { numRuns: 200 },
  );
});

it.each([
  [0.3, 0.35],
  [0.1, 0.35],
  [0.05, 0.1],
])('a script on which the whole loss falls is not called slower beside shares of %d and %d', (before, after) => {
  const trials = Array.from({ length: 8 }, (_, block) =>
    [before, after].map((others, side) => {
      const total = 8 / (1 - 2 * others);
      const measures = measuresOf({ a: { count: 1, time: total - 7 }, b: { count: 1, time: 7 } });
      const observed = { 'driver.others': others, 'driver.own': 1 - others, 'driver.awake': 1, transactions: 1e4 };
      return trial(side === 0 ? 'without' : 'with', block + 1, { ...measures, ...observed });
    }),
  ).flat();
  const { comparisons } = compare(trials, { decision, claims: { ...claims, sharesMachine: true } });
  expect(comparisonBy(comparisons, metric).undecided).toBe('other-programs');
});

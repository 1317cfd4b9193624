import fc from 'fast-check';
import { expect, it } from 'vitest';
import { movedTime } from '../../runner/analysis/disturbed-scripts.ts';
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
      const { slowed, eased: longer } = movedTime(measuresOf(beside), metric, { loss: -Math.log1p(-lost), gain: 0 });
      const ratio = Math.log(beside.a.time / a.time);
      expect(ratio).toBeLessThanOrEqual(slowed + 1e-6);
      expect(-ratio).toBeLessThanOrEqual(longer + 1e-6);
    }),
  );
});

it('a script that had less of the clients’ time than the run can have lost has no bound, nor has one of clients on a schedule', () => {
  const measures = measuresOf({ a: { count: 100, time: 0.01 }, b: { count: 100, time: 0.99 } });
  expect(movedTime(measures, metric, { loss: 0.02, gain: 0 }).slowed).toBe(Infinity);
  expect(movedTime(measures, metric, { loss: 0.005, gain: 0 }).slowed).toBeCloseTo(0.69, 1);
  expect(movedTime({ ...measures, 'client.turn': null }, metric, { loss: 0.005, gain: 0 }).slowed).toBe(Infinity);
  expect(movedTime(measures, 'latency.p99@a', { loss: 0.005, gain: 0 }).slowed).toBe(Infinity);
});

it('beside a compiler that comes and goes, a statement without its index is slower, and one that had little of the time is not told', () => {
  // The statement takes most of the clients' time once it has no index.
  const before = measuresOf({ a: { count: 1e4, time: 0.001 }, b: { count: 1e4, time: 0.003 } });
  const after = measuresOf({ a: { count: 1e3, time: 0.042 }, b: { count: 1e3, time: 0.0045 } });
  const shares = [0.3, 0.12, 0.2, 0.1, 0.25, 0.15];
  const trials = shares.flatMap((share, index) =>
    [before, after].map((measures, side) => {
      const others = side === 0 ? share : (shares[(index + 1) % shares.length] ?? 0);
      const observed = { 'driver.others': others, 'driver.own': 1 - others, 'driver.awake': 1, transactions: 1e4 };
      return trial(side === 0 ? 'without' : 'with', index + 1, { ...measures, ...observed });
    }),
  );
  const { comparisons } = compare(trials, { decision, claims: { ...claims, sharesMachine: true } });
  const undecided = ['a', 'b'].map((name) => comparisonBy(comparisons, `latency.average@${name}`).undecided);
  expect(undecided).toEqual([undefined, 'other-programs']);
});

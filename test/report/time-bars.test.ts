import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExplainedTime, Explanation } from '../../runner/contract/explanation.ts';
import { timeKinds } from '../../runner/metrics/transaction-time.ts';
import { timeBarsMarkup } from '../../runner/report/html/time-bars.ts';
import { type TimeBars, timeBars } from '../../runner/report/charts/time-bars.ts';

function time(kind: string, baseline: number, candidate: number): ExplainedTime {
  return {
    kind,
    title: `waits for ${kind}`,
    baseline,
    candidate,
    change: candidate - baseline,
    interval: null,
    share: null,
  };
}

function explanation(times: ExplainedTime[], changed: Partial<Explanation> = {}): Explanation {
  return {
    baseline: 'one',
    candidate: 'two',
    conditions: {},
    slower: 'one',
    pairs: 6,
    time: times,
    mechanisms: [],
    ...changed,
  };
}

function only(explanations: readonly Explanation[]): TimeBars {
  const [bars, ...more] = timeBars(explanations);
  if (!bars || more.length > 0) throw new Error(`${more.length + (bars ? 1 : 0)} pictures`);
  return bars;
}

const times = [
  time('client', 0.003, 0.002),
  time('walFlush', 0.018, 0.009),
  time('cpu', 0.0002, 0.0001),
  time('other', 0.0001, 0),
];

describe('the bars of a transaction’s time', () => {
  it('have the kinds in one order whatever changes most, and small ones folded with their number', () => {
    const { title, bars, kinds } = only([explanation(times)]);
    expect(title).toContain('(ms)');
    expect(kinds).toEqual([
      { kind: 'walFlush', name: 'WAL flush' },
      { kind: 'client', name: 'client' },
      { kind: 'other', name: 'other' },
    ]);
    expect(bars.map(({ variant, whole, segments }) => [variant, whole, ...segments.map(({ value }) => value)])).toEqual(
      [
        ['one', '21.3 ms', '18.0', '3.0', '0.3'],
        ['two', '11.1 ms', '9.0', '2.0', '0.1'],
      ],
    );
  });

  it('stand on one axis: lengths are to each other as the times of a transaction', () => {
    const [one, two] = only([explanation(times)]).bars;
    expect(one?.length).toBe(1);
    expect(two?.length).toBeCloseTo(0.0111 / 0.0213, 6);
  });

  it('show the baseline once for several candidates, and again only if its pairs were others', () => {
    const second = explanation(times, { candidate: 'three' });
    expect(only([explanation(times), second]).bars.map(({ variant }) => variant)).toEqual(['one', 'two', 'three']);
    const otherPairs = explanation([time('walFlush', 0.03, 0.01)], { candidate: 'three' });
    expect(only([explanation(times), otherPairs]).bars.map(({ variant }) => variant)).toEqual([
      'one',
      'two',
      'one',
      'three',
    ]);
  });

  it('have a picture for each level, which names it', () => {
    const at = (clients: number): Explanation => explanation(times, { conditions: { clients } });
    expect(timeBars([at(8), at(16)]).map(({ title }) => title)).toEqual([
      'Where transaction time goes at 8 clients (ms)',
      'Where transaction time goes at 16 clients (ms)',
    ]);
  });

  it('draw nothing where no session was sampled', () => {
    expect(timeBars([explanation([])])).toEqual([]);
  });

  it('account for a whole transaction, whatever the times', () => {
    const value = fc.double({ min: 0, max: 100, noNaN: true });
    const kind = fc.constantFrom(...timeKinds.map((one) => one.kind), 'unknown-kind');
    const some = fc.uniqueArray(fc.tuple(kind, value, value), { minLength: 1, selector: ([name]) => name });
    fc.assert(
      fc.property(some, (drawn) => {
        const { bars, kinds } = only([explanation(drawn.map((one) => time(...one)))]);
        for (const { length, segments } of bars) {
          expect(length).toBeLessThanOrEqual(1);
          expect(segments.map((one) => one.kind)).toEqual(kinds.map((one) => one.kind));
          const sum = segments.reduce((all, { part }) => all + part, 0);
          expect(sum === 0 || Math.abs(sum - 1) < 1e-9).toBe(true);
        }
      }),
    );
  });
});

describe('the picture of a transaction’s time', () => {
  it('says in words what it shows, and has every value in its key', () => {
    const { text } = timeBarsMarkup(only([explanation(times)]), 'id');
    expect(text).toContain(
      'aria-label="Where transaction time goes (ms). one: 21.3\u00a0ms, of which WAL flush 18.0, client 3.0, other 0.3. two: 11.1\u00a0ms, of which WAL flush 9.0, client 2.0, other 0.1."',
    );
    for (const values of ['WAL flush 18.0 → 9.0', 'client 3.0 → 2.0', 'other 0.3 → 0.1'])
      expect(text).toContain(values);
  });

  it('escapes names, and takes no colour from a result', () => {
    const evil = '"><script>x</script>';
    const { text } = timeBarsMarkup(only([explanation([time(evil, 1, 2)], { candidate: evil })]), 'id');
    expect(text).not.toContain('<script>');
    expect(text).toContain('background:var(--time-other)');
  });
});

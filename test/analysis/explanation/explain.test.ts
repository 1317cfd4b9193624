import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareRun } from '../../../runner/analysis/compare-run.ts';
import { explain } from '../../../runner/analysis/explanation/explain.ts';
import { mechanisms } from '../../../runner/analysis/explanation/mechanisms.ts';
import type { Explanation } from '../../../runner/contract/explanation.ts';
import type { Measures } from '../../../runner/contract/metric.ts';
import { catalogue, metricNamed } from '../../../runner/metrics/catalogue.ts';
import { turnMetrics, turnPartOf } from '../../../runner/metrics/turn.ts';
import { withDerived } from '../../../runner/metrics/value.ts';
import { trial } from '../../helpers/samples/measured-trial.ts';
import { parsedExperiment } from '../../helpers/samples/parsed-experiment.ts';

const clients = 16;
const definition = parsedExperiment({
  ...{ name: 'x', question: '?', workload: { tool: 'pgbench', scale: 1, clients, durationSeconds: 10 } },
  protocol: { blocks: 8 },
  variants: { without: { storage: { type: 'local' } }, with: { storage: { type: 'local' }, dedicatedLogVolume: true } },
  baseline: 'without',
});

/** Where the sessions of a variant are on average, and what else it measures. */
interface Side {
  tps: number;
  sessions: Record<string, number>;
  idle?: number;
  measures?: Measures;
}

/** Explains eight blocks in which both sides vary a little. */
function explained(without: Side, candidate: Side, spread = 0.02): Explanation[] {
  const noise = (block: number, side: number): number => 1 + spread * Math.sin(block * 7 + side * 3);
  const measuresOf = ({ tps, sessions, idle = 0, measures = {} }: Side, factor: number): Measures => {
    const active = Object.values(sessions).reduce((sum, one) => sum + one, 0);
    return withDerived(
      {
        ...{ tps: tps * factor, transactions: tps * factor * 10, runtime: 10, 'client.turn': clients / (tps * factor) },
        ...{ 'waits.active': active, 'waits.idle': idle },
        ...Object.fromEntries(Object.entries(sessions).map(([event, value]) => [`waits.sessions.${event}`, value])),
        ...measures,
      },
      new Map(),
    );
  };
  const trials = Array.from({ length: 8 }, (_, index) => index + 1).flatMap((block) => [
    trial('without', block, measuresOf(without, noise(block, 0))),
    trial('with', block, measuresOf(candidate, noise(block, 1)), { position: 2 }),
  ]);
  const experiment = { name: 'x', question: '?', profile: 'full', baseline: 'without', seed: 1, definition };
  const chosen = { baseline: 'without', variants: ['without', 'with'], decision: definition.decision, contrasts: [] };
  const { comparisons } = compareRun({ experiment, trials }, chosen);
  return explain({ experiment, trials, comparisons });
}

const names = (found: Explanation[]): string[] => (found[0]?.mechanisms ?? []).map(({ name }) => name);

describe('an explanation', () => {
  test('of slow flushes of WAL accounts for the time that commits wait', () => {
    const found = explained(
      {
        tps: 1000,
        sessions: { 'LWLock:WALWrite': 11, 'IO:WALSync': 1, CPU: 4 },
        measures: { 'wal.syncs': 500, 'wal.syncTime': 5 },
      },
      {
        tps: 2000,
        sessions: { 'LWLock:WALWrite': 7, 'IO:WALSync': 1, CPU: 8 },
        measures: { 'wal.syncs': 900, 'wal.syncTime': 4 },
      },
    );
    expect(found).toMatchObject([{ slower: 'without', candidate: 'with' }]);
    const [first] = found[0]?.mechanisms ?? [];
    expect(first).toMatchObject({ name: 'wal-flush', standing: 'supported' });
    // 12 ms in WAL of 16 ms, against 4 ms of 8 ms.
    expect(first?.accountsFor).toBeCloseTo(1, 1);
    expect(first?.links.find(({ metric }) => metric === 'turn.wal')).toMatchObject({ agreeing: 8, pairs: 8 });
  });

  test('names the candidate as the slower one where it is', () => {
    const fast = { tps: 2000, sessions: { CPU: 16 } };
    const slow = { tps: 1000, sessions: { CPU: 8, 'IPC:SyncRep': 8 } };
    expect(explained(fast, slow)).toMatchObject([
      { slower: 'with', mechanisms: [{ name: 'synchronous-replication' }] },
    ]);
  });

  test('prefers the mechanism that says more, where two account for much the same', () => {
    const found = explained(
      {
        ...{ tps: 1000, sessions: { 'IO:WALSync': 12, CPU: 4 } },
        measures: {
          'checkpoints.timed': 0,
          'checkpoints.requested': 9,
          'wal.fullPageImages': 20_000,
          'wal.bytes': 1e8,
        },
      },
      {
        ...{ tps: 2000, sessions: { 'IO:WALSync': 6, CPU: 8 } },
        measures: { 'checkpoints.timed': 0, 'checkpoints.requested': 1, 'wal.fullPageImages': 2000, 'wal.bytes': 3e7 },
      },
    );
    expect(names(found)).toEqual(['checkpoint-pressure', 'wal-flush']);
  });

  test('tells a saturated load generator from clients that think', () => {
    const fast = (busy: number): Side => ({
      tps: 4000,
      sessions: { CPU: 14 },
      idle: 2,
      measures: { 'driver.loadGeneratorBusy': busy },
    });
    const slow = (busy: number): Side => ({
      tps: 1000,
      sessions: { CPU: 3 },
      idle: 13,
      measures: { 'driver.loadGeneratorBusy': busy },
    });
    expect(names(explained(fast(0.3), slow(0.99)))).toEqual(['driver-bound']);
    expect(names(explained(fast(0.1), slow(0.1)))).toEqual(['client-bound']);
  });

  test('names a mechanism that goes against the effect as contradicted, and last', () => {
    const found = explained(
      { tps: 1000, sessions: { 'IPC:SyncRep': 16 } },
      { tps: 2000, sessions: { 'IPC:SyncRep': 4, 'Lock:tuple': 12 } },
    );
    expect(found[0]?.mechanisms.map(({ name, standing }) => [name, standing])).toEqual([
      ['synchronous-replication', 'supported'],
      ['lock-bound', 'contradicted'],
    ]);
  });

  test('is not given without an effect, whatever the sessions wait for', () => {
    const same = { tps: 1000, sessions: { CPU: 16 } };
    expect(explained(same, { tps: 1000, sessions: { 'IPC:SyncRep': 16 } }, 0.001)).toEqual([]);
    expect(explained(same, { ...same, tps: 1010 }, 0.2)).toEqual([]);
  });

  test('names nothing where nothing was collected', () => {
    expect(
      explained(
        { tps: 1000, sessions: {}, measures: { 'waits.active': null } },
        { tps: 2000, sessions: {}, measures: { 'waits.active': null } },
      ),
    ).toMatchObject([{ mechanisms: [] }]);
  });

  test('never names what the sessions do not carry', () => {
    const events = ['CPU', 'IO:WALSync', 'Lock:tuple', 'IPC:SyncRep', 'IO:DataFileRead', 'Timeout:VacuumDelay'];
    const side = fc.record({
      tps: fc.constantFrom(500, 1000, 3000),
      sessions: fc.dictionary(fc.constantFrom(...events), fc.double({ min: 0, max: 16, noNaN: true })),
    });
    fc.assert(
      fc.property(side, side, (before, after) => {
        for (const { slower, mechanisms: found } of explained(before, after)) {
          const [slow, fast] = slower === 'without' ? [before, after] : [after, before];
          for (const { name, standing } of found) {
            const { time = [] } = mechanisms.find((one) => one.name === name) ?? {};
            const spent = ({ tps, sessions }: Side): number =>
              Object.entries(sessions).reduce(
                (sum, [event, value]) => sum + (time.includes(turnPartOf(event)) ? value / tps : 0),
                0,
              );
            if (standing === 'contradicted') expect(spent(slow)).toBeLessThan(spent(fast));
            else expect(spent(slow)).toBeGreaterThan(spent(fast));
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('the mechanisms', () => {
  test('speak of metrics of the catalogue', () => {
    for (const { links } of mechanisms)
      for (const { metric } of links) expect(metricNamed(metric), metric).toBeDefined();
  });

  test('cost time of known kinds, need something, and give their sources', () => {
    const kinds = turnMetrics.map(({ name }) => name.replace('turn.', ''));
    for (const { name, time, links, sources } of mechanisms) {
      expect(kinds, name).toEqual(expect.arrayContaining([...time]));
      expect(
        links.some(({ needed }) => needed),
        name,
      ).toBe(true);
      expect(sources.length, name).toBeGreaterThan(0);
    }
    expect(new Set(mechanisms.map(({ name }) => name)).size).toBe(mechanisms.length);
  });
});

test('the parts of a transaction’s time add up to its turn', () => {
  const events = fc.dictionary(
    fc.stringMatching(/^[A-Z][a-z]+:[A-Za-z]+$/),
    fc.double({ min: 0, max: 10, noNaN: true }),
  );
  fc.assert(
    fc.property(events, fc.double({ min: 0, max: 5, noNaN: true }), (sessions, idle) => {
      const active = Object.values(sessions).reduce((sum, one) => sum + one, 0);
      const measures = withDerived(
        {
          ...{ tps: 100, 'client.turn': (active + idle) / 100, 'waits.active': active, 'waits.idle': idle },
          ...Object.fromEntries(Object.entries(sessions).map(([event, value]) => [`waits.sessions.${event}`, value])),
        },
        new Map(),
      );
      const parts = turnMetrics.map(({ name }) => measures[name] ?? NaN);
      expect(parts.reduce((sum, one) => sum + one, 0)).toBeCloseTo((active + idle) / 100);
    }),
  );
  expect(catalogue).toEqual(expect.arrayContaining([...turnMetrics]));
});

test.each([
  ['IO:WALSync', 'wal'],
  ['IO:WalSync', 'wal'],
  ['LWLock:WALWrite', 'wal'],
  ['LWLock:WALInsert', 'wal'],
  ['IPC:SyncRep', 'syncRep'],
  ['Lock:transactionid', 'locks'],
  ['IO:DataFileRead', 'dataRead'],
  ['IO:DataFileExtend', 'dataWrite'],
  ['CPU', 'cpu'],
  ['LWLock:BufferContent', 'other'],
])('%s is time of %s', (event, part) => {
  expect(turnPartOf(event)).toBe(part);
});

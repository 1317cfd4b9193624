import { describe, expect, it } from 'vitest';
import { checkTrial, type TrialContext } from '../../../runner/analysis/validity/trial-checks.ts';
import type { FinishedTrial } from '../../../runner/contract/result.ts';
import { sampleResult } from '../../helpers/sample-result.ts';

const result = sampleResult({ trialSeconds: 120 });
const local: TrialContext = {
  experiment: result.experiment.definition,
  place: 'local',
  settings: { checkpoint_timeout: '30 (s)' },
};
const deployed: TrialContext = { ...local, place: 'deployed' };

function trial(change: Partial<FinishedTrial> = {}): FinishedTrial {
  const [first] = result.trials;
  if (first?.state !== 'finished') throw new Error('the sample has a finished trial');
  return { ...first, driver: { busyShare: 0.4, clockStepSeconds: 0 }, ...change };
}

function found(name: string, of: FinishedTrial, context = local): string | undefined {
  const check = checkTrial(of, context).find((one) => one.name === name);
  return check && `${check.state}: ${check.finding}`;
}

describe('the checks of a trial', () => {
  it('find nothing in a trial that went as it should', () => {
    const { server } = trial();
    if (!server?.database) throw new Error('the sample observes its database');
    const whole = trial({
      server: { ...server, restarted: false, database: { ...server.database, autovacuums: 0, autoanalyzes: 0 } },
    });
    expect(checkTrial(whole, local).filter(({ state }) => state !== 'pass')).toEqual([]);
  });

  it('fail where the server started anew', () => {
    const { server } = trial();
    const restarted = trial({ server: server && { ...server, restarted: true } });
    expect(found('restart or failover', restarted)).toMatch(/^fail: the server started anew/);
    expect(found('restart or failover', trial())).toMatch(/^not assessed/);
  });

  it('fail where RDS tells of a backup, failover or maintenance, and pass over other events', () => {
    const at = '2026-11-21T08:00:00Z';
    const event = (kind: 'backup' | 'other', text: string) => trial({ events: [{ at, kind, text }] });
    const name = 'backup, maintenance, storage';
    expect(found(name, event('backup', 'Backing up DB instance'), deployed)).toBe(
      'fail: in the trial was a backup (Backing up DB instance)',
    );
    expect(found(name, event('other', 'Tagged'), deployed)).toMatch(/^pass/);
    expect(found(name, trial(), deployed)).toMatch(/^not assessed/);
    expect(found(name, trial())).toBeUndefined();
  });

  it('warn of counters that were reset', () => {
    const { server } = trial();
    const reset = trial({ server: server && { ...server, problems: ['the counters of wal were reset in between'] } });
    expect(found('counters', reset)).toBe('warn: the counters of wal were reset in between');
  });

  it.each([
    [0.05, 'pass'],
    [-0.4, 'warn'],
    [-3, 'fail'],
  ])('judge a clock that was set by %d s: %s', (clockStepSeconds, state) => {
    expect(found('clock', trial({ driver: { busyShare: 0.1, clockStepSeconds } }))).toMatch(new RegExp(`^${state}`));
  });

  it.each([
    [0.5, 'pass', 'pass'],
    [0.85, 'pass', 'warn'],
    [0.99, 'warn', 'fail'],
  ])('judge processors that were busy for %d of the time: %s where servers share them, %s on a driver', (...of) => {
    const [busyShare, here, there] = of;
    const busy = trial({ driver: { busyShare, clockStepSeconds: 0 } });
    expect(found('driver’s processors', busy)).toMatch(new RegExp(`^${here}`));
    expect(found('driver’s processors', busy, deployed)).toMatch(new RegExp(`^${there}`));
  });

  it.each([
    [0.91, 'pass: 9 %'],
    [0.85, 'warn: 15 %'],
    [0.4, 'fail: 60 %'],
  ])('judge a measured latency that is %d of clients / TPS: %s', (share, judged) => {
    expect(found('client time', withLatencyShare(share))).toMatch(new RegExp(`^${judged} of each transaction’s turn`));
  });

  it('do not take waiting for the schedule for client time', () => {
    const rated = {
      ...local,
      experiment: { ...local.experiment, workload: { ...local.experiment.workload, rate: 9 } },
    };
    expect(found('client time', withLatencyShare(0.4), rated)).toBeUndefined();
  });

  it('warn of transactions that failed or were skipped', () => {
    const { run } = trial();
    const failing = trial({ run: { ...run, failedTransactions: 1200, skippedTransactions: 3 } });
    expect(found('transactions', failing)).toBe('warn: 1,200 failed; 3 were skipped for lagging behind');
  });

  it('warn of a trial shorter than a checkpoint cycle only where no checkpoint fell into it', () => {
    const { server } = trial();
    const without = trial({
      server: server?.checkpoints
        ? { ...server, checkpoints: { ...server.checkpoints, timed: 0, requested: 0 } }
        : null,
    });
    const slow = { ...local, settings: { checkpoint_timeout: '5 (min)' } };
    expect(found('checkpoint cycle', without, slow)).toBe(
      'warn: no checkpoint in 120 s: shorter than a cycle (checkpoint_timeout 300 s)',
    );
    expect(found('checkpoint cycle', without)).toMatch(/^pass/);
    expect(found('checkpoint cycle', trial(), slow)).toMatch(/^pass: 2 checkpoints/);
  });

  it('warn of autovacuum', () => {
    const { server } = trial();
    if (!server?.database) throw new Error('the sample observes its database');
    const vacuumed = trial({
      server: { ...server, database: { ...server.database, autovacuums: 1, autoanalyzes: 1 } },
    });
    expect(found('autovacuum', vacuumed)).toBe('warn: vacuumed or analyzed 2 tables in the trial');
    expect(found('autovacuum', trial())).toMatch(/^not assessed/);
  });

  it('warn of a trial that still rises, and do not judge one shorter than a checkpoint cycle', () => {
    const { latency } = trial();
    const rising = trial({
      latency: latency && {
        ...latency,
        perSecond: latency.perSecond.map((one, index) => ({ ...one, transactions: 1000 + 5 * index })),
      },
    });
    expect(found('steady state', rising)).toMatch(/^warn: throughput changed by \+\d+ % from start to end/);
    expect(found('steady state', rising, { ...local, settings: { checkpoint_timeout: '300 (s)' } })).toBe(
      'not assessed: 119 s are too short to judge: 300 s are needed',
    );
  });
});

/** Measured latency as a share of clients / TPS. */
function withLatencyShare(share: number): FinishedTrial {
  const { run } = trial();
  return trial({ run: { ...run, latencyAverageSeconds: ((run.clients ?? NaN) / (run.tps ?? NaN)) * share } });
}

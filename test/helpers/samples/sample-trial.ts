import type { Measures, SeriesRow } from '../../../runner/contract/metric.ts';
import { classOf, secondsOfStep, shortestOf } from '../../../runner/workloads/pgbench/log/latency-classes.ts';
import type { Facts } from '../../../runner/contract/trial.ts';

export const sampleClients = 8;
export const sampleBaselineTps = 1450;

/** What one trial of the sample is made from. */
export interface TrialShape {
  tps: number;
  trialSeconds: number;
  random: () => number;
  /** Makes everything null that may be null. */
  silent: boolean;
}

/** What the tool and the collectors find in a trial of a local run. */
export function sampleFindings(shape: TrialShape): { measures: Measures; facts: Facts; series: SeriesRow[] } {
  const transactions = Math.round(shape.tps * shape.trialSeconds);
  const mean = (sampleClients / shape.tps) * 0.97;
  if (shape.silent) return { measures: { tps: null }, facts: {}, series: [] };
  return {
    measures: {
      ...loadMeasures(shape, transactions, mean),
      ...serverMeasures(shape, transactions),
      ...sessionMeasures(shape),
    },
    facts: {
      identity: {
        clientVersion: '16.15',
        serverVersion: '16.15',
        scale: 20,
        clients: sampleClients,
        threads: 2,
        scripts: 'simple update',
      },
      problems: [],
      restarted: false,
      // Four whole cycles, 60% of them under a checkpoint.
      checkpoints: [0.04, 0.24, 0.44, 0.64, 0.84].map((at) => ({
        startedAt: at * shape.trialSeconds,
        endedAt: (at + 0.12) * shape.trialSeconds,
        reason: 'wal',
        restartpoint: false,
        buffers: 1880,
        writeSeconds: 0.1 * shape.trialSeconds,
        syncSeconds: 0.08,
        distanceBytes: 60 * 2 ** 20,
      })),
      statements: [
        {
          ...{
            queryId: '77',
            text: 'UPDATE pgbench_accounts SET abalance = abalance + $1 WHERE aid = $2',
            rows: transactions,
          },
          calls: transactions,
          totalTime: transactions * 0.0002,
          meanTime: 0.0002,
          walBytes: transactions * 400,
          blocksRead: transactions,
          blocksDirtied: transactions,
        },
      ],
      absent: { 'server-io': 'the view pg_stat_io needs PostgreSQL 16 or newer, and this server is 15' },
    },
    series: seriesOf(shape, mean),
  };
}

function loadMeasures({ tps, trialSeconds, random }: TrialShape, transactions: number, mean: number): Measures {
  const percentile = (factor: number): number => mean * factor * (1 + 0.1 * (random() - 0.5));
  return {
    runtime: trialSeconds,
    tps,
    'latency.average': mean,
    'latency.stddev': mean * 0.8,
    'client.turn': sampleClients / tps,
    transactions,
    'transactions.failed': 0,
    'transactions.skipped': null,
    'transactions.retried': null,
    'load.commits': transactions,
    'progress.gap': 1.001,
    'progress.silence': 0,
    'log.transactions': transactions,
    'log.failed': 0,
    'log.skipped': 0,
    'latency.p50': percentile(0.86),
    'latency.p90': percentile(1.5),
    'latency.p95': percentile(1.9),
    'latency.p99': percentile(4.4),
    'latency.p999': percentile(14),
    'latency.max': percentile(40),
  };
}

function seriesOf(shape: TrialShape, mean: number): SeriesRow[] {
  const { tps, trialSeconds, random } = shape;
  const stallAt = 5 + Math.floor(random() * Math.max(1, trialSeconds - 8));
  return Array.from({ length: trialSeconds + 1 }, (_, second) => {
    const part = second === 0 ? 0.4 : second === trialSeconds ? 0.6 : second === stallAt ? 0.55 : 1;
    return [
      { second, name: 'tps', value: Math.round(tps * part * (1 + 0.12 * (random() - 0.5))) },
      { second, name: 'latency.average', value: mean / part },
      ...latenciesOf(mean / part, tps * part, secondsOfStep(trialSeconds), second),
      ...Object.entries(sessionsOf(shape)).map(([event, value]) => ({
        second,
        name: `waits.sessions.${event}`,
        // Without chance, so that what is drawn for the others stays the same.
        value: value * (1 + 0.05 * Math.sin(second)),
      })),
    ];
  }).flat();
}

/** Few fast ones, most about the mean, and a tail, at the start of each step of the log's digest. */
function latenciesOf(mean: number, tps: number, step: number, second: number): SeriesRow[] {
  if (second % step !== 0) return [];
  const middle = classOf(Math.round(mean * 1e6));
  return [0.05, 0.25, 0.4, 0.2, 0.07, 0.02, 0.007, 0.003].map((share, at) => ({
    second,
    name: `latency.from.${shortestOf(middle - 2 + at)}`,
    value: tps * share * step,
  }));
}

/** What the clients’ sessions wait for. A transaction works and reads as long in every variant; the rest is WAL. */
function sessionsOf({ tps }: TrialShape): Record<string, number> {
  const busy = sampleClients - 0.4;
  const pace = tps / sampleBaselineTps;
  // A fast variant cannot have more sessions than there are.
  const fits = Math.min(1, (busy - 0.5) / (1.2 * pace));
  const [working, reading] = [0.9 * pace * fits, 0.3 * pace * fits];
  const inWal = busy - working - reading;
  return { 'LWLock:WALWrite': inWal * 0.8, 'IO:WalSync': inWal * 0.2, CPU: working, 'IO:DataFileRead': reading };
}

function sessionMeasures(shape: TrialShape): Measures {
  const sessions = sessionsOf(shape);
  const active = Object.values(sessions).reduce((sum, one) => sum + one, 0);
  return {
    ...Object.fromEntries(Object.entries(sessions).map(([event, value]) => [`waits.sessions.${event}`, value])),
    ...Object.fromEntries(Object.entries(sessions).map(([event, value]) => [`waits.${event}`, value / active])),
    'waits.active': active,
    'waits.idle': 0.4,
    'waits.samples': 10 * shape.trialSeconds,
    'waits.missed': 0,
  };
}

function serverMeasures({ tps, trialSeconds, random }: TrialShape, transactions: number): Measures {
  const syncs = Math.round(transactions * 0.31);
  const full = Math.round(9000 + 900 * random());
  return {
    'driver.busy': 0.4,
    'driver.clockStep': 0.0002,
    'wal.records': Math.round(transactions * 4.1),
    'wal.fullPageImages': full,
    'wal.bytes': transactions * 420 + full * 7200,
    'wal.buffersFull': Math.round(40 * random()),
    'wal.writes': syncs + 180,
    'wal.syncs': syncs,
    'wal.writeTime': 0.31 + 0.05 * random(),
    'wal.syncTime': trialSeconds * 0.8 * (sampleBaselineTps / tps),
    'checkpoints.timed': 0,
    'checkpoints.requested': 2,
    'checkpoints.writeTime': 7.2 + random(),
    'checkpoints.syncTime': 0.8 * random(),
    'checkpoints.buffers': Math.round(9400 + 500 * random()),
    'backends.buffers': Math.round(2100 + 300 * random()),
    'backgroundWriter.buffers': Math.round(700 * random()),
    'database.commits': transactions + 3,
    'collect.commits': 40,
    'database.rollbacks': 0,
    'database.deadlocks': 0,
    'database.temporaryBytes': 0,
    'database.blocksRead': Math.round(transactions * 1.1),
    'database.blocksHit': transactions * 21,
    'database.autovacuums': 0,
    'database.autoanalyzes': 0,
    'database.sizeAtStart': 402_653_184,
    'database.size': 402_653_184,
    'history.sizeAtStart': 0,
    'history.size': 1_048_576,
  };
}

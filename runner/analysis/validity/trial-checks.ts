import type { Experiment } from '../../contract/experiment/schema.ts';
import type { Check } from '../../contract/check.ts';
import { clientTime } from '../../metrics/client-time.ts';
import type { FinishedTrial, Result } from '../../contract/result.ts';
import { secondsOf } from './durations.ts';
import { fail, notAssessed, pass, percent, warn } from './findings.ts';
import { checkSteadiness } from './steadiness.ts';

/** What the checks of a trial need to know beside it. */
export interface TrialContext {
  experiment: Experiment;
  place: Result['place']['kind'];
  /** Settings in force on its variant, as pg_settings has them. */
  settings: Record<string, string>;
}

/** The validity ledger of one trial. Pure: of an old trial it says what is known. */
export function checkTrial(trial: FinishedTrial, context: TrialContext): Check[] {
  return [
    checkRestart(trial),
    ...checkEvents(trial, context),
    checkCounters(trial),
    checkClock(trial),
    checkDriver(trial, context),
    ...(context.experiment.workload.rate === undefined ? [checkClientTime(trial)] : []),
    checkTransactions(trial),
    checkCheckpoints(trial, context),
    checkAutovacuum(trial),
    checkSteadiness(trial, context),
  ];
}

function checkRestart({ server }: FinishedTrial): Check {
  const name = 'restart or failover';
  if (server?.restarted === undefined) return notAssessed(name, 'the start of the server was not recorded');
  return server.restarted
    ? fail(name, 'the server started anew, or another one took over, in the trial')
    : pass(name, 'one server from start to end');
}

const disturbing = {
  backup: 'a backup',
  failover: 'a failover',
  maintenance: 'maintenance',
  restart: 'a restart',
  storage: 'trouble with its storage',
  credits: 'the end of its credits',
} as const;

function checkEvents({ events }: FinishedTrial, { place }: TrialContext): Check[] {
  const name = 'backup, maintenance, storage';
  // Nobody but us runs a local server: there is nothing that could be told of it.
  if (events === undefined) return place === 'local' ? [] : [notAssessed(name, 'events were not recorded')];
  const found = events.flatMap(({ kind, text }) => (kind === 'other' ? [] : [`${disturbing[kind]} (${text})`]));
  return [
    found.length > 0
      ? fail(name, `in the trial was ${found.join(', ')}`)
      : pass(name, 'RDS had told of none when the trial ended'),
  ];
}

function checkCounters({ server }: FinishedTrial): Check {
  const name = 'counters';
  if (!server) return notAssessed(name, 'no counters were read');
  const [first] = server.problems;
  return first === undefined ? pass(name, 'none was reset') : warn(name, server.problems.join('; '));
}

/** What is timed by second and matched by time is wrong from here on. */
const mostClockStepSeconds = 1;
/** Adjusting a clock gradually moves it by half a thousandth at most: a minute in twenty makes less than this. */
const notableClockStepSeconds = 0.1;

function checkClock({ driver, startedAt, endedAt }: FinishedTrial): Check {
  const name = 'clock';
  if (!driver) return notAssessed(name, 'the driver was not observed');
  const step = driver.clockStepSeconds;
  const words = `the driver’s clock was set by ${step.toFixed(2)} s in the trial`;
  if (Math.abs(step) >= mostClockStepSeconds) return fail(name, words);
  const seconds = (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
  return Math.abs(step) >= notableClockStepSeconds + seconds * 0.0005 ? warn(name, words) : pass(name, 'not set');
}

const busyDriver = { warn: 0.8, fail: 0.95 };

function checkDriver({ driver }: FinishedTrial, { place }: TrialContext): Check {
  const name = 'driver’s processors';
  if (!driver || driver.busyShare === null) return notAssessed(name, 'the driver was not observed');
  const share = percent(driver.busyShare);
  if (place === 'local') {
    // Servers and driver share the machine: busy processors are a limit of both, and no sign of a wrong measurement.
    return driver.busyShare >= busyDriver.fail
      ? warn(name, `this machine’s processors were ${share} busy: they may be what limits, rather than what was varied`)
      : pass(name, `this machine’s processors were ${share} busy`);
  }
  const words = `the driver’s processors were ${share} busy`;
  if (driver.busyShare >= busyDriver.fail) return fail(name, `${words}: it is what was measured. Take a larger one`);
  return driver.busyShare >= busyDriver.warn ? warn(name, words) : pass(name, words);
}

const clientShare = { warn: 0.1, fail: 0.5 };

function checkClientTime(trial: FinishedTrial): Check {
  const name = 'client time';
  const share = clientTime(trial)?.share;
  if (share === undefined) return notAssessed(name, 'the run does not tell');
  const words = `${percent(share)} of each transaction’s turn passed outside the measured latency (clients / TPS minus latency average)`;
  if (share > clientShare.fail) return fail(name, `${words}: the client is what was measured`);
  if (share <= clientShare.warn) return pass(name, words);
  return warn(
    name,
    `${words}; above ${percent(clientShare.warn)} the driver, or stragglers at the end, are part of it`,
  );
}

function checkTransactions({ run, latency }: FinishedTrial): Check {
  const name = 'transactions';
  const troubles = [
    ...(run.failedTransactions ? [`${run.failedTransactions.toLocaleString('en')} failed`] : []),
    ...(run.skippedTransactions
      ? [`${run.skippedTransactions.toLocaleString('en')} were skipped for lagging behind`]
      : []),
    ...run.problems,
    ...(latency?.problems ?? []),
  ];
  return troubles.length > 0 ? warn(name, troubles.join('; ')) : pass(name, 'all carried out');
}

function checkCheckpoints({ server, run }: FinishedTrial, { settings }: TrialContext): Check {
  const name = 'checkpoint cycle';
  if (!server?.checkpoints) return notAssessed(name, 'checkpoints were not counted');
  const count = server.checkpoints.timed + server.checkpoints.requested;
  if (count > 0) return pass(name, `${count} checkpoints in the trial`);
  const cycleSeconds = secondsOf(settings['checkpoint_timeout']);
  if (cycleSeconds === null || run.durationSeconds === null || run.durationSeconds >= cycleSeconds) {
    return pass(name, 'none began in the trial');
  }
  return warn(
    name,
    `no checkpoint in ${run.durationSeconds} s: shorter than a cycle (checkpoint_timeout ${cycleSeconds} s)`,
  );
}

function checkAutovacuum({ server }: FinishedTrial): Check {
  const name = 'autovacuum';
  const { autovacuums, autoanalyzes } = server?.database ?? {};
  if (autovacuums === undefined || autovacuums === null) return notAssessed(name, 'its runs were not counted');
  const runs = autovacuums + (autoanalyzes ?? 0);
  return runs > 0
    ? warn(name, `vacuumed or analyzed ${runs} ${runs === 1 ? 'table' : 'tables'} in the trial`)
    : pass(name, 'none ended in the trial');
}

import type { MeasureStep, PlannedTrial } from '../experiment/plan/plan.ts';
import type { TrialEvent } from '../contract/trial-event.ts';
import { UserError } from '../contract/errors.ts';
import { type CounterSnapshot, differenceOf, takeSnapshot } from '../collect/postgres/counters.ts';
import { type DriverObservation, driverBetween } from '../collect/driver/processors.ts';
import { readServerVersion } from '../postgres/settings.ts';
import { withConnection } from '../postgres/connect.ts';
import type { PlacedTarget } from '../places/place.ts';
import type { Trial } from '../contract/result.ts';
import type { LatencyDigest, Run } from '../contract/tool-output.ts';
import type { Stage } from './events.ts';
import type { Execution } from './execution.ts';
import { resetDatabase } from '../postgres/reset.ts';

/** One trial under way; measured at the same time as the others of its step. */
interface Attempt {
  trial: PlannedTrial;
  target: PlacedTarget;
  folder: string;
  /** Aborts on Ctrl-C and when the target's server dies. */
  signal: AbortSignal;
  startedAt: string;
  warnings: string[];
  before?: CounterSnapshot;
  after?: CounterSnapshot;
  driver?: DriverObservation;
  events?: TrialEvent[] | undefined;
  run?: Run;
  latency?: LatencyDigest | null;
  failure?: { stage: Stage; error: string };
}

/**
 * Measures the trials of one step, stage by stage, so that trials measured together enter each stage together. A trial
 * that fails is data; only an interruption ends the step early, and then too its trials are given.
 */
export async function carryOutMeasureStep(execution: Execution, step: MeasureStep): Promise<Trial[]> {
  const { place, store, signal } = execution;
  const attempts = step.trials.map((trial): Attempt => {
    const target = place.targets.get(trial.variant);
    if (!target) throw new Error(`no target for variant ${trial.variant}`);
    return {
      trial,
      target,
      folder: store.trialFolder(trial.id),
      signal: AbortSignal.any([signal, target.failed]),
      startedAt: execution.now().toISOString(),
      warnings: [],
    };
  });
  const variants = step.trials.map(({ variant }) => variant);
  for (const [stage, carryOut] of stages(execution, step)) {
    try {
      if (stage === 'reset') await place.putUnderTest([], signal);
      if (stage === 'warm-up') await place.putUnderTest(variants, signal);
    } catch (error) {
      for (const attempt of attempts) fail(attempt, stage, error);
    }
    await Promise.all(attempts.map((attempt) => attemptStage(execution, attempt, stage, carryOut)));
  }
  return attempts.map((attempt) => conclude(execution, step, attempt));
}

type CarryOut = (attempt: Attempt) => Promise<void>;

function stages(execution: Execution, step: MeasureStep): [Stage, CarryOut][] {
  const { generator, experiment, report } = execution;
  const onProgress =
    (trial: PlannedTrial, stage: Stage) =>
    (progress: { elapsedSeconds: number; tps: number }): void =>
      report({ kind: 'progress', trial, stage, elapsedSeconds: progress.elapsedSeconds, tps: progress.tps });
  const snapshot = (target: PlacedTarget): Promise<CounterSnapshot> =>
    withConnection(target, async (client) => {
      const { major } = await readServerVersion(client);
      return takeSnapshot(client, major, experiment.collect);
    });
  return [
    [
      'reset',
      async (attempt) => {
        attempt.warnings.push(...(await resetDatabase(attempt.target, step.reset, attempt.signal)));
      },
    ],
    [
      'warm-up',
      async ({ trial, target, folder, signal }) => {
        if (step.warmUpSeconds === 0) return;
        const seconds = step.warmUpSeconds;
        await generator.warmUp(target, { folder, seconds, signal, onProgress: onProgress(trial, 'warm-up') });
      },
    ],
    [
      'measure',
      async (attempt) => {
        const { trial, target, folder, signal } = attempt;
        attempt.before = await snapshot(target);
        const driver = execution.readDriver();
        attempt.startedAt = execution.now().toISOString();
        attempt.run = await generator.measure(target, {
          folder,
          signal,
          onProgress: onProgress(trial, 'measure'),
        });
        attempt.driver = driverBetween(driver, execution.readDriver());
        attempt.after = await snapshot(target);
      },
    ],
    [
      'collect',
      async (attempt) => {
        attempt.latency = await generator.collect(attempt.folder);
        attempt.events = await readEvents(execution, attempt);
      },
    ],
  ];
}

/** The trial is worth having without them: its ledger then says that they are not known. */
async function readEvents(
  { place, now }: Execution,
  { trial: { variant }, startedAt, warnings }: Attempt,
): Promise<TrialEvent[] | undefined> {
  try {
    return await place.eventsBetween?.(variant, new Date(startedAt), now());
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    warnings.push(`no events of ${variant}: ${error.message}`);
    return undefined;
  }
}

/** Runs one stage of one trial, unless an earlier one failed. */
async function attemptStage(execution: Execution, attempt: Attempt, stage: Stage, carryOut: CarryOut): Promise<void> {
  if (attempt.failure) return;
  try {
    attempt.signal.throwIfAborted();
    execution.report({ kind: 'stage-started', trial: attempt.trial, stage });
    await carryOut(attempt);
  } catch (error) {
    await hearOfDeath(execution, attempt);
    fail(attempt, stage, error);
  }
}

/** A client may be gone before its server is known to be: the server's end is the cause, and worth a moment's wait. */
async function hearOfDeath({ pause }: Execution, { signal, target }: Attempt): Promise<void> {
  const secondsUntilSeen = 2;
  await pause(secondsUntilSeen, AbortSignal.any([signal, target.failed])).catch(() => undefined);
}

function fail(attempt: Attempt, stage: Stage, error: unknown): void {
  // When the server died, that is the cause, whatever the client said of it.
  const cause: unknown = attempt.target.failed.aborted ? attempt.target.failed.reason : error;
  attempt.failure ??= { stage, error: cause instanceof Error ? cause.message : String(cause) };
}

function conclude({ signal, now }: Execution, { block, position, period }: MeasureStep, attempt: Attempt): Trial {
  const { trial, startedAt, failure, run, latency = null, before, after, driver = null, events, warnings } = attempt;
  const identity = { ...trial, block, position, ...(period && { period }), startedAt, endedAt: now().toISOString() };
  if (failure) return { ...identity, state: signal.aborted ? 'interrupted' : 'failed', ...failure };
  if (!run) throw new Error(`trial ${trial.id} neither failed nor was measured`);
  const server = before && after ? differenceOf(before, after) : null;
  return {
    ...identity,
    state: 'finished',
    run,
    latency,
    server,
    driver,
    ...(events && { events }),
    warnings,
  };
}

import { warningsOf } from '../contract/warnings.ts';
import type { Findings } from '../collect/collector.ts';
import { type Awake, keepAwake } from '../collect/driver/awake.ts';
import type { FailureCode } from '../contract/failures.ts';
import type { MeasureStep, PlannedTrial } from '../contract/plan.ts';
import { serverName } from '../contract/server.ts';
import { levelOf, type TrialStage } from '../contract/trial.ts';
import { loadSeed } from '../experiment/plan/draws.ts';
import { watchMemory } from '../machine/memory-kills.ts';
import { targetAt } from '../places/place.ts';
import { failuresByServer } from '../places/servers-failed.ts';
import { proveInForce } from '../postgres/in-force.ts';
import { removeCoreDumps } from '../files/core-dumps.ts';
import { mergeFindings } from '../storage/stored-run.ts';
import { ceilingAt } from './look-around.ts';
import { namingParameter } from '../places/named-parameter.ts';
import { withCauseInLog } from './retry.ts';
import { type Collections, SharedConnection, startCollections } from './collection.ts';
import type { ActiveRun } from './run-shape.ts';
import { placeNamed } from '../places/registry.ts';
import { requireFoundAgain } from './found-again.ts';
import {
  type Attempt,
  recordTrial,
  cutOff,
  type DescribedVariants,
  type EndedTrial,
  externalReasonOf,
} from './trial-record.ts';
import { resetTarget } from './steps.ts';
import { endOverdue } from './time-limit.ts';
import { secondsOfLast } from './try-out.ts';
import { failureOf, wordsOf } from '../contract/errors.ts';
import { workloadOf } from '../workloads/of-variants.ts';

/**
 * Measures the trials of one step, stage by stage. Trials that are measured together enter each stage together. A
 * failed trial is data, too. Only an interruption ends the step early, and even then the step returns its trials.
 */
export async function measureTrials(
  running: ActiveRun,
  variants: DescribedVariants,
  step: MeasureStep,
): Promise<EndedTrial[]> {
  const awake = keepAwake();
  try {
    return await measureAwake(running, variants, step, awake);
  } finally {
    awake.release();
  }
}

async function measureAwake(
  running: ActiveRun,
  variants: DescribedVariants,
  step: MeasureStep,
  { isHeld }: Awake,
): Promise<EndedTrial[]> {
  const { store, signal, now, place, report, blind, live } = running;
  const attempts = step.trials.map((planned): Attempt => {
    const target = targetAt(place, planned.conditions);
    return {
      planned,
      target,
      folder: store.trialFolder(planned.id),
      signal: AbortSignal.any([signal, target.failed]),
      warmUpStartedAt: null,
      startedAt: now(),
      serverMajor: 0,
      figures: blind ? 'hidden' : 'shown',
      live: live === true,
      warnings: [],
      memoryRanOut: watchMemory(),
      found: [{ measures: { 'driver.awake': isHeld ? 1 : 0 } }],
      failure: null,
    };
  });
  const tested = step.trials.map(({ conditions }) => serverName(conditions));
  for (const [stage, carryOut] of stages(running, step)) {
    try {
      if (stage === 'reset') await place.activateOnly([], signal);
      if (stage === 'warm-up') await place.activateOnly(tested, signal);
      for (const attempt of attempts) {
        if (!attempt.failure) await store.noteTrial(cutOff(step, attempt, stage, now()));
      }
    } catch (error) {
      const failures = failuresByServer(error);
      for (const attempt of attempts) {
        const own = failures === null ? error : failures.get(serverName(attempt.planned.conditions));
        if (own !== undefined) fail(running, attempt, stage, own);
      }
      for (const [server, { message }] of failures ?? []) {
        if (!tested.includes(server))
          report({ kind: 'warning', text: `${server}, which is not being measured now, has a problem: ${message}` });
      }
    }
    await Promise.all(attempts.map((attempt) => attemptStage(running, attempt, stage, carryOut)));
  }
  for (const { folder, warnings } of attempts) warnings.push(...warningsOf('memory-dump', removeCoreDumps(folder)));
  return attempts.map((attempt) => recordTrial(running, variants, step, attempt));
}

type CarryOut = (attempt: Attempt) => Promise<void>;

function stages(running: ActiveRun, step: MeasureStep): [TrialStage, CarryOut][] {
  const { tool, experiment, report, generatorAt, now } = running;
  const onProgress =
    (trial: PlannedTrial, stage: TrialStage) =>
    (progress: { elapsedSeconds: number; tps: number }): void =>
      report({ kind: 'progress', trial, stage, ...progress });
  return [
    [
      'reset',
      async (attempt) => {
        const { target, warnings, signal } = attempt;
        const start = now().getTime();
        const reset = await withCauseInLog(target, () => resetTarget(running, target, step.reset, signal));
        warnings.push(...warningsOf('reset', reset.warnings));
        attempt.resetSeconds = (now().getTime() - start) / 1000;
        attempt.resetSteps = reset.done;
      },
    ],
    [
      'warm-up',
      async (attempt) => {
        const { planned, target, folder, signal } = attempt;
        // A restart, or somebody else, may have changed what is in force.
        attempt.serverMajor = (await proveInForce(target, signal)).major;
        await requireFoundAgain(running, planned.conditions, target, step, signal);
        const seconds = step.warmUpSeconds;
        if (seconds === 0) return;
        attempt.warmUpStartedAt = now();
        const generator = await generatorAt(levelOf(planned.conditions), planned.conditions.variant);
        const seed = loadSeed(experiment.protocol.seed, step, 'warm-up');
        await endOverdue({ dueSeconds: seconds + secondsOfLast(running), signal }, (due) =>
          generator.warmUp(target, { folder, seconds, seed, signal: due, onProgress: onProgress(planned, 'warm-up') }),
        );
      },
    ],
    [
      'measure',
      async (attempt) => {
        const { planned, target, folder, signal, found } = attempt;
        const generator = await generatorAt(levelOf(planned.conditions), planned.conditions.variant);
        let onProcess: (pid: number) => void = () => undefined;
        const loadProcess = new Promise<number>((resolve) => (onProcess = resolve));
        const collections = await collect(running, step, attempt, loadProcess);
        attempt.collections = collections;
        attempt.startedAt = now();
        const { durationSeconds, clients } = tool.shape(
          tool.resolveLevel(experiment.workload, levelOf(planned.conditions)),
        );
        const dueSeconds = durationSeconds === null ? null : durationSeconds + secondsOfLast(running);
        let observed: Promise<Findings[]> | undefined;
        const stopLooking = (): Promise<Findings[]> => {
          attempt.measuredPart ??= { startedAt: attempt.startedAt, endedAt: now() };
          return (observed ??= collections.stop(attempt.measuredPart));
        };
        const request = {
          folder,
          onProcess,
          onProgress: onProgress(planned, 'measure'),
          seed: loadSeed(experiment.protocol.seed, step, 'measure'),
          onEnd: () => stopLooking().then(() => undefined),
        };
        found.push(
          await endOverdue({ dueSeconds, signal }, (due) => generator.measure(target, { ...request, signal: due })),
        );
        await running.kept.requireUntouched();
        found.push(...(await stopLooking()));
        found.push({
          measures: {
            'load.clients': clients,
            ...(target.pooler && { 'pooler.size': target.pooler.size }),
            ...ceilingAt(running.ceilings, levelOf(planned.conditions)),
          },
        });
      },
    ],
    [
      'collect',
      async ({ collections, measuredPart, found }) => {
        if (!collections || !measuredPart) return;
        const load = found.find((one) => one.load)?.load;
        found.push(
          ...(await collections.finish({ ...measuredPart, ...(load && { load }) }, mergeFindings(found).measures)),
        );
      },
    ],
  ];
}

function collect(
  running: ActiveRun,
  { period }: MeasureStep,
  attempt: Attempt,
  loadProcess: Promise<number>,
): Promise<Collections> {
  const { tool, experiment, collectors, now, place } = running;
  const { planned, target, folder, signal } = attempt;
  const { id, conditions } = planned;
  const connection = new SharedConnection(target);
  return startCollections(
    collectors,
    {
      id,
      conditions,
      folder,
      target,
      signal,
      now,
      loadProcess,
      ...(period && { period }),
      ...(target.volumes && { volumes: target.volumes }),
      ...(target.serverLog && { serverLog: target.serverLog }),
      serverMajor: attempt.serverMajor,
      growingTable: tool.growingTable,
      logged: tool.logged(tool.resolveLevel(workloadOf(experiment, conditions.variant), levelOf(conditions))),
      sampleSeconds: experiment.sampleSeconds ?? placeNamed(place.kind).sampleSeconds,
      database: connection.use,
      warmUpStartedAt: attempt.warmUpStartedAt,
      ...(place.ownProcesses && { ownProcesses: place.ownProcesses }),
      ...(place.eventsBetween && { eventsBetween: place.eventsBetween }),
      ...(place.storageWork && { storageWork: place.storageWork }),
    },
    connection,
  );
}

/** Runs one stage of one trial, unless an earlier one failed. */
async function attemptStage(
  running: ActiveRun,
  attempt: Attempt,
  stage: TrialStage,
  carryOut: CarryOut,
): Promise<void> {
  if (attempt.failure) {
    await abandonLoad(running, attempt);
    return;
  }
  try {
    attempt.signal.throwIfAborted();
    running.report({ kind: 'stage-started', trial: attempt.planned, stage });
    await carryOut(attempt);
  } catch (error) {
    await abandonLoad(running, attempt);
    await attempt.collections?.abandon();
    await waitForServerFailure(running, attempt);
    fail(running, attempt, stage, error);
  }
}

/** Ends a load that has warmed up but will not be measured. */
async function abandonLoad({ generatorAt }: ActiveRun, { planned, target }: Attempt): Promise<void> {
  try {
    await (await generatorAt(levelOf(planned.conditions), planned.conditions.variant)).abandon?.(target);
  } catch {
    // What made the trial fail is the cause.
  }
}

/** Waits a moment for news that the server died. The client may notice first, but the server's death is the cause. */
async function waitForServerFailure({ pause }: ActiveRun, { signal, target }: Attempt): Promise<void> {
  const secondsUntilSeen = 2;
  await pause(secondsUntilSeen, AbortSignal.any([signal, target.failed])).catch(() => undefined);
}

function fail(running: ActiveRun, attempt: Attempt, stage: TrialStage, error: unknown): void {
  // If the server died, that is the cause, whatever the client says.
  const cause: unknown = attempt.target.failed.aborted ? attempt.target.failed.reason : error;
  const outside = attempt.target.failed.aborted ? null : externalReasonOf(cause, placeNamed(running.place.kind));
  const words = namingParameter(wordsOf(cause), attempt.target, cause);
  const killed = attempt.memoryRanOut();
  attempt.failure ??= {
    stage,
    code: killed === null ? failureIn(running, cause) : 'memory-ran-out',
    error: killed === null ? words : `${words}\n${killed}`,
    ...(outside && { outside }),
  };
}

/** The reason of an interruption says only in words what it is, unless it is a limit. */
function failureIn({ signal }: ActiveRun, cause: unknown): FailureCode {
  const failure = failureOf(cause);
  return failure === 'other' && signal.aborted ? 'interrupted' : failure;
}

import type { Binding } from '../contract/binding.ts';
import { failureOf, problemOf, wordsOf } from '../../contract/errors.ts';
import type { Result } from '../../contract/result.ts';
import type { RunStatus } from '../../contract/status.ts';
import type { RunEnd, StatusFacts } from '../../experiment/plan/tracked-status.ts';
import type { StackTimes } from '../place/describe-stack.ts';
import type { Published } from '../../storage/run-store.ts';
import { LimitReached } from '../../run/time-limit.ts';

/** @param times times of the stack; null if they are unknown */
export function factsOf(
  { stackName, dashboardUrl, deploy, whenDone, graceMinutes }: Binding,
  times: StackTimes | null,
  runFacts: Pick<StatusFacts, 'run' | 'startedAt' | 'limitHours' | 'dollarsPerHour' | 'billedSince'>,
): StatusFacts {
  return {
    stackName,
    dashboardUrl,
    deploy,
    whenDone,
    graceMinutes,
    ...runFacts,
    expiresAt: times?.expiresAt?.toISOString() ?? null,
  };
}

/** The end of a run that has a result, or that only had to load. */
export function endOf(
  result: Result | null,
  { interrupted, superseded }: { interrupted: AbortSignal; superseded: AbortSignal },
): RunEnd {
  if (result === null)
    return {
      state: 'interrupted',
      failure: 'not-measured',
      problems: ['The databases are loaded. No measurements yet.'],
    };
  if (result.complete) return { state: 'finished' };
  if (interrupted.aborted)
    return { state: 'interrupted', failure: 'interrupted', problems: [String(interrupted.reason)] };
  if (superseded.aborted)
    return { state: 'stopped', failure: 'interrupted', problems: [(superseded.reason as Error).message] };
  if (result.stoppedBy !== undefined) {
    const { id, message } = result.stoppedBy;
    return { state: 'stopped', failure: id === 'limit-reached' ? id : 'measured-in-vain', problems: [message] };
  }
  return {
    state: 'failed',
    failure: 'trials-missing',
    problems: ['Some trials failed, so their results are missing.'],
  };
}

/**
 * The end of a run that failed with an error. After passing trouble, and after a bug of ours, the driver starts the
 * runner again.
 */
export function endAfter(error: unknown, interrupted: AbortSignal): RunEnd {
  const problem = problemOf(error);
  const why = { failure: failureOf(error), problems: [problem?.message ?? wordsOf(error)] };
  if (interrupted.aborted) return { ...why, state: 'interrupted', failure: 'interrupted' };
  if (error instanceof LimitReached) return { ...why, state: 'stopped' };
  return { ...why, state: problem && !problem.isTransient ? 'failed' : 'interrupted' };
}

/**
 * The same status once all files of the run are proved to be in the bucket. From then on, its stack may delete itself.
 */
export function savedStatus(status: RunStatus, published: Published, at: Date): RunStatus {
  return { ...status, saved: { at: at.toISOString(), ...published }, deleteAfter: deletionAfter(at, status) };
}

function deletionAfter(
  at: Date,
  { whenDone, graceMinutes }: Pick<Binding, 'whenDone' | 'graceMinutes'>,
): string | null {
  return whenDone === 'keep' ? null : new Date(at.getTime() + graceMinutes * 60_000).toISOString();
}

/** The status of a run, with what the latest deploy makes of its stack if it has ended. @param expiresAt null if unknown */
export function asDeployed(
  status: RunStatus,
  { deploy, whenDone, graceMinutes }: Pick<Binding, 'deploy' | 'whenDone' | 'graceMinutes'>,
  expiresAt: Date | null,
): RunStatus {
  const now = { ...status, expiresAt: expiresAt?.toISOString() ?? null };
  if (status.deploy !== deploy || status.saved === null) return now;
  const after = { whenDone, graceMinutes };
  return { ...now, ...after, deleteAfter: deletionAfter(new Date(status.saved.at), after) };
}

import type { Binding } from '../contract/binding.ts';
import { problemOf, wordsOf } from '../../contract/errors.ts';
import { type Plan, plannedTrials } from '../../contract/plan.ts';
import type { Result } from '../../contract/result.ts';
import { type RunEvent, type RunState, type RunStatus, statusHead } from '../../contract/status.ts';
import { toolVersion } from '../../contract/tool-version.ts';
import type { Trial } from '../../contract/trial.ts';
import { remainingSeconds } from '../../experiment/plan/plan.ts';
import { firstLookMeasures } from '../../metrics/catalogue.ts';
import type { StackTimes } from '../place/describe-stack.ts';
import type { Published } from '../../storage/run-store.ts';
import { LimitReached } from '../../run/time-limit.ts';

/** Facts about a run that are known before it begins. */
export type StatusFacts = Pick<
  RunStatus,
  | 'stackName'
  | 'dashboardUrl'
  | 'deploy'
  | 'run'
  | 'startedAt'
  | 'limitHours'
  | 'dollarsPerHour'
  | 'billedSince'
  | 'whenDone'
  | 'graceMinutes'
  | 'expiresAt'
>;

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

/** The status of a run that begins. */
export function begunStatus(
  { experiment, profile }: Pick<RunStatus, 'experiment' | 'profile'>,
  facts: StatusFacts,
  at: Date,
): RunStatus {
  return {
    ...statusHead,
    toolVersion,
    experiment,
    profile,
    ...facts,
    state: 'running',
    deleteAfter: null,
    updatedAt: at.toISOString(),
    endedAt: null,
    current: { ...idle, stage: 'create' },
    plannedTrials: 0,
    trials: [],
    expectedEndAt: null,
    mayStopEarly: false,
    saved: null,
    problems: [],
  };
}

const idle = { conditions: null, trialNumber: null, done: null, elapsedSeconds: null, tps: null, waitingFor: null };

/** How a run ended: its state, and why. */
export type RunEnd = [state: Exclude<RunState, 'running'>, ...problems: string[]];

/** The end of a run that has a result, or that only had to load. */
export function endOf(
  result: Result | null,
  { interrupted, superseded }: { interrupted: AbortSignal; superseded: AbortSignal },
): RunEnd {
  if (result === null) return ['interrupted', 'The databases are loaded. Nothing has been measured yet.'];
  if (result.complete) return ['finished'];
  if (interrupted.aborted) return ['interrupted', String(interrupted.reason)];
  if (superseded.aborted) return ['stopped', (superseded.reason as Error).message];
  if (result.stoppedBy !== undefined) return ['stopped', result.stoppedBy];
  return ['failed', 'Some trials are missing: they failed.'];
}

/**
 * The end of a run that failed with an error. After passing trouble, and after a bug of ours, the driver starts the
 * runner again.
 */
export function endAfter(error: unknown, interrupted: AbortSignal): RunEnd {
  const problem = problemOf(error);
  const words = problem?.message ?? wordsOf(error);
  if (interrupted.aborted) return ['interrupted', words];
  if (error instanceof LimitReached) return ['stopped', words];
  return [problem && !problem.isTransient ? 'failed' : 'interrupted', words];
}

/** The same status after the run has ended or was interrupted. */
export function endedStatus(status: RunStatus, [state, ...problems]: RunEnd, at: Date): RunStatus {
  return {
    ...status,
    state,
    current: null,
    expectedEndAt: null,
    endedAt: at.toISOString(),
    updatedAt: at.toISOString(),
    problems: [...status.problems, ...problems],
  };
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

/** The same status with one more problem. Each problem is listed once. */
export function withProblem(status: RunStatus, problem: string): RunStatus {
  return status.problems.includes(problem) ? status : { ...status, problems: [...status.problems, problem] };
}

/** The status of a run, from its plan and the events that it reports. */
export class TrackedStatus {
  #status: RunStatus;
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #remaining: ReturnType<typeof remainingSeconds>;
  readonly #now: () => Date;
  readonly #metric: string;

  /**
   * @param earlier trials from earlier starts of the run
   * @param metric the declared metric; the status has its value for each trial
   */
  constructor(
    plan: Plan,
    facts: StatusFacts,
    { earlier, now, metric }: { earlier: readonly Trial[]; now: () => Date; metric: string },
  ) {
    this.#numbers = new Map(plannedTrials(plan).map(({ id }, index) => [id, index + 1]));
    this.#remaining = remainingSeconds(plan);
    this.#now = now;
    this.#metric = metric;
    this.#status = {
      ...begunStatus(plan, facts, now()),
      plannedTrials: this.#numbers.size,
      mayStopEarly: plan.until !== 'blocks',
    };
    for (const trial of earlier) this.#addTrial(trial);
  }

  status(): RunStatus {
    return { ...this.#status, updatedAt: this.#now().toISOString() };
  }

  /** Says how the run ended. Only the first call counts. */
  end(...end: RunEnd): void {
    if (this.#status.state === 'running') this.#status = endedStatus(this.#status, end, this.#now());
  }

  /** Receives the events of the run. */
  report(event: RunEvent): void {
    switch (event.kind) {
      case 'step-started':
        this.#continueWith({ stage: event.step.kind });
        this.#expect(this.#remaining.fromStep(event.step));
        return;
      case 'loading':
        this.#continueWith({ stage: event.step, conditions: event.conditions, done: event.done });
        return;
      case 'trying-out':
        this.#continueWith({ stage: 'try-out', conditions: event.conditions });
        return;
      case 'stage-started':
      case 'progress': {
        const { trial, stage } = event;
        const [elapsedSeconds, tps] = event.kind === 'progress' ? [event.elapsedSeconds, event.tps] : [null, null];
        const trialNumber = this.#numbers.get(trial.id) ?? null;
        if (stage === 'reset') this.#expect(this.#remaining.fromTrial(trial.id));
        this.#continueWith({ stage, conditions: trial.conditions, trialNumber, elapsedSeconds, tps });
        return;
      }
      case 'waiting': {
        const { current } = this.#status;
        if (current) this.#continueWith({ ...current, waitingFor: event.text });
        return;
      }
      case 'trial-ended':
        this.#addTrial(event.trial);
        return;
      case 'outlook':
      case 'warning':
        this.#status = withProblem(this.#status, event.text);
        return;
      case 'block-repeated':
        this.#set({
          problems: [
            ...this.#status.problems,
            `pgduet measures block ${event.block} again: one of its trials failed, was not valid or was cut off.`,
          ],
        });
        return;
      case 'loaded':
      case 'load-skipped':
      case 'touched':
      case 'trial-skipped':
    }
  }

  #set(changes: Partial<RunStatus>): void {
    this.#status = { ...this.#status, ...changes };
  }

  #continueWith(current: { stage: string } & Partial<RunStatus['current']>): void {
    this.#set({ current: { ...idle, ...current } });
  }

  #expect(leftSeconds: number | null): void {
    const end = leftSeconds === null ? null : new Date(this.#now().getTime() + leftSeconds * 1000);
    this.#set({ expectedEndAt: end?.toISOString() ?? null });
  }

  /** A trial that is measured again moves to the end of the list. */
  #addTrial({ id, block, conditions, state, endedAt, measures, failure }: Trial): void {
    const ended = {
      id,
      number: this.#numbers.get(id) ?? null,
      block,
      conditions,
      state,
      measures: firstLookMeasures(measures, this.#metric),
      error: failure === null ? null : `${failure.stage}: ${failure.error}`,
      endedAt,
    };
    this.#set({ trials: [...this.#status.trials.filter((trial) => trial.id !== id), ended] });
  }
}

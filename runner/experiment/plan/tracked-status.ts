import type { FailureCode } from '../../contract/failures.ts';
import { type Plan, plannedTrials } from '../../contract/plan.ts';
import { type RunEvent, type RunState, type RunStatus, statusHead } from '../../contract/status.ts';
import { toolVersion } from '../../contract/tool-version.ts';
import type { Trial } from '../../contract/trial.ts';
import { firstLookMeasures } from '../../metrics/catalogue.ts';
import { remainingSeconds } from './plan.ts';

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

/** A run on this machine has no stack, and nobody bills for it. */
function noStack(startedAt: Date): StatusFacts {
  return {
    ...{ stackName: '', dashboardUrl: '', deploy: '', run: null, startedAt: startedAt.toISOString() },
    ...{ limitHours: null, dollarsPerHour: null, billedSince: null, expiresAt: null },
    ...{ whenDone: 'keep', graceMinutes: 0 },
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

/** How a run ended, and why. */
export interface RunEnd {
  state: Exclude<RunState, 'running'>;
  failure?: FailureCode;
  problems?: readonly string[];
}

/** The same status after the run has ended or was interrupted. */
export function endedStatus(status: RunStatus, { state, failure, problems = [] }: RunEnd, at: Date): RunStatus {
  return {
    ...status,
    state,
    ...(failure && { failure }),
    current: null,
    expectedEndAt: null,
    endedAt: at.toISOString(),
    updatedAt: at.toISOString(),
    problems: [...status.problems, ...problems],
  };
}

/** The same status with one more problem. Each problem is listed once. */
export function withProblem(status: RunStatus, problem: string): RunStatus {
  return { ...status, problems: [...new Set([...status.problems, problem])] };
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
   * @param facts those of a run without a stack, if there are none
   */
  constructor(
    plan: Plan,
    { earlier = [], now, metric }: { earlier?: readonly Trial[]; now: () => Date; metric: string },
    facts: StatusFacts = noStack(now()),
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

  /** Number of a trial in the order of the plan; null if its block is measured once more. */
  numberOf({ id }: Pick<Trial, 'id'>): number | null {
    return this.#numbers.get(id) ?? null;
  }

  /** Says how the run ended. Only the first call counts. */
  end(end: RunEnd): void {
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
        const trialNumber = this.numberOf(trial);
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
            `pgduet repeats block ${event.block}: one of its trials failed, was not valid or was cut off.`,
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
      number: this.numberOf({ id }),
      block,
      conditions,
      state,
      measures: firstLookMeasures(measures, this.#metric),
      error: failure === null ? null : `${failure.stage}: ${failure.error}`,
      failure: failure && { stage: failure.stage, code: failure.code },
      endedAt,
    };
    this.#set({ trials: [...this.#status.trials.filter((trial) => trial.id !== id), ended] });
  }
}

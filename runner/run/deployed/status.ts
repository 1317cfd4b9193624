import { type Plan, plannedTrials } from '../../contract/plan.ts';
import { toolVersion } from '../../contract/tool-version.ts';
import type { Trial } from '../../contract/trial.ts';
import type { RunState, RunStatus } from '../../contract/status.ts';
import { firstLookMeasures } from '../../metrics/catalogue.ts';
import type { Report } from '../../contract/run-event.ts';
import { remainingSeconds } from '../../experiment/plan/remaining-seconds.ts';

export interface TrackedStatus {
  /** Receives the events of the run. */
  report: Report;
  status: () => RunStatus;
  /** Says how the run ended. Only the first call counts. */
  end(state: Exclude<RunState, 'running'>, problem?: string): void;
}

/** Facts of a run that are known before it begins. */
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

/**
 * Derives the status of a run from its plan and from the events that it reports.
 *
 * @param metric the declared metric; the status has its value for each trial
 */
export function trackStatus(
  plan: Plan,
  facts: StatusFacts,
  { earlier, now, metric }: { earlier: readonly Trial[]; now: () => Date; metric: string },
): TrackedStatus {
  const numbers = new Map(plannedTrials(plan).map(({ id }, index) => [id, index + 1]));
  const remaining = remainingSeconds(plan);
  const ended = new Map<string, RunStatus['trials'][number]>();
  const problems: string[] = [];
  let state: RunState = 'running';
  let endedAt: string | null = null;
  let current: RunStatus['current'] = { ...idle, stage: 'create' };
  let expectedEndAt: string | null = null;

  function expect(leftSeconds: number | null): void {
    expectedEndAt = leftSeconds === null ? null : new Date(now().getTime() + leftSeconds * 1000).toISOString();
  }
  function addTrial(trial: Trial): void {
    // A trial that is measured again moves to the end of the order.
    ended.delete(trial.id);
    ended.set(trial.id, trialStatus(trial, numbers.get(trial.id) ?? null, metric));
  }
  for (const trial of earlier) addTrial(trial);

  return {
    report(event) {
      switch (event.kind) {
        case 'step-started':
          current = { ...idle, stage: event.step.kind };
          expect(remaining.ofStep(event.step));
          return;
        case 'loading':
          current = { ...idle, stage: event.step, conditions: event.conditions, done: event.done };
          return;
        case 'trying-out':
          current = { ...idle, stage: 'try-out', conditions: event.conditions };
          return;
        case 'stage-started':
        case 'progress': {
          const { trial, stage } = event;
          const [elapsedSeconds, tps] = event.kind === 'progress' ? [event.elapsedSeconds, event.tps] : [null, null];
          const trialNumber = numbers.get(trial.id) ?? null;
          if (stage === 'reset') expect(remaining.ofTrial(trial.id));
          current = { ...idle, stage, conditions: trial.conditions, trialNumber, elapsedSeconds, tps };
          return;
        }
        case 'waiting':
          if (current) current = { ...current, waitingFor: event.text };
          return;
        case 'trial-ended':
          addTrial(event.trial);
          return;
        case 'warning':
          if (!problems.includes(event.text)) problems.push(event.text);
          return;
        case 'block-repeated':
          problems.push(
            `Block ${event.block} is measured once more: a trial of it failed, was not valid or was cut off.`,
          );
          return;
        case 'loaded':
        case 'load-skipped':
        case 'touched':
        case 'trial-skipped':
      }
    },
    status: () => ({
      kind: 'pgduet-status',
      schemaVersion: 3,
      toolVersion,
      experiment: plan.experiment,
      profile: plan.profile,
      ...facts,
      state,
      deleteAfter: null,
      updatedAt: now().toISOString(),
      endedAt,
      current,
      plannedTrials: numbers.size,
      trials: [...ended.values()],
      expectedEndAt,
      saved: null,
      problems: [...problems],
    }),
    end(how, problem) {
      if (state !== 'running') return;
      state = how;
      endedAt = now().toISOString();
      current = null;
      expectedEndAt = null;
      if (problem !== undefined) problems.push(problem);
    },
  };
}

const idle = { conditions: null, trialNumber: null, done: null, elapsedSeconds: null, tps: null, waitingFor: null };

function trialStatus(trial: Trial, number: number | null, metric: string): RunStatus['trials'][number] {
  const { id, block, conditions, state, endedAt, failure } = trial;
  return {
    id,
    number,
    block,
    conditions,
    state,
    endedAt,
    measures: firstLookMeasures(trial.measures, metric),
    error: failure === null ? null : `${failure.stage}: ${failure.error}`,
  };
}

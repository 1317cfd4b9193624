import { describe, expect, it } from 'vitest';
import { watchedDeploy } from '../../runner/rds/bucket/bucket-run.ts';
import { watchRun } from '../../runner/cli/actions/watch.ts';
import type { MeasureStep, Step } from '../../runner/contract/plan.ts';
import { type RunStatus, withoutFigures } from '../../runner/contract/status.ts';
import { makePlan } from '../../runner/experiment/plan/plan.ts';
import { currentLine, endLine } from '../../runner/report/terminal/status-text.ts';
import { TrackedStatus } from '../../runner/experiment/plan/tracked-status.ts';
import { asDeployed } from '../../runner/rds/driver/status.ts';
import { s3Error } from '../helpers/fakes/fake-aws.ts';
import { fakeIo } from '../helpers/fakes/fake-io.ts';
import { fakeS3 } from '../helpers/fakes/fake-s3.ts';
import { recordSample } from '../helpers/samples/sample-result.ts';

const at = (minutes: number): string => new Date(Date.parse('2026-11-21T12:00:00Z') + minutes * 60_000).toISOString();

const running: RunStatus = {
  kind: 'pgduet-status',
  schemaVersion: 3,
  toolVersion: '0.1.0',
  experiment: 'dlv',
  profile: 'full',
  stackName: 'pgduet-dlv-alice',
  dashboardUrl: 'https://example.com',
  deploy: 'a1b2c3d4e5f6',
  state: 'running',
  deleteAfter: null,
  run: 'runs/2026-11-21T12-00-00Z/',
  startedAt: at(0),
  updatedAt: at(90),
  endedAt: null,
  current: {
    stage: 'measure',
    conditions: { variant: 'with-dlv' },
    trialNumber: 2,
    done: null,
    elapsedSeconds: 125,
    tps: 13397,
    waitingFor: null,
  },
  plannedTrials: 12,
  trials: [
    {
      id: 'block-01-1-without-dlv',
      number: 1,
      block: 1,
      conditions: { variant: 'without-dlv' },
      state: 'finished',
      measures: { tps: 6984.2, 'latency.p99': 0.0213 },
      error: null,
      endedAt: at(85),
    },
  ],
  expectedEndAt: at(300),
  mayStopEarly: false,
  limitHours: 16,
  dollarsPerHour: 20.8,
  billedSince: at(-30),
  whenDone: 'destroy',
  graceMinutes: 30,
  expiresAt: at(24 * 60 - 30),
  saved: null,
  problems: [],
};

const saved = { at: at(92), objects: 61, sizeBytes: 1_843_022 };
const ended = { state: 'finished', current: null, endedAt: at(90), saved, deleteAfter: at(122) } as const;

/** Shows one status after another, as the driver would write them. */
function watch(...statuses: (RunStatus | null)[]): ReturnType<typeof watchWith> {
  return watchWith({}, ...statuses);
}

async function watchWith(
  options: { blind?: boolean },
  ...statuses: (RunStatus | null)[]
): Promise<{ last: RunStatus | null; shown: string[]; error: unknown }> {
  const s3 = fakeS3();
  const put = (status: RunStatus | null | undefined): void => {
    if (status) s3.objects.set('dlv/alice/1/status.json', JSON.stringify(status));
  };
  const left = [...statuses];
  put(left.shift());
  const { io, printed } = fakeIo({ columns: 100 });
  const deploy = watchedDeploy(s3.client, { bucket: 'results', prefix: 'dlv/alice/1/' });
  const outcome = await watchRun(deploy, io, {
    ...options,
    deploy: running.deploy,
    now: () => new Date(at(90)),
    pause: () => {
      if (left.length === 0) return Promise.reject(new Error('interrupted by SIGINT'));
      put(left.shift());
      return Promise.resolve();
    },
  }).then(
    (last) => ({ last, error: null }),
    (error: unknown) => ({ last: null, error }),
  );
  return {
    ...outcome,
    shown: printed()
      .stderr.split('\n')
      .filter((line) => line !== ''),
  };
}

describe('pgduet watch', () => {
  it('shows every trial once, and ends with the run', async () => {
    const second: RunStatus['trials'][number] = {
      id: 'block-01-2-with-dlv',
      number: 2,
      block: 1,
      conditions: { variant: 'with-dlv' },
      state: 'finished',
      measures: { tps: 13397, 'latency.p99': 0.0213 },
      error: null,
      endedAt: at(110),
    };
    const later = { ...running, trials: [...running.trials, second] };
    const { last, shown } = await watch(null, running, running, later, { ...later, ...ended });
    expect(last?.state).toBe('finished');
    expect(shown).toEqual([
      'No measurements yet under s3://results/dlv/alice/1/; waiting for the driver.',
      '13:25:00  trial  1 of 12  block 1  without-dlv  6,984 tps, p99 21.3 ms',
      'trial  2 of 12  with-dlv  measure',
      '13:50:00  trial  2 of 12  block 1  with-dlv  13,397 tps, p99 21.3 ms',
    ]);
  });

  it('shows no figure with --blind, and none where the driver hides them', async () => {
    const [finished] = running.trials;
    if (!finished) throw new Error('no trial');
    const error = 'measure: pgbench ended with 2: progress: 9.0 s, 6984 tps';
    const failure = { stage: 'measure', code: 'load-failed' };
    const failed = { ...finished, id: 'block-01-2-with-dlv', state: 'failed', measures: {}, error, failure } as const;
    const hidden = withoutFigures({ ...running, trials: [finished, failed] });
    expect(JSON.stringify(hidden)).not.toMatch(/6984|13397|0\.0213/);
    const expected = [
      '13:25:00  trial  1 of 12  block 1  without-dlv  measured',
      '13:25:00  trial  1 of 12  block 1  without-dlv  failed in measure: hidden (--blind)',
      'trial  2 of 12  with-dlv  measure',
    ];
    expect((await watchWith({ blind: true }, { ...running, trials: [finished, failed] })).shown).toEqual(expected);
    expect((await watch(hidden)).shown).toEqual(expected);
    // Drivers of earlier versions say the stage only in words, which nobody reads.
    const { failure: _, ...old } = failed;
    expect(withoutFigures({ ...running, trials: [old] }).trials[0]?.error).not.toContain('pgbench');
  });

  it('can be left, and finds everything again when it is rejoined', async () => {
    const first = await watch(running);
    expect(first.error).toHaveProperty('message', 'interrupted by SIGINT');
    expect((await watch(running)).shown).toEqual(first.shown);
  });

  it('waits through a reboot of the driver', async () => {
    const interrupted: RunStatus = {
      ...running,
      state: 'interrupted',
      current: null,
      problems: ['interrupted by SIGTERM'],
    };
    const { last, shown } = await watch(running, interrupted, running, {
      ...running,
      ...ended,
    });
    expect(last?.state).toBe('finished');
    expect(shown).toContain('problem: interrupted by SIGTERM');
    expect(shown).toContain('Interrupted; the run continues when the driver restarts.');
  });

  it('waits for the run of the latest deploy, where that of an earlier one has ended', async () => {
    const earlier: RunStatus = { ...running, deploy: '0123456789ab', state: 'finished', current: null };
    const { last, shown } = await watch(earlier, running, { ...running, ...ended });
    expect(last?.deploy).toBe(running.deploy);
    expect(shown).toContain(
      'An earlier deploy’s run has ended (finished); waiting for the driver to start the next one.',
    );
  });

  it('says time and money spent, and what is left', () => {
    expect(currentLine(running, new Date(at(90)))).toBe(
      'trial  2 of 12  with-dlv  measure  2 min 5 s  13,397 tps  1 h 30 min of at most 16 h  $41.60  about 3 h 30 min left',
    );
  });

  it('says that a run which may stop at a look takes the time that is left at most', () => {
    expect(currentLine({ ...running, mayStopEarly: true }, new Date(at(90)))).toMatch(
      / {2}up to about 3 h 30 min left$/,
    );
  });

  it('says what AWS is waited for, and since when', () => {
    const waitingFor = 'Variant with-dlv (alice-with): waiting since 2026-11-21 12:40 UTC: storage-optimization';
    const current = { ...running.current, stage: 'cross-over', conditions: null, trialNumber: null, waitingFor };
    const waiting: RunStatus = { ...running, current: { ...current, done: null, elapsedSeconds: null, tps: null } };
    expect(currentLine(waiting, new Date(at(90)))).toMatch(
      /^cross-over {2}Variant with-dlv .*storage-optimization {2}/,
    );
  });

  it('notices when the driver falls silent', () => {
    expect(currentLine(running, new Date(at(100)))).toContain('no update for 10 min');
  });
});

describe('the steps of a crossover', () => {
  const { experiment } = recordSample({ variants: { 'without-dlv': 1, 'with-dlv': 1 }, blocks: 2 }).run;
  const { protocol } = experiment.definition;
  const crossed = {
    ...experiment.definition,
    protocol: { ...protocol, crossover: { exchanges: 1 }, settleSeconds: 600 },
  };
  const plan = makePlan(crossed, 'full');

  /** The status that the driver writes during a step, after everything that came before it. */
  function statusesOf(steps: readonly Step[]): RunStatus[] {
    const tracked = new TrackedStatus(plan, { now: () => new Date(at(90)), metric: 'tps' });
    return steps.flatMap((step) => {
      if (step.kind !== 'measure') {
        tracked.report({ kind: 'step-started', step });
        return [tracked.status()];
      }
      for (const stage of ['reset', 'measure', 'collect'] as const) {
        for (const trial of step.trials) tracked.report({ kind: 'stage-started', trial, stage });
      }
      return [];
    });
  }

  it('show what AWS is waited for until the next step', () => {
    const tracked = new TrackedStatus(plan, { now: () => new Date(at(90)), metric: 'tps' });
    tracked.report({ kind: 'waiting', text: 'with-dlv: waiting since 12:40' });
    expect(tracked.status().current).toMatchObject({ stage: 'create', waitingFor: 'with-dlv: waiting since 12:40' });
    for (const step of plan.steps) if (step.kind === 'load') tracked.report({ kind: 'step-started', step });
    expect(tracked.status().current).toMatchObject({ stage: 'load', waitingFor: null });
  });

  it('are each shown by their own name, not as the trial before them', () => {
    const lines = statusesOf(plan.steps).map((status) => currentLine(status, new Date(at(90))).split('  ')[0]);
    expect(lines).toEqual(['create', 'load', 'settle', 'cross-over', 'settle']);
  });

  it('are told once each as they come, with what is left of the run', async () => {
    const statuses = statusesOf(plan.steps);
    const crossing = statuses.find(({ current }) => current?.stage === 'cross-over');
    expect(crossing?.current).toMatchObject({ conditions: null, trialNumber: null, done: null, tps: null });
    // 30 minutes to cross over, 10 minutes to settle, then the trials of one block.
    const measuring = plan.steps.filter((step): step is MeasureStep => step.kind === 'measure').slice(-2);
    const left = 2400 + measuring.reduce((sum, { expectedSeconds }) => sum + (expectedSeconds ?? NaN), 0);
    expect(Date.parse(crossing?.expectedEndAt ?? '') - Date.parse(at(90))).toBeCloseTo(left * 1000, -3);
    const { shown } = await watch(...statuses.flatMap((status) => [status, status]));
    expect(shown).toEqual(['create', 'load', 'settle', 'cross-over', 'settle']);
  });
});

const finished: RunStatus = { ...running, ...ended };

describe('the end of a run', () => {
  it('is waited for until everything is saved, and that it is not is said once', async () => {
    const unsaved = { ...finished, saved: null, deleteAfter: null };
    const { last, shown } = await watch(unsaved, unsaved, finished);
    expect(last).toEqual(finished);
    expect(shown.filter((line) => line.includes('some results are not in S3 yet'))).toHaveLength(1);
  });

  it('is no wait for a run that was refused: its problems are shown', async () => {
    const problems = ['secretsmanager:GetSecretValue was refused.'];
    const refused: RunStatus = { ...finished, state: 'refused', run: null, trials: [], problems };
    const { last, shown } = await watch(null, refused);
    expect(last?.state).toBe('refused');
    expect(shown).toContain('problem: secretsmanager:GetSecretValue was refused.');
  });

  it('says when the stack goes and what it bills until then', () => {
    const now = new Date(at(95));
    expect(endLine(finished, now)).toBe(
      'The stack deletes itself at 14:02 UTC on 2026-11-21 and costs $20.80 an hour until then.',
    );
    expect(endLine(finished, new Date(at(130)))).toContain('has been deleting itself since 14:02 UTC');
    expect(endLine({ ...finished, whenDone: 'keep', deleteAfter: null }, now)).toBe(
      'The stack is kept: it costs $20.80 an hour until you destroy it, or until it expires at 11:30 UTC on 2026-11-22.',
    );
    expect(endLine({ ...finished, saved: null, deleteAfter: null }, now)).toContain(
      'Some results are not in S3 yet, so the stack stays and costs $20.80 an hour. The driver keeps trying; at 11:30',
    );
  });

  it('says what a later deploy of the same measurement makes of the stack', () => {
    const now = new Date(at(130));
    const deployed = { deploy: finished.deploy, graceMinutes: 30 };
    const expiresAt = new Date(finished.expiresAt ?? '');
    const kept = asDeployed(finished, { ...deployed, whenDone: 'keep' }, expiresAt);
    expect(endLine(kept, now)).toContain('The stack is kept: it costs $20.80 an hour until you destroy it');
    // Its grace time counts from the end of the run.
    expect(asDeployed(kept, { ...deployed, whenDone: 'destroy' }, expiresAt)).toEqual(finished);
    expect(asDeployed(finished, { ...deployed, deploy: 'another', whenDone: 'keep' }, expiresAt)).toEqual(finished);
    expect(asDeployed(running, { ...deployed, whenDone: 'keep' }, expiresAt)).toEqual(running);
  });

  it('says when the stack expires now, not when the run thought that it would', () => {
    const deployed = { deploy: finished.deploy, graceMinutes: 30, whenDone: 'keep' } as const;
    const ends = (expiresAt: Date | null): string =>
      endLine(asDeployed(finished, deployed, expiresAt), new Date(at(130)));
    expect(ends(new Date(at(600)))).toContain('or until it expires at 22:00 UTC on 2026-11-21');
    expect(ends(null)).not.toContain('expires');
  });

  it('does not end the bill: money is counted from the stack’s creation to its deletion', () => {
    expect(currentLine(finished, new Date(at(120)))).toBe('finished  1 h 30 min of at most 16 h  $52.00');
    expect(currentLine(finished, new Date(at(600)))).toContain('$52.69');
  });
});

describe('a status', () => {
  it('says who refuses to let the status be read', async () => {
    const s3 = fakeS3();
    s3.answerWith(() => s3Error('AccessDenied', 'User: bob is not authorized to perform: s3:GetObject', 403));
    const deploy = watchedDeploy(s3.client, { bucket: 'results', prefix: 'p/' });
    await expect(deploy.readStatus()).rejects.toThrow(
      's3:GetObject of s3://results/p/status.json was denied: User: bob is not authorized to perform: s3:GetObject.',
    );
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { watchedDeploy } from '../../runner/rds/bucket/bucket-run.ts';
import { type LiveRun, openLiveRun, requireTerminal, serveWatched } from '../../runner/cli/actions/serve-live.ts';
import { watchRun } from '../../runner/cli/actions/watch.ts';
import { runFile } from '../../runner/contract/run-record.ts';
import type { RunStatus } from '../../runner/contract/status.ts';
import { trialFile } from '../../runner/contract/trial.ts';
import { makePlan } from '../../runner/experiment/plan/plan.ts';
import type { PlannedRun } from '../../runner/run/run-shape.ts';
import { runFolder } from '../../runner/storage/run-folder.ts';
import { begunStatus } from '../../runner/experiment/plan/tracked-status.ts';
import { fakeIo, runCommandLine } from '../helpers/fakes/fake-io.ts';
import { type FakeS3, fakeS3 } from '../helpers/fakes/fake-s3.ts';
import { type OpenPage, openPage } from '../helpers/open-page.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { parsedExperiment } from '../helpers/samples/parsed-experiment.ts';
import { recordSample } from '../helpers/samples/sample-result.ts';
import { saveSample } from '../helpers/samples/saved-sample.ts';

const prefix = 'dlv/alice/1/';
const run = 'runs/2026-11-21T12-00-00Z/';
const startedAt = '2026-11-21T12:00:00.000Z';
const { run: record, trials } = recordSample({});

/** The status after the first trials. */
function statusAfter(count: number, changes: Partial<RunStatus> = {}): RunStatus {
  const facts = { stackName: 's', dashboardUrl: '', deploy: 'a1b2c3d4e5f6', run, startedAt, limitHours: null };
  return {
    ...begunStatus(
      { experiment: 'dlv', profile: 'full' },
      { ...facts, dollarsPerHour: null, billedSince: null, expiresAt: null, whenDone: 'destroy', graceMinutes: 30 },
      new Date(startedAt),
    ),
    plannedTrials: 12,
    trials: trials.slice(0, count).map(({ id, block, conditions, endedAt }, index) => ({
      ...{ id, number: index + 1, block, conditions, endedAt },
      ...{ state: 'finished', measures: {}, error: null },
    })),
    ...changes,
  };
}

/** Puts into the bucket what a driver has uploaded after these trials. */
function upload(s3: FakeS3, count: number, changes: Partial<RunStatus> = {}): void {
  const text = ({ kind, schemaVersion }: { kind: string; schemaVersion: number }, value: object): string =>
    JSON.stringify({ kind, schemaVersion, toolVersion: '0.1.0', ...value });
  s3.objects.set(`${prefix}status.json`, JSON.stringify(statusAfter(count, changes)));
  s3.objects.set(`${prefix}${run}run.json`, text(runFile, record));
  for (const trial of trials.slice(0, count)) {
    s3.objects.set(`${prefix}${run}trials/${trial.id}/trial.json`, text(trialFile, trial));
  }
}

const opened: { end: () => Promise<void> }[] = [];
const pages: OpenPage[] = [];
afterEach(async () => {
  for (const page of pages.splice(0)) page.leave();
  for (const live of opened.splice(0)) await live.end();
});

async function watched(options: { blind?: true } = {}) {
  const s3 = fakeS3();
  const { io, printed } = fakeIo();
  const deploy = watchedDeploy(s3.client, { bucket: 'results', prefix });
  const live = await serveWatched(deploy, options, io);
  opened.push(live);
  const [, address = ''] = /^Live: (\S+)\n$/.exec(printed().stderr) ?? [];
  const page = await openPage(address);
  pages.push(page);
  const latest = (): string => page.received().findLast(([kind]) => kind === 'page')?.[1] ?? '';
  const progress = (): string => page.received().findLast(([kind]) => kind === 'progress')?.[1] ?? '';
  return { s3, deploy, io, live, printed, latest, progress };
}

describe('--live', () => {
  it.each([
    ['load-run', 'quick', '--local', '--live'],
    ['try', '--set', 'work_mem=4MB,64MB', '--live'],
    ['watch', 's3://results/dlv/alice/1', '--live'],
  ])('of %s is refused without a terminal: others might read the address in a log', async (...words) => {
    const { exitCode, stderr } = await runCommandLine(words);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain('pgduet: --live: the page address is secret');
    expect(exitCode).toBe(2);
  });

  it('is allowed in a terminal', () => {
    const statusLine = { show: () => undefined, clear: () => undefined };
    expect(() => requireTerminal(fakeIo({ statusLine }).io)).not.toThrow();
  });

  it('of a run on deployed servers names the command that shows one', async () => {
    const { exitCode, stderr } = await runCommandLine(['load-run', 'dlv-pgbench', '--live']);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain('For a deployed run: npx --no-install pgduet watch NAME --live');
    expect(exitCode).toBe(2);
  });
});

/** The run that the sample is of. */
function preparedRun(): PlannedRun {
  const experiment = parsedExperiment(record.experiment.definition);
  return {
    experiment,
    profile: 'local',
    plan: makePlan(experiment, 'local'),
    inputs: { file: '/quick.yaml', text: '' },
  };
}

/** What a page received of a run, which ends when `use` does. */
async function during(use: (live: LiveRun, page: OpenPage, printed: () => string) => Promise<void>): Promise<OpenPage> {
  const { io, printed } = fakeIo();
  const live = await openLiveRun(preparedRun(), {}, io);
  try {
    const [, address = ''] = /^Live: (\S+)\n$/.exec(printed().stderr) ?? [];
    const page = await openPage(address);
    pages.push(page);
    await use(live, page, () => printed().stderr);
    return page;
  } finally {
    await live.end();
  }
}

const textOf = (page: OpenPage, kind: string): string => page.received().findLast(([one]) => one === kind)?.[1] ?? '';

describe('a run with --live', () => {
  it('hands its events on, and says on the page what is done', async () => {
    const heard: string[] = [];
    await during(async (live, page) => {
      const report = live.reportAfter(({ kind }) => heard.push(kind));
      report({ kind: 'step-started', step: { kind: 'create', variants: [], expectedSeconds: 1 } });
      await expect.poll(() => textOf(page, 'progress')).toContain('Create');
    });
    expect(heard).toEqual(['step-started']);
  });

  it('shows the trials that a resumed run already has', async () => {
    await during(async (live, page) => {
      live.resumesAfter(trials.slice(0, 5));
      await expect.poll(() => textOf(page, 'page').match(/finished/g)).toHaveLength(5);
      expect(textOf(page, 'progress')).toContain('5 of 12 trials: quick');
    });
  });

  it('makes its report from the folder of the run between two trials, and warns where it cannot', async () => {
    const folder = temporaryFolder();
    await during(async (live, page, printed) => {
      await live.betweenTrials(runFolder(folder, folder));
      expect(printed().replaceAll(/\s+/g, ' ')).toContain('warning: could not build the live page: ');
      await saveSample(folder);
      await live.betweenTrials(runFolder(folder, folder));
      await expect.poll(() => textOf(page, 'page')).toContain('12 of 12 planned trials have finished');
    });
  });

  it('says so on the page when it ends without a result', async () => {
    const page = await during(() => Promise.resolve());
    await expect.poll(() => page.received().at(-1)).toEqual(['end', '']);
    expect(textOf(page, 'progress')).toContain('pgduet exited without a result; see the terminal.');
  });
});

describe('watch --live', () => {
  it('makes the page anew from S3 when another trial has ended', async () => {
    const { s3, live, latest } = await watched();
    for (const count of [2, 4]) {
      upload(s3, count);
      await live.show(statusAfter(count));
      await expect.poll(() => latest()).toContain(`${count} of 12 planned trials have finished`);
    }
    expect(latest()).toContain('No verdict until the planned 6 blocks are measured.');
  });

  it.each([
    ['shows the result of the whole run at its end', {}, /<h1>[^]*faster[^]*<\/h1>/],
    ['shows no figure of it with --blind, not even at its end', { blind: true as const }, /Figures stay hidden/],
  ])('%s, and ends', async (_, options, found) => {
    const { s3, deploy, io, live, latest, progress } = await watched(options);
    upload(s3, 11);
    const ended = await watchRun(deploy, io, {
      ...{ deploy: 'a1b2c3d4e5f6', ...options, now: () => new Date(startedAt), onStatus: live.show },
      pause: () => {
        upload(s3, 12, {
          ...{ state: 'finished', endedAt: startedAt, current: null },
          saved: { at: startedAt, objects: 20, sizeBytes: 1e6 },
        });
        return Promise.resolve();
      },
    });
    await live.showResult(ended);
    await expect.poll(() => latest()).toMatch(found);
    expect(progress()).toContain(`The run has ended (finished): s3://results/dlv/alice/1/${run}`);
  });

  it('reads nothing of a run that may stop early', async () => {
    const { s3, live, latest } = await watched();
    upload(s3, 2);
    s3.answerWith(() => {
      throw new Error('S3 was asked');
    });
    await live.show(statusAfter(2, { mayStopEarly: true }));
    await expect.poll(() => latest()).toContain('Figures stay hidden');
  });

  it('warns where the page cannot be made, and the run is watched on', async () => {
    const { live, printed, latest } = await watched();
    await live.show(statusAfter(2));
    await expect.poll(() => latest()).toContain('Trials so far');
    expect(printed().stderr).toContain('warning: could not build the live page: s3://results/dlv/alice/1/');
  });
});

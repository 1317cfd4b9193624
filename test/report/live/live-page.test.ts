import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RunStatus } from '../../../runner/contract/status.ts';
import { LivePage } from '../../../runner/report/live/live-page.ts';
import { begunStatus } from '../../../runner/experiment/plan/tracked-status.ts';
import { type OpenPage, openPage } from '../../helpers/open-page.ts';
import { sampleRun } from '../../helpers/samples/sample-result.ts';

const startedAt = '2026-11-21T12:00:00.000Z';
const now = new Date('2026-11-21T12:10:00.000Z');

/** One trial has ended, and the second is being measured. */
function statusWith(changes: Partial<RunStatus> = {}): RunStatus {
  const facts = { stackName: '', dashboardUrl: '', deploy: '', run: null, startedAt, limitHours: null };
  return {
    ...begunStatus(
      { experiment: 'dlv', profile: 'full' },
      { ...facts, dollarsPerHour: null, billedSince: null, expiresAt: null, whenDone: 'keep', graceMinutes: 0 },
      now,
    ),
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
        state: 'failed',
        measures: { tps: 6984 },
        error: 'measure: pgbench ended with tps = 6984.2',
        endedAt: startedAt,
      },
    ],
    ...changes,
  };
}

let page: LivePage | undefined;
let reader: OpenPage | undefined;
afterEach(async () => {
  reader?.leave();
  await page?.end('', null);
});

async function opened(how: { blind: boolean } = { blind: false }): Promise<LivePage> {
  page = await LivePage.open({ ...how, question: 'Is it faster?', firstReport: 'It comes after the first trial.' });
  return page;
}

async function read(live: LivePage): Promise<OpenPage> {
  reader = await openPage(live.address);
  return reader;
}

/** The latest text of a kind that a page has received. */
async function latest(of: OpenPage, kind: string): Promise<string> {
  return vi.waitFor(
    () => {
      const [, text] = of.received().findLast(([one]) => one === kind) ?? [];
      if (text === undefined) throw new Error(`nothing of ${kind} has come`);
      return text;
    },
    { timeout: 30_000 },
  );
}

/** Text of markup, with single spaces. */
function textOf(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The states of the boxes of the strip, one for each planned trial. */
async function boxes(of: OpenPage): Promise<string[]> {
  return [...(await latest(of, 'progress')).matchAll(/<i class="(\w+)">/g)].map(([, state = '']) => state);
}

describe('a live page', () => {
  it('says that nothing has ended before the first trial has, without an empty table', async () => {
    const live = await opened();
    live.show(statusWith({ trials: [], current: null }), now);
    const shown = await read(live);
    const text = await latest(shown, 'page');
    expect(textOf(text)).toBe('Is it faster? No trial has finished yet. It comes after the first trial.');
    expect(text).not.toContain('<table');
    expect(await boxes(shown)).toEqual(Array.from({ length: 12 }, () => 'planned'));
  });

  it('has a box for each planned trial: as it ended, under way or to come; a repeat has none', async () => {
    const live = await opened();
    const { trials } = statusWith();
    const [first] = trials;
    if (!first) throw new Error('no trial');
    live.show(
      statusWith({ trials: [first, { ...first, number: null }, { ...first, number: 3, state: 'finished' }] }),
      now,
    );
    const states = await boxes(await read(live));
    expect(states).toEqual(['failed', 'now', 'finished', ...Array.from({ length: 9 }, () => 'planned')]);
  });

  it('shows how far the run has come, and which trials have ended', async () => {
    const live = await opened();
    live.show(statusWith(), now);
    const shown = await read(live);
    expect(textOf(await latest(shown, 'progress'))).toBe(
      '1 of 12 trials: dlv Trial 2 of 12 · with-dlv · measure · 2 min 5 s · 13,397 tps 10 min',
    );
    const text = textOf(await latest(shown, 'page'));
    expect(text).toContain('without-dlv failed');
    expect(text).toContain('It comes after the first trial.');
  });

  it.each([
    ['that may stop early', false, { mayStopEarly: true }, 'looks fixed in advance'],
    ['with --blind', true, {}, '(--blind)'],
  ])('of a run %s shows no figure, says why, and takes no report', async (_, blind, changes, why) => {
    const live = await opened({ blind });
    live.show(statusWith(changes), now);
    const shown = await read(live);
    await expect.poll(() => shown.received()).toHaveLength(2);
    await live.report(await sampleRun());
    live.show(statusWith({ ...changes, plannedTrials: 13 }), now);
    await expect.poll(() => shown.received()).toHaveLength(3);
    const all = shown
      .received()
      .map(([, text]) => text)
      .join('\n');
    expect(all).toContain(why);
    expect(textOf(all)).toContain('Trial 2 of 13 · with-dlv · measure');
    expect(all).not.toMatch(/13,?397|6,?984|tps|<svg/);
    expect(live.takesReports).toBe(false);
  });

  it('takes reports only while a browser has it open', async () => {
    const live = await opened();
    live.show(statusWith(), now);
    expect(live.takesReports).toBe(false);
    (await read(live)).leave();
    await expect.poll(() => live.takesReports).toBe(false);
    await read(live);
    await expect.poll(() => live.takesReports).toBe(true);
  });

  it('keeps its latest report until the next one, and ends with that of the whole run', async () => {
    const live = await opened();
    live.show(statusWith(), now);
    const shown = await read(live);
    const run = await sampleRun();
    await live.report(run);
    live.show(statusWith(), now);
    await expect.poll(() => shown.received().map(([kind]) => kind)).toEqual(['progress', 'page', 'page', 'progress']);
    expect(await latest(shown, 'page')).toContain('No verdict until the planned 6 blocks are measured.');
    await live.end('The run has ended.', { ...run, location: 'results/quick/one' });
    await latest(shown, 'end');
    expect(textOf(await latest(shown, 'progress'))).toBe('The run has ended.');
    expect(await latest(shown, 'page')).toMatch(/<h1>[^]*faster[^]*<\/h1>/);
    expect(await latest(shown, 'page')).toContain('npx --no-install pgduet load-run results/quick/one --local');
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { presentResult } from '../../runner/cli/actions/present-result.ts';
import { showBeginning } from '../../runner/cli/actions/prepare-run.ts';
import { decidingMetric } from '../../runner/contract/experiment/schema.ts';
import { type Plan, plannedTrials } from '../../runner/contract/plan.ts';
import type { Result } from '../../runner/contract/result.ts';
import type { RunEvent } from '../../runner/contract/status.ts';
import { makePlan } from '../../runner/experiment/plan/plan.ts';
import { showProgress } from '../../runner/report/terminal/progress.ts';
import { shortAnswer } from '../../runner/report/answer/short-answer.ts';
import { reported } from '../../runner/report/reported.ts';
import { runFolder } from '../../runner/storage/run-folder.ts';
import { fakeIo } from '../helpers/fakes/fake-io.ts';
import { goldenResults } from './golden-results.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'whole-runs-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-21T13:00:00Z') }));
afterEach(() => void vi.useRealTimers());

/** Two variants and six blocks, as `npm start` measures them. */
const names = ['verdict', 'worse', 'equivalent', 'inconclusive', 'withheld', 'read-only'];

/** npm itself prints four lines. */
const maxLinesOfLog = 45 - 4;

async function resultOf(name: string): Promise<Result> {
  const { result } = (await goldenResults[name]?.()) ?? {};
  if (!result) throw new Error(`no such result: ${name}`);
  return result;
}

/** Everything that a run prints, in its order. */
async function printedBy(result: Result, { isTerminal }: { isTerminal: boolean }): Promise<string> {
  let text = '';
  const both = new Writable({
    write(chunk: Buffer, _, done) {
      text += chunk.toString();
      done();
    },
  });
  const { io } = fakeIo({
    workingFolder: folder,
    columns: isTerminal ? 80 : Infinity,
    stdout: both,
    stderr: both,
    // What it shows is written over again and again.
    statusLine: isTerminal ? { show: () => undefined, clear: () => undefined } : null,
  });
  const { definition, profile } = result.experiment;
  const plan = makePlan(definition, profile);
  showBeginning({ plan, experiment: definition, costs: null }, { more: 'Every step and its time: ...' }, io);
  const progress = showProgress(plan, decidingMetric(definition.decision), io);
  for (const event of eventsOf(plan, result)) {
    vi.setSystemTime(Date.now() + 12_000);
    progress.report(event);
  }
  progress.end();
  await presentResult(
    result,
    runFolder(mkdtempSync(path.join(folder, 'run-')), path.join(folder, 'results/quick/latest')),
    {},
    io,
  );
  return text;
}

function eventsOf(plan: Plan, { experiment, trials }: Result): RunEvent[] {
  const started = (kind: 'create' | 'load' | 'settle'): RunEvent[] =>
    plan.steps.flatMap((step) => (step.kind === kind ? [{ kind: 'step-started', step }] : []));
  return [
    ...started('create'),
    ...started('load'),
    ...Object.keys(experiment.definition.variants).map((variant): RunEvent => ({
      kind: 'loaded',
      conditions: { variant },
      seconds: 2,
    })),
    ...plannedTrials(plan).flatMap(({ id }, index): RunEvent[] => {
      const trial = trials[index];
      return trial ? [{ kind: 'trial-ended', trial: { ...trial, id } }] : [];
    }),
  ];
}

describe('a run from its beginning to its end', () => {
  it.each(['verdict', 'withheld', 'inconclusive'])(
    'with the result %s is as it was, in a log and in a terminal',
    async (name) => {
      const result = await resultOf(name);
      const texts = [
        ['a log', await printedBy(result, { isTerminal: false })],
        ['a terminal of 80 columns', await printedBy(result, { isTerminal: true })],
      ].map(([where, text]) => `===== ${where}\n${text}`);
      await expect(texts.join('\n')).toMatchFileSnapshot(`runs/${name}.txt`);
    },
  );

  it.each(names)('with the result %s takes at most 41 lines of a log', async (name) => {
    const result = await resultOf(name);
    expect(result.trials.length).toBe(12);
    const text = await printedBy(result, { isTerminal: false });
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(maxLinesOfLog);
  });

  it.each(Object.keys(goldenResults))(
    'with the result %s has answer and next command on the last screen of 24 lines',
    async (name) => {
      const result = await resultOf(name);
      const text = await printedBy(result, { isTerminal: true });
      // The prompt of the shell has the last line.
      const screen = text.trimEnd().split('\n').slice(-23).join('\n');
      expect(screen).toContain(shortAnswer(reported(result)).headline.slice(0, 50));
      expect(screen).toMatch(/^ {2}Next {5}/m);
    },
  );
});

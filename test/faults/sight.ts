import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Phase } from './cases.ts';
import type { TrialRecord } from './oracle/run-on-disk.ts';
import { type Injection, trialsOfRun } from './plan.ts';
import type { RunUnderTest } from './run-under-test.ts';

/** Where a run is, told from what it has said and written. */
export interface Sight {
  phase: Phase | 'start';
  /** Trial that is under way. */
  trial: string | null;
  /** Trials that have begun so far. */
  begun: number;
}

export function look(run: Pick<RunUnderTest, 'command' | 'latest'>): Sight {
  const folder = run.latest();
  const stderr = run.command.stderr();
  if (folder === null || !existsSync(path.join(folder, 'trials'))) {
    const phase = stderr.includes('load ...') ? 'load' : stderr.includes('create ...') ? 'create' : 'start';
    return { phase, trial: null, begun: 0 };
  }
  const ids = readdirSync(path.join(folder, 'trials'));
  if (existsSync(path.join(folder, 'result.json'))) {
    return { phase: isUploading(folder) ? 'upload' : 'clean', trial: null, begun: ids.length };
  }
  const stages = ids.map((id) => [id, stageUnderWay(path.join(folder, 'trials', id, 'trial.json'))] as const);
  const [trial, stage] = stages.findLast(([, stage]) => stage !== null) ?? [null, null];
  return { phase: stage ?? 'collect', trial, begun: ids.length };
}

const phaseOfStage: Record<string, Phase> = {
  reset: 'warm-up',
  'warm-up': 'warm-up',
  measure: 'measure',
  collect: 'collect',
};

/** Where a trial is; null if it has ended. While it goes on, its record says that it was cut off, and in which stage. */
function stageUnderWay(record: string): Phase | null {
  if (!existsSync(record)) return 'warm-up';
  const { failure } = JSON.parse(readFileSync(record, 'utf8')) as Pick<TrialRecord, 'failure'>;
  return failure?.code === 'cut-off' ? (phaseOfStage[failure.stage] ?? null) : null;
}

/** Whether a driver has a result that is not proved to be in the bucket. */
function isUploading(folder: string): boolean {
  if (!existsSync(path.join(folder, '.uploaded.json'))) return false;
  const ended = path.join(folder, '.ended.json');
  return !existsSync(ended) || readFileSync(ended, 'utf8').includes('"saved": null');
}

/** Seconds that each phase usually takes. */
const phaseSeconds: Record<Phase, number> = {
  create: 1.5,
  load: 0.8,
  'warm-up': 1.3,
  measure: 3,
  collect: 0.03,
  upload: 0.5,
  clean: 0.3,
};
const createLimitedSeconds = 6;

/**
 * Waits for the instant of an injection.
 *
 * @returns false if the run ended before that
 */
export async function instantOf({ phase, trial, instant, place }: Injection, run: RunUnderTest): Promise<boolean> {
  const isInTrial = phase === 'warm-up' || phase === 'measure' || phase === 'collect';
  const isThere = (sight: Sight): boolean => sight.phase === phase && (!isInTrial || sight.begun === trial + 1);
  const isPast = (sight: Sight): boolean =>
    sight.phase === 'clean' || sight.begun > (isInTrial ? trial + 1 : trialsOfRun);
  for (let sight = look(run); !isThere(sight) && !isPast(sight); sight = look(run)) {
    if (run.command.hasEnded()) return false;
    await sleep(phaseSeconds[phase] < 1 ? 2 : 10);
  }
  const seconds = phase === 'create' && place === 'limited' ? createLimitedSeconds : phaseSeconds[phase];
  await sleep(1000 * instant * seconds);
  return !run.command.hasEnded();
}

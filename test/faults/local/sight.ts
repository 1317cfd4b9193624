import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Phase } from '../cases.ts';
import { type Injection, trialsOfRun } from '../plan.ts';
import type { LocalRun } from './local-run.ts';

/** Where a run is, told from what it has said and written. */
export interface Sight {
  phase: Phase | 'start';
  /** Trial that is under way. */
  trial: string | null;
  /** Trials that have begun so far. */
  begun: number;
}

export function look(run: Pick<LocalRun, 'command' | 'latest'>): Sight {
  const folder = run.latest();
  const stderr = run.command.stderr();
  if (folder === null || !existsSync(path.join(folder, 'trials'))) {
    const phase = stderr.includes('load ...') ? 'load' : stderr.includes('create ...') ? 'create' : 'start';
    return { phase, trial: null, begun: 0 };
  }
  const ids = readdirSync(path.join(folder, 'trials'));
  const has = (trial: string, name: string): boolean => existsSync(path.join(folder, 'trials', trial, name));
  if (existsSync(path.join(folder, 'result.json'))) return { phase: 'clean', trial: null, begun: ids.length };
  const trial = ids.find((id) => !has(id, 'trial.json')) ?? null;
  const begun = ids.length;
  if (trial === null || has(trial, 'pgbench.stdout.log')) return { phase: 'collect', trial, begun };
  return { phase: has(trial, 'transactions') ? 'measure' : 'warm-up', trial, begun };
}

/** Seconds that each phase usually takes. */
const usualSeconds: Record<Phase, Record<'folders' | 'limited', number>> = {
  create: { folders: 1.5, limited: 6 },
  load: { folders: 0.8, limited: 0.8 },
  'warm-up': { folders: 1.3, limited: 1.3 },
  measure: { folders: 3, limited: 3 },
  collect: { folders: 0.03, limited: 0.03 },
  upload: { folders: 0, limited: 0 },
  clean: { folders: 0.3, limited: 1 },
};

/**
 * Waits for the instant of an injection.
 *
 * @returns false if the run ended before that
 */
export async function instantOf({ phase, trial, instant, place }: Injection, run: LocalRun): Promise<boolean> {
  const ofTrial = phase === 'warm-up' || phase === 'measure' || phase === 'collect';
  const isThere = (sight: Sight): boolean => sight.phase === phase && (!ofTrial || sight.begun === trial + 1);
  const isPast = (sight: Sight): boolean =>
    sight.phase === 'clean' || sight.begun > (ofTrial ? trial + 1 : trialsOfRun);
  for (let sight = look(run); !isThere(sight) && !isPast(sight); sight = look(run)) {
    if (run.command.hasEnded()) return false;
    await sleep(phase === 'collect' || phase === 'clean' ? 2 : 10);
  }
  await sleep(1000 * instant * usualSeconds[phase][place === 'limited' ? 'limited' : 'folders']);
  return !run.command.hasEnded();
}

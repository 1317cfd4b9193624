import { outsideReasonsOf } from '../analysis/counted-trials.ts';
import { neighboursIn } from '../analysis/validity/trial/neighbours.ts';
import type { Plan } from '../contract/plan.ts';
import { type Execution, ofThisMachine, type ActiveRun } from './execution.ts';
import { type Level, levelKey, levelWords, type Trial } from '../contract/trial.ts';
import type { Ceiling } from '../contract/run-record.ts';
import type { LoadGenerator } from '../workloads/tool.ts';
import { placeNamed } from '../places/registry.ts';

/** Long enough to show lasting programs, and negligible compared with a run. */
const mostSeconds = 5;

/**
 * Looks at what else runs on this machine, for as long as a trial takes but at most five seconds. It warns of programs
 * that would spoil every trial before hours are spent, not after. A driver shares nothing with the servers, so there
 * such programs spoil no trial by themselves.
 *
 * @param look.ours ids of processes of the run besides this one
 */
export async function warnOfNeighbours(
  { plan, lookAtNeighbours, report, signal }: Pick<Execution, 'plan' | 'lookAtNeighbours' | 'report' | 'signal'>,
  look: { when: 'Before loading' | 'Before the first trial'; ours: readonly number[] },
): Promise<void> {
  try {
    const seen = await lookAtNeighbours?.({ seconds: secondsOf(plan), ours: look.ours }, signal);
    if (!seen) return;
    const { state, finding } = neighboursIn(seen, { sharesMachine: true });
    if (state === 'fail') report({ kind: 'warning', text: `${look.when}, ${finding}. ${remedy}` });
  } catch (error) {
    // The next step sees the interruption, and keeps what was measured before.
    if (error !== signal.reason) throw error;
  }
}

function secondsOf({ steps }: Plan): number {
  const trials = steps.flatMap((step) => (step.kind === 'measure' ? (step.trialSeconds ?? mostSeconds) : []));
  return Math.min(mostSeconds, ...trials);
}

const remedy = 'End them, or use another machine: trials that run beside them do not count.';

/** Before a block is measured again: how long a look takes, and how long pgduet waits at most, in seconds. */
const quiet = { look: 2, most: 30 };

/**
 * If other programs spoilt trials, waits until they leave this machine alone, at most half a minute. Measured again at
 * once, the block would find the same programs. All variants of the block wait, so waiting favours none.
 *
 * @param because the trials that were spoilt
 * @returns false if the programs were still there at the end
 */
export async function awaitQuiet(
  { place, lookAtNeighbours, report, signal }: ActiveRun,
  because: readonly Trial[],
): Promise<boolean> {
  const { sharesMachine } = placeNamed(place.kind);
  if (!sharesMachine || !because.some((trial) => outsideReasonsOf(trial).includes('other programs'))) return true;
  try {
    for (let waited = 0; waited < quiet.most; waited += quiet.look) {
      const ours = place.ownProcesses?.() ?? [];
      const seen = await lookAtNeighbours?.({ seconds: quiet.look, ours }, signal);
      const { state, finding } = neighboursIn(seen ?? {}, { sharesMachine });
      if (state !== 'fail') return true;
      if (waited === 0) report({ kind: 'waiting', text: `waiting for up to ${quiet.most} s: ${finding}` });
    }
  } catch (error) {
    // The caller sees the interruption, and keeps what was measured before.
    if (error !== signal.reason) throw error;
    return true;
  }
  return false;
}

/** What other programs take of this machine now, for `doctor`; `warning` is null if no trial would suffer from it. */
export async function otherPrograms(signal: AbortSignal): Promise<{ finding: string; warning: string | null }> {
  const seen = await ofThisMachine.lookAtNeighbours({ seconds: mostSeconds, ours: [] }, signal);
  const { state, finding } = neighboursIn(seen ?? {}, { sharesMachine: true });
  return { finding, warning: state === 'fail' ? remedy : null };
}

/**
 * Measures at each level what the load generator itself is capable of on this driver, before the servers do any work. A
 * result near this ceiling describes the driver, not the server. On a local machine, servers and load share the
 * processors, so the ceiling would mean nothing.
 */
export async function calibrate(running: ActiveRun): Promise<Ceiling[]> {
  const { plan, place, store, generatorAt, report, signal } = running;
  const [target] = place.targets.values();
  if (placeNamed(place.kind).sharesMachine || !target) return [];
  const ceilings: Ceiling[] = [];
  /** Several levels may have the same load, such as those of replicas. */
  const known = new Map<LoadGenerator, number | undefined>();
  for (const level of plan.levels) {
    try {
      const generator = await generatorAt(level);
      if (!known.has(generator)) {
        known.set(generator, await generator.ceiling?.(target, { folder: store.folder, signal }));
      }
      const tps = known.get(generator);
      if (tps !== undefined) ceilings.push({ level, tps });
    } catch (error) {
      signal.throwIfAborted();
      const why = error instanceof Error ? error.message : String(error);
      const words = levelWords(level);
      report({
        kind: 'warning',
        text: `pgduet could not measure how much load the load generator itself can generate${words && ` with ${words}`}: ${why}`,
      });
    }
  }
  return ceilings;
}

/** The measure of a trial at this level; none if its ceiling is not known. */
export function ceilingAt(ceilings: readonly Ceiling[] = [], level: Level): Record<string, number> {
  const found = ceilings.find((one) => levelKey(one.level) === levelKey(level));
  return found ? { 'load.ceiling': found.tps } : {};
}

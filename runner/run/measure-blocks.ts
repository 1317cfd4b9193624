import { isPreciseEnough } from '../analysis/stopping.ts';
import { stillClimbed } from '../analysis/ladder/past-knee.ts';
import { isRepeatable, isSound } from '../analysis/losses.ts';
import { leaveOutStarts } from '../analysis/leave-out-starts.ts';
import type { Experiment } from '../contract/experiment/schema.ts';
import type { MeasureStep, Plan, Step } from '../contract/plan.ts';
import { type Trial, troubleOf } from '../contract/trial.ts';
import { stepInAttempt } from '../experiment/plan/plan.ts';
import {
  attemptAt,
  type Block,
  finishedIn,
  isInVain,
  isLeft,
  lastAttempt,
  repeatsMade,
  trialsOf,
  unsoundIn,
} from './attempts.ts';
import type { Running } from './execution.ts';
import { crossOver, settle } from './step.ts';
import { measureTrials } from './trial.ts';
import type { DescribedVariants } from './trial-record.ts';

/** The parts of a plan after loading: blocks, and the steps between them. */
type Part = { kind: 'block'; steps: MeasureStep[] } | { kind: 'between'; step: Exclude<Step, MeasureStep> };

export function partsOf({ steps }: Pick<Plan, 'steps'>): Part[] {
  const parts: Part[] = [];
  for (const step of steps.slice(steps.findIndex(({ kind }) => kind === 'measure'))) {
    const last = parts.at(-1);
    if (step.kind !== 'measure') parts.push({ kind: 'between', step });
    else if (last?.kind === 'block' && last.steps[0]?.block === step.block) last.steps.push(step);
    else parts.push({ kind: 'block', steps: [step] });
  }
  return parts;
}

/** The blocks of which a run that is gone on with would still measure something. */
export function blocksLeft(plan: Pick<Plan, 'steps'>, experiment: Experiment, trials: readonly Trial[]): Block[] {
  const planned = blocksOf(partsOf(plan));
  const repeatsLeft = experiment.protocol.repeats - repeatsMade(planned, trials);
  const left = planned
    .map((steps) => steps.filter(stillClimbed(experiment, trials)))
    .filter((steps) => steps.length > 0 && isLeft(steps, trials, repeatsLeft));
  const isFirstLeft = left.some(([step]) => step?.block === 1);
  return !isFirstLeft && endsInVain(experiment, planned, trials) ? [] : left;
}

function blocksOf(parts: readonly Part[]): MeasureStep[][] {
  return parts.flatMap((part) => (part.kind === 'block' ? [part.steps] : []));
}

/** Whether the run ends with its first block, of which nothing counts. */
function endsInVain({ protocol }: Experiment, blocks: readonly Block[], trials: readonly Trial[]): boolean {
  const [first = []] = blocks;
  return blocks.length > 1 && protocol.repeats > 0 && isInVain(first, trials);
}

/**
 * Measures every block of the plan that is not measured yet. A block with a trial that something outside the servers spoilt
 * is measured again, as long as the protocol allows; all attempts are kept. What a server lost is not measured again: that
 * would select by the outcome. It stops early if the result is precise enough, if the first
 * of several blocks is measured in vain, if it is interrupted, or if a server is gone.
 *
 * @param earlier trials of earlier starts
 * @returns all trials, with those of earlier starts; and why it stopped, where it did by itself
 */
export async function measureBlocks(
  running: Running,
  variants: DescribedVariants,
  { earlier, goOn }: { earlier: readonly Trial[]; goOn: boolean },
): Promise<{ trials: Trial[]; stoppedAfterBlock?: number; stoppedBy?: string }> {
  const { plan, experiment, place, store, report, signal } = running;
  const trials = [...earlier];
  const parts = partsOf(plan);
  const blocks = blocksOf(parts);
  const isOver = (): boolean => signal.aborted || [...place.targets.values()].some(({ failed }) => failed.aborted);

  async function carryOutMeasure(step: MeasureStep, attempt: number): Promise<void> {
    if (finishedIn(step, trials, attempt)) {
      skip(step);
      return;
    }
    running.kept.demandUnchanged('trial');
    const begun = new Set(trials.map(({ id }) => id));
    for (const { trial, series } of await measureTrials(running, variants, stepInAttempt(step, attempt, begun))) {
      const saved = await store.saveTrial(trial, series);
      trials.push(saved);
      report({ kind: 'trial-ended', trial: saved });
    }
    await running.betweenTrials?.();
  }
  function skip({ trials: planned }: MeasureStep): void {
    for (const trial of planned) report({ kind: 'trial-skipped', trial });
  }

  let repeatsLeft = experiment.protocol.repeats - repeatsMade(blocks, trials);
  /** Returns the trials for which the last attempt does not count; none where it was not carried out to its end. */
  async function carryOutBlock(steps: MeasureStep[]): Promise<Trial[]> {
    const block = steps[0]?.block ?? 0;
    const repeat = (because: Trial[]): void => report({ kind: 'block-repeated', block, because });
    const before = lastAttempt(steps, trials);
    const { attempt: first, ended } = attemptAt(steps, trials, { goOn });
    if (before > 0 && first > before) repeat(trialsOf(steps, trials, before).filter((trial) => !isSound(trial)));
    for (let attempt = first; ; attempt++) {
      if (ended && attempt === first) steps.forEach(skip);
      else {
        for (const step of steps) {
          await carryOutMeasure(step, attempt);
          if (isOver()) return [];
        }
      }
      const unsound = unsoundIn(steps, trials, attempt);
      if (!unsound.some(isRepeatable) || repeatsLeft <= 0) return unsound;
      repeatsLeft--;
      repeat(unsound);
    }
  }

  /** The blocks from a cross-over to the next one. */
  function blocksBehind(index: number): MeasureStep[][] {
    const later = parts.slice(index + 1);
    const next = later.findIndex((part) => part.kind === 'between' && part.step.kind === 'cross-over');
    return blocksOf(later.slice(0, next < 0 ? undefined : next));
  }

  let betweenIsDue = false;
  for (const [index, part] of parts.entries()) {
    if (isOver()) break;
    if (part.kind === 'between') {
      // Steps between blocks serve the blocks after them. A cross-over also decides whether the steps right after it are
      // carried out: a run that is gone on with makes no exchange that a later one would only undo.
      if (part.step.kind === 'cross-over') {
        const left = blocksLeft(plan, experiment, trials).map(([step]) => step?.block);
        betweenIsDue = blocksBehind(index).some(([step]) => left.includes(step?.block));
      }
      if (betweenIsDue) await carryOutBetween(running, part.step);
      continue;
    }
    const unsound = await carryOutBlock(part.steps.filter(stillClimbed(experiment, trials)));
    if (isOver()) break;
    const block = part.steps[0]?.block ?? 0;
    if (block === 1 && endsInVain(experiment, blocks, trials))
      return { trials, stoppedBy: inVain(lastAttempt(part.steps, trials), unsound) };
    // A run that is gone on with may know later blocks already.
    const soFar = trials.filter((trial) => trial.block <= block);
    if (await isEnough(running, soFar)) return { trials, stoppedAfterBlock: block };
  }
  return { trials };
}

/** What went wrong every time is not chance, and goes wrong in the blocks to come, too: better to keep their time and money. */
function inVain(attempts: number, unsound: readonly Trial[]): string {
  const measured =
    attempts > 1 ? `it was measured ${attempts} times, and none of its last trials` : 'none of its trials';
  return `Stopped after block 1: ${measured} counts (${unsound.map(troubleOf).join('; ')}). So no verdict can come of this run. Mend that, and start again; with protocol.repeats: 0, a run goes on all the same.`;
}

/** An interruption ends the step, and is left for the caller to see: the trials before it count. */
async function carryOutBetween(running: Running, step: Exclude<Step, MeasureStep>): Promise<void> {
  try {
    if (step.kind === 'cross-over') await crossOver(running, step);
    if (step.kind === 'settle') await settle(running, step);
  } catch (error) {
    if (error !== running.signal.reason) throw error;
  }
}

async function isEnough({ experiment, store }: Running, trials: readonly Trial[]): Promise<boolean> {
  if (experiment.protocol.until !== 'precision') return false;
  const counted = await leaveOutStarts(trials, experiment, (trial) => store.series.read(trial));
  return isPreciseEnough(counted, experiment);
}

import { isEnough } from '../analysis/compare-run.ts';
import { stillClimbed } from '../analysis/ladder/past-knee.ts';
import { futile, hasFewBlocks, outlookOf } from '../analysis/outlook.ts';
import { isRepeatable, isValidTrial } from '../analysis/counted-trials.ts';
import { leaveOutStarts } from '../analysis/estimate.ts';
import type { Experiment } from '../contract/experiment/schema.ts';
import type { MeasureStep, Plan, Step } from '../contract/plan.ts';
import type { Trial } from '../contract/trial.ts';
import { type StopReason, stopReason } from '../contract/stop.ts';
import { stepInAttempt } from '../experiment/plan/plan.ts';
import { atLevelOf } from '../experiment/plan/start.ts';
import {
  attemptAt,
  type Block,
  finishedIn,
  isLeft,
  lastAttempt,
  repeatsMade,
  trialsOf,
  invalidTrials,
  earlyStopOf,
} from './attempts.ts';
import type { ActiveRun } from './run-shape.ts';
import { placeNamed } from '../places/registry.ts';
import { awaitQuiet } from './look-around.ts';
import { crossOver, settle } from './steps.ts';
import { measureTrials } from './trial.ts';
import type { DescribedVariants } from './trial-record.ts';

/** After so many waits in vain for other programs to end, a block is not measured again: they would spoil it once more. */
const maxQuietWaits = 2;

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

/** The blocks in which a resumed run would still measure something. */
export function blocksLeft(plan: Pick<Plan, 'steps'>, experiment: Experiment, trials: readonly Trial[]): Block[] {
  const planned = blocksOf(partsOf(plan));
  const repeatsLeft = experiment.protocol.repeats - repeatsMade(planned, trials);
  const left = planned
    .map((steps) => steps.filter(stillClimbed(experiment, trials)))
    .filter((steps) => steps.length > 0 && isLeft(steps, trials, repeatsLeft));
  const end = earlyStopOf(experiment, planned, trials);
  return end && left.every(([step]) => (step?.block ?? 0) > end.block) ? [] : left;
}

function blocksOf(parts: readonly Part[]): MeasureStep[][] {
  return parts.flatMap((part) => (part.kind === 'block' ? [part.steps] : []));
}

/** What was measured so far. */
interface Progress {
  /** Of all starts. */
  trials: Trial[];
  /** All that are planned. */
  blocks: readonly Block[];
  repeatsLeft: number;
  isOutlookSaid: boolean;
}

/** Why measuring stops by itself. */
interface Stop {
  stoppedAfterBlock?: number;
  stoppedBy?: StopReason;
}

/**
 * Measures every block of the plan that is not measured yet. A block with a trial that something outside the servers
 * spoilt is measured again, as long as the protocol allows. All attempts are kept. A trial that a server lost is not
 * measured again: that would select by the outcome. Measuring stops early if the result is enough (`until`), if blocks
 * are measured in vain, if an answer has become unlikely (`stopForFutility`), if it is interrupted, or if a server is gone.
 *
 * @param earlier trials of earlier starts
 * @returns all trials, including those of earlier starts, and why measuring stopped if it stopped by itself
 */
export async function measureBlocks(
  running: ActiveRun,
  variants: DescribedVariants,
  earlier: readonly Trial[],
): Promise<{ trials: Trial[] } & Stop> {
  const { plan, experiment } = running;
  const trials = [...earlier];
  const parts = partsOf(plan);
  const blocks = blocksOf(parts);
  const repeatsLeft = experiment.protocol.repeats - repeatsMade(blocks, trials);
  const progress: Progress = { trials, blocks, repeatsLeft, isOutlookSaid: false };
  const lastBegun = Math.max(0, ...earlier.map(({ block }) => block));
  let betweenIsDue = false;
  for (const [index, part] of parts.entries()) {
    if (isOver(running)) break;
    if (part.kind === 'between') {
      // Steps between blocks serve the blocks after them. A crossover also decides whether the steps right after it
      // are carried out: a resumed run makes none that a later one would only undo.
      if (part.step.kind === 'cross-over') {
        const left = blocksLeft(plan, experiment, trials).map(numberOf);
        betweenIsDue = blocksBehind(parts, index).some((block) => left.includes(numberOf(block)));
      }
      if (betweenIsDue) await carryOutBetween(running, part.step);
      continue;
    }
    await measureBlock(running, variants, progress, part.steps.filter(stillClimbed(experiment, trials)));
    if (isOver(running)) break;
    const stop = await whyStop(running, progress, { block: numberOf(part.steps), lastBegun });
    if (stop) return { trials, ...stop };
  }
  return { trials };
}

const numberOf = ([step]: Block): number => step?.block ?? 0;

function isOver({ signal, place }: ActiveRun): boolean {
  return signal.aborted || [...place.targets.values()].some(({ failed }) => failed.aborted);
}

/** The blocks between a crossover and the next one. */
function blocksBehind(parts: readonly Part[], index: number): MeasureStep[][] {
  const later = parts.slice(index + 1);
  const next = later.findIndex((part) => part.kind === 'between' && part.step.kind === 'cross-over');
  return blocksOf(later.slice(0, next < 0 ? undefined : next));
}

/** Measures a block until an attempt needs no repeat, or none is left. */
async function measureBlock(
  running: ActiveRun,
  variants: DescribedVariants,
  progress: Progress,
  steps: MeasureStep[],
): Promise<void> {
  const { starts, report } = running;
  const { trials } = progress;
  const block = numberOf(steps);
  const repeat = (because: Trial[]): void => report({ kind: 'block-repeated', block, because });
  const before = lastAttempt(steps, trials);
  const { attempt: first, ended } = attemptAt(steps, trials, running);
  let quietWaits = 0;
  if (before > 0 && first > before) repeat(trialsOf(steps, trials, before).filter((trial) => !isValidTrial(trial)));
  for (let attempt = first; ; attempt++) {
    if (ended && attempt === first) for (const step of steps) skip(running, step);
    else {
      await starts?.blockBegun(block, attempt);
      for (const step of steps) {
        await measureStep(running, variants, trials, { step, attempt });
        if (isOver(running)) return;
      }
      await starts?.blockEnded(block, attempt);
    }
    const invalid = invalidTrials(steps, trials, attempt);
    if (!invalid.some(isRepeatable) || progress.repeatsLeft <= 0 || quietWaits === maxQuietWaits) return;
    progress.repeatsLeft--;
    repeat(invalid);
    if (!(await awaitQuiet(running, invalid))) quietWaits++;
    if (isOver(running)) return;
  }
}

async function measureStep(
  running: ActiveRun,
  variants: DescribedVariants,
  trials: Trial[],
  { step, attempt }: { step: MeasureStep; attempt: number },
): Promise<void> {
  const { kept, store, report, betweenTrials } = running;
  if (finishedIn(step, trials, attempt)) {
    skip(running, step);
    return;
  }
  await kept.requireUnchanged('trial');
  const begun = new Set(trials.map(({ id }) => id));
  for (const { trial, series } of await measureTrials(running, variants, stepInAttempt(step, attempt, begun))) {
    const saved = await store.saveTrial(trial, series);
    trials.push(saved);
    report({ kind: 'trial-ended', trial: saved });
  }
  await betweenTrials?.(store);
}

function skip({ report }: ActiveRun, { trials }: MeasureStep): void {
  for (const trial of trials) report({ kind: 'trial-skipped', trial });
}

/** Why measuring stops after this block; null if it goes on. */
async function whyStop(
  { experiment, store, starts, report, place }: ActiveRun,
  progress: Progress,
  { block, lastBegun }: { block: number; lastBegun: number },
): Promise<Stop | null> {
  const { trials, blocks } = progress;
  const inVain = earlyStopOf(experiment, blocks, trials);
  if (inVain?.block === block) return { stoppedBy: stopReason('measured-in-vain', inVain.text) };
  // No look is taken twice. An earlier start continued past this block, and may by now know later ones. If one of the
  // blocks so far was measured again since then, a second look would be one more chance to stop.
  const isAsked = experiment.protocol.until !== 'blocks' || (!progress.isOutlookSaid && hasFewBlocks(experiment));
  if (block < lastBegun || !isAsked) return null;
  const counted = await leaveOutStarts(trials, experiment, (trial) => store.series.read(trial));
  const atLevel = atLevelOf(experiment, starts?.start);
  if (isEnough(counted, atLevel, placeNamed(place.kind))) return { stoppedAfterBlock: block };
  const outlook = outlookOf(counted, atLevel, placeNamed(place.kind));
  if (outlook && outlook.chance <= futile && outlook.mayEnd && experiment.protocol.stopForFutility === true) {
    return { stoppedAfterBlock: block, stoppedBy: stopReason('futility', futilityText(block, outlook.words)) };
  }
  if (outlook && !progress.isOutlookSaid) {
    report({ kind: 'outlook', text: `An answer is unlikely. ${outlook.words}` });
    progress.isOutlookSaid = true;
  }
  return null;
}

function futilityText(block: number, words: string): string {
  return `Stopped after block ${block}, because the remaining blocks were unlikely to give an answer. ${words} To measure them anyway, set protocol.stopForFutility: false.`;
}

/** An interruption ends the step without an error: the caller sees it, and the trials before it count. */
async function carryOutBetween(running: ActiveRun, step: Exclude<Step, MeasureStep>): Promise<void> {
  try {
    if (step.kind === 'cross-over') await crossOver(running, step);
    if (step.kind === 'settle') await settle(running, step);
  } catch (error) {
    if (error !== running.signal.reason) throw error;
  }
}

import { externalReasonsOf } from '../analysis/counted-trials.ts';
import { keepsPace, smallestQuietChange } from '../analysis/disturbance.ts';
import { noticedShare } from '../analysis/taken-by-others.ts';
import { isBusy, takenByOthers } from '../analysis/validity/trial/neighbours.ts';
import { wordsOf, UserError } from '../contract/errors.ts';
import type { Plan } from '../contract/plan.ts';
import { type Run, localClock, type ActiveRun } from './run-shape.ts';
import { type Level, levelKey, levelWords, type Trial } from '../contract/trial.ts';
import type { Ceiling } from '../contract/run-record.ts';
import { decidingMetric } from '../contract/experiment/schema.ts';
import { metricNamed } from '../metrics/catalogue.ts';
import { toolOf } from '../workloads/registry.ts';
import type { LoadGenerator } from '../workloads/load-generator.ts';
import { placeNamed } from '../places/registry.ts';
import { plainNumber, wholePercent } from '../contract/format.ts';
import { ratioFormat } from '../contract/format-change.ts';

/** Long enough to show lasting programs, and negligible compared with a run. */
const maxLookSeconds = 5;
/** How long a run waits for a quiet machine before it loads anything, if the experiment says so. */
const maxWaitSeconds = 600;

/**
 * Looks at what else runs on this machine before hours are spent, and says which effects can be seen beside it. By the
 * experiment, the run then goes on, waits for at most ten minutes, or ends. A driver shares nothing with the servers, so there such
 * programs spoil nothing by themselves.
 *
 * @throws {UserError} if the machine must be quiet and is not
 */
export async function lookBeforeLoading({
  plan,
  experiment,
  lookAtNeighbours,
  report,
  signal,
}: Pick<Run, 'plan' | 'experiment' | 'lookAtNeighbours' | 'report' | 'signal'>): Promise<void> {
  const { protocol } = experiment;
  const seconds = secondsOf(plan);
  const look = async () =>
    takenByOthers((await lookAtNeighbours?.({ seconds, ours: [] }, signal)) ?? {}, { sharesMachine: true });
  try {
    let found = await look();
    if (protocol.quietMachine === 'required' && isBusy(found.share)) {
      throw new UserError(
        `Before loading, ${found.finding}, but this run requires a quiet machine. Stop them, use another machine, or let the answer allow for them (--quiet-machine preferred).`,
      );
    }
    if (protocol.quietMachine === 'awaited') {
      for (let waited = 0; isBusy(found.share) && waited < maxWaitSeconds; waited += seconds) {
        if (waited === 0)
          report({ kind: 'waiting', text: `waiting for up to ${maxWaitSeconds / 60} min: ${found.finding}` });
        found = await look();
      }
    }
    const { share, finding } = found;
    if (share !== null && share >= noticedShare)
      report({
        kind: 'warning',
        text: `Before loading, ${finding}. ${isBounded(experiment) ? outlookFor(share) : noOutlook}`,
      });
  } catch (error) {
    // The next step sees the interruption, and keeps what was measured before.
    if (error !== signal.reason) throw error;
  }
}

/** A larger change is seldom to be found. */
const maxExpectedChange = 10;

/** Whether it is known how much others can do to the metric that decides: not to a percentile, nor to a latency at a rate. */
function isBounded({ decision, workload }: Run['experiment']): boolean {
  const deciding = metricNamed(decidingMetric(decision));
  return deciding !== undefined && keepsPace(deciding, toolOf(workload).shape(workload).offeredPerSecond === null);
}

const noOutlook =
  'If they continue, there is no answer: their effect on a percentile, or on a latency at a rate, has no bound. Stop them, or let the throughput decide.';

/** What can be seen beside programs that take this share. */
function outlookFor(share: number): string {
  const smallest = smallestQuietChange(share);
  const hope =
    smallest < maxExpectedChange
      ? `only a throughput that differs by more than about ${ratioFormat(smallest).isMultiple ? `a factor of ${plainNumber(1 + smallest)}` : wholePercent(smallest)} is an answer about a quiet machine; a smaller difference, or one of latency,`
      : 'an answer';
  return `If they continue, ${hope} holds beside such programs. Stop them for an answer about the machine.`;
}

function secondsOf({ steps }: Plan): number {
  const trials = steps.flatMap((step) => (step.kind === 'measure' ? (step.trialSeconds ?? maxLookSeconds) : []));
  return Math.min(maxLookSeconds, ...trials);
}

/** Before a block is measured again: how long a look takes, and how long pgduet waits at most, in seconds. */
const quiet = { look: 2, max: 30 };

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
  if (!because.some((trial) => externalReasonsOf(trial).includes('other-programs'))) return true;
  try {
    for (let waited = 0; waited < quiet.max; waited += quiet.look) {
      const ours = place.ownProcesses?.() ?? [];
      const observed = await lookAtNeighbours?.({ seconds: quiet.look, ours }, signal);
      const { share, finding } = takenByOthers(observed ?? {}, { sharesMachine });
      if (!isBusy(share)) return true;
      if (waited === 0) report({ kind: 'waiting', text: `waiting for up to ${quiet.max} s: ${finding}` });
    }
  } catch (error) {
    // The caller sees the interruption, and keeps what was measured before.
    if (error !== signal.reason) throw error;
    return true;
  }
  return false;
}

/** What other programs take of this machine now, for `doctor`; `warning` is null if an answer would not depend on it. */
export async function otherPrograms(signal: AbortSignal): Promise<{ finding: string; warning: string | null }> {
  const observed = await localClock.lookAtNeighbours({ seconds: maxLookSeconds, ours: [] }, signal);
  const { share, finding } = takenByOthers(observed ?? {}, { sharesMachine: true });
  return { finding, warning: share !== null && share >= noticedShare ? outlookFor(share) : null };
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
      const why = wordsOf(error);
      const words = levelWords(level);
      report({
        kind: 'warning',
        text: `pgduet could not measure the load generator’s ceiling${words && ` with ${words}`}: ${why}`,
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

import type { Protocol } from '../../../contract/experiment/schema.ts';
import type { Trial } from '../../../contract/trial.ts';
import { drawPhases } from '../../../experiment/plan/draws.ts';
import { fail, notAssessed, pass, type TrialCheck, warn } from '../check.ts';
import { typicalTransactionSeconds } from '../transaction-seconds.ts';
import { wholePercent } from '../../../contract/format.ts';

/**
 * How long pgduet may stand still: so many seconds, or this share of the load, whichever is more. A runner that waits
 * for a processor of a busy machine stays well below.
 */
const stood = { seconds: 1, share: 0.03 };
/** Counters of this machine are read right before and after the load. On a busy one, pgduet waits then for a processor. */
const driverLimits = { warn: { seconds: 1, share: 0.05 }, fail: { seconds: 3, share: 0.1 } };
/** The sources of a server are read one after another, and some of them wait until the server has counted. */
const serverLimit = { seconds: 5, share: 0.1 };
/**
 * Seconds between the warm-up and the measured part, in which sources start: those of AWS take longer. Meanwhile, what
 * was warm cools down again. Above the first number, the check warns.
 */
const betweenParts = { local: { warn: 2, fail: 5 }, deployed: { warn: 5, fail: 10 } };
/** Share of all processors. */
const took = { warn: 0.05, fail: 0.1 };

/**
 * Whether pgduet itself disturbed the trial, or did not see it as it was. On a busy machine, counters are read late: they then
 * cover more than the load, which dilutes rates, but not what the load itself reports.
 */
export const runner: TrialCheck = {
  id: 'runner',
  name: 'pgduet stalls',
  couldChange: 'other-figures',
  remedy: 'Do not suspend pgduet, leave one CPU free for it, then rerun.',
  judge: (trial, { experiment: { protocol }, place }) => {
    const { measures } = trial;
    const { 'driver.runnerStall': stall = null, 'driver.runnerProcessors': share = null } = measures;
    if (stall === null || share === null) return notAssessed('pgduet itself was not observed');
    const load = measures['load.processSeconds'] ?? null;
    const isLonger = (seconds: number, { seconds: min, share: part }: typeof stood): boolean =>
      seconds > Math.max(min, part * (load ?? 0));
    const isDiluted = (window: number | null | undefined, allowed: typeof stood): boolean =>
      load !== null && typeof window === 'number' && isLonger(Math.abs(window - load), allowed);
    const dilutedWords = (whose: string, window: number | null | undefined, allowed: typeof stood): string[] =>
      isDiluted(window, allowed)
        ? [`counters of ${whose} cover ${(window ?? 0).toFixed(1)} s, but the load took ${(load ?? 0).toFixed(1)} s`]
        : [];
    const driverLateness = (allowed: typeof stood): string[] =>
      dilutedWords('the driver', measures['driver.window'], allowed);
    const suspended = [
      ...(isLonger(stall, stood) ? [`pgduet stalled for ${stall.toFixed(1)} s`] : []),
      ...driverLateness(driverLimits.fail),
    ];
    // What was counted meanwhile is no work of the load, whose own figures decide.
    const late = [
      ...(driverLateness(driverLimits.fail).length > 0 ? [] : driverLateness(driverLimits.warn)),
      ...dilutedWords('the server', measures['collect.window'], serverLimit),
    ];
    const words = `pgduet itself used ${wholePercent(share)} of the CPUs`;
    // If the load is no process of its own, the runner itself generates it.
    const isApart = load !== null || (measures['driver.loadGeneratorProcessors'] ?? null) !== null;
    const between = load === null ? null : betweenWarmUpAndLoad(trial, protocol);
    const allowed = place.isDeployed ? betweenParts.deployed : betweenParts.local;
    const pause = `the measured part began ${(between ?? 0).toFixed(1)} s after the warm-up, which may have worn off by then`;
    if (between !== null && between > allowed.fail) suspended.push(pause);
    // How much the runner takes may depend on how fast the load is: such a trial is not measured again.
    if (isApart && share > took.fail) return fail([words, ...suspended, ...late].join('; '), 'busy-driver');
    if (suspended.length > 0) return fail([...suspended, ...late].join('; '), 'suspended-driver');
    const doubts = [
      ...late,
      ...(isApart && share > took.warn ? [words] : []),
      ...(between !== null && between > allowed.warn ? [pause] : []),
    ];
    return doubts.length > 0 ? warn(doubts.join('; ')) : pass(`longest stall ${stall.toFixed(2)} s; ${words}`);
  },
};

/**
 * Seconds from the end of the warm-up, in which each client finishes its last transaction after the planned time, to the
 * measured part; null without a warm-up.
 */
function betweenWarmUpAndLoad(
  { warmUpStartedAt, startedAt, block, measures }: Trial,
  protocol: Pick<Protocol, 'blocks' | 'phaseSeconds' | 'seed' | 'warmUpSeconds'>,
): number | null {
  if (warmUpStartedAt === undefined) return null;
  const planned = protocol.warmUpSeconds + (drawPhases(protocol)[block - 1] ?? 0);
  const ended = planned + typicalTransactionSeconds(measures);
  return (Date.parse(startedAt) - Date.parse(warmUpStartedAt)) / 1000 - ended;
}

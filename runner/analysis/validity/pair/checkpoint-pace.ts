import type { Trial } from '../../../contract/trial.ts';
import { mean, median } from '../../../statistics/summaries.ts';
import { settingNumber } from '../../../postgres/setting-units.ts';
import { checkpointShare, ownCheckpoints } from '../cycles.ts';
import { type PairCheck, pass, type SideOfPair, warn } from '../check.ts';
import { quantity, wholePercent } from '../../../contract/format.ts';

/** PostgreSQL spreads a checkpoint over 90% of a cycle, so a pause of 10% is as planned. */
const smallPause = 0.05;

/**
 * Whether a side falls behind with its checkpoints: the next begins as soon as one ends, or a cycle holds more WAL than
 * max_wal_size. If it is one side alone, that is fast at the cost of a longer recovery after a crash. If the checkpoints of both
 * leave no pause, the two are compared in a state that PostgreSQL does not plan.
 */
export const checkpointPace: PairCheck = {
  id: 'checkpoint-pace',
  name: 'checkpoint pace',
  isOfWrites: true,
  remedy: 'Measure longer trials, which contain whole checkpoint cycles.',
  judge: (_, pair) => {
    const sides = [pair.baseline, pair.candidate].map((side) => ({ ...side, pace: paceOf(side) }));
    // Of a side without a log, nobody knows whether it falls behind, too.
    if (sides.some(({ measured }) => measured.every(({ facts }) => facts.checkpoints === undefined))) return null;
    if (sides.every(({ pace }) => pace === null)) return null;
    const behind = sides.filter(({ pace }) => pace !== null && pace.signs.length > 0);
    const [only, other] = behind;
    if (!only) return pass('checkpoints keep up on both sides');
    if (!other) {
      const words = (only.pace?.signs ?? []).join(', and ');
      return warn(`on ${only.label} only, ${words}: part of its speed comes at the price of slower crash recovery`);
    }
    if (!behind.every(({ pace }) => isWithoutPause(pace?.pause ?? null))) {
      return pass('checkpoints fall behind on both sides');
    }
    const shares = behind.map(({ label, measured }) => {
      const share = mean(measured.flatMap((trial) => checkpointShare(trial) ?? []));
      return `${wholePercent(share)} of the time on ${label}`;
    });
    return warn(
      `on both sides, checkpoints run back to back, without the pause that PostgreSQL plans (${shares.join(', ')})`,
    );
  },
};

interface Pace {
  /** Median, as a share of the cycle; null if no cycle is known. */
  pause: number | null;
  /** What shows that the side falls behind. */
  signs: string[];
}

/** null if no cycle of the side is known. */
function paceOf({ servers, measured }: SideOfPair): Pace | null {
  const pause = median(measured.flatMap(pauses));
  const walBytes = median(
    measured.flatMap((trial) => ownCheckpoints(trial).flatMap(({ distanceBytes }) => distanceBytes ?? [])),
  );
  const limit = settingNumber(servers[0]?.settings['max_wal_size']);
  if (pause === null && walBytes === null) return null;
  return {
    pause,
    signs: [
      ...(pause !== null && isWithoutPause(pause) ? [nextBegins(pause)] : []),
      ...(walBytes !== null && limit !== null && walBytes > limit
        ? [
            `a checkpoint cycle writes ${quantity(walBytes, 'bytes')} of WAL, more than max_wal_size (${quantity(limit, 'bytes')})`,
          ]
        : []),
    ],
  };
}

function isWithoutPause(pause: number | null): boolean {
  return pause !== null && pause < smallPause;
}

function nextBegins(pause: number): string {
  return `the next checkpoint begins ${pause <= 0.005 ? 'as soon as' : `within ${Math.round(pause * 100)}% of a cycle after`} one ends`;
}

/** From the end of each checkpoint to the start of the next, as a share of the cycle. */
function pauses(trial: Trial): number[] {
  const all = ownCheckpoints(trial);
  return all.flatMap(({ startedAt, endedAt }, index) => {
    const next = all[index + 1];
    if (!next || endedAt === null || next.startedAt <= startedAt) return [];
    return (next.startedAt - endedAt) / (next.startedAt - startedAt);
  });
}

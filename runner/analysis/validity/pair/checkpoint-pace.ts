import type { Trial } from '../../../contract/trial.ts';
import { median } from '../../../statistics/summaries.ts';
import { ownCheckpoints, settingBytes } from '../cycles.ts';
import { type Pair, type PairCheck, pass, warn } from '../check.ts';

const name = 'checkpoint pace';
/** PostgreSQL spreads a checkpoint over 90 % of a cycle, so a pause of 10 % is as planned. */
const smallPause = 0.05;

/**
 * Whether one side alone falls behind with its checkpoints: the next begins as soon as one ends, or a cycle holds more WAL than
 * max_wal_size. Such a side is fast at the cost of a longer recovery after a crash.
 */
export const checkpointPace: PairCheck = (_, pair) => {
  const sides = (['baseline', 'candidate'] as const).map((side) => ({
    label: pair[side].label,
    signs: signsOf(pair, side),
  }));
  if (sides.every(({ signs }) => signs === null)) return [];
  const [one, other] = sides;
  const behind = sides.filter(({ signs }) => signs !== null && signs.length > 0);
  const [only] = behind;
  if (!only || behind.length > 1 || !one || !other) {
    return [
      pass(
        name,
        behind.length > 1
          ? 'both sides fall behind with their checkpoints'
          : 'no side falls behind with its checkpoints',
      ),
    ];
  }
  const words = (only.signs ?? []).join(', and ');
  return [
    warn(
      name,
      `on ${only.label} only, ${words}: this side pays for part of its speed with a longer recovery after a crash`,
    ),
  ];
};

/** What shows that a side falls behind; null if no cycle of it is known. */
function signsOf(pair: Pair, side: 'baseline' | 'candidate'): string[] | null {
  const trials = pair.blocks.map((block) => block[side]);
  const pause = median(trials.flatMap(pauses));
  const walBytes = median(
    trials.flatMap((trial) => ownCheckpoints(trial).flatMap(({ distanceBytes }) => distanceBytes ?? [])),
  );
  const limit = settingBytes(pair[side].servers[0]?.settings['max_wal_size']);
  if (pause === null && walBytes === null) return null;
  return [
    ...(pause !== null && pause < smallPause
      ? [
          `the next checkpoint begins ${pause <= 0.005 ? 'as soon as' : `within ${Math.round(pause * 100)} % of a cycle after`} one ends`,
        ]
      : []),
    ...(walBytes !== null && limit !== null && walBytes > limit
      ? [`a cycle holds ${mebibytes(walBytes)} of WAL, more than max_wal_size (${mebibytes(limit)})`]
      : []),
  ];
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

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}

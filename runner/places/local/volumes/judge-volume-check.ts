import type { VolumeCheck } from '../../place.ts';

export interface VolumeJudgement {
  /** `above` means that the limit does not hold: measurements on the volume would have no meaning. */
  status: 'ok' | 'above' | 'below';
  message: string;
}

/** Allowed relative deviation of a volume from its limit. */
const tolerance = 0.1;

/**
 * Judges whether a volume keeps to its limit and reaches it. `below` depends only on the deepest queue: one write at a time
 * cannot reach a high limit on any disk, nor in the cloud.
 */
export function judgeVolumeCheck({ volume, requestedIops, writeBytes, measuredIops }: VolumeCheck): VolumeJudgement {
  const measured = Object.entries(measuredIops)
    .map(([depth, iops]) => ({ depth: Number(depth), iops }))
    .sort((a, b) => a.depth - b.depth);
  const shown = measured
    .map(({ depth, iops }) => `${Math.round(iops)} ${depth === 1 ? 'one at a time' : `at queue depth ${depth}`}`)
    .join(', ');
  const facts = `Volume ${volume}, limited to ${Math.round(requestedIops)} writes of ${writeBytes / 1024} KiB per second: measured ${shown}`;

  if (measured.some(({ iops }) => iops > requestedIops * (1 + tolerance))) {
    return { status: 'above', message: `${facts}. The limit does not hold, so trials on this volume would mislead.` };
  }
  const deepest = measured.at(-1)?.iops ?? 0;
  if (deepest < requestedIops * (1 - tolerance)) {
    const reachable = Math.floor(deepest * (1 - tolerance));
    return {
      status: 'below',
      message: `${facts}. This machine’s disk is too slow for that: lower the limits, those of all variants in the same proportion, so that this one is ${reachable} or less.`,
    };
  }
  return { status: 'ok', message: `${facts}.` };
}

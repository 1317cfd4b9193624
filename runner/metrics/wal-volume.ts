import type { Measures, Metric } from '../contract/metric.ts';

/**
 * The volume that takes the WAL, whichever that is: the log volume of a server that has one, and otherwise the volume of the
 * data. So variants with and without a log volume can be compared by it.
 */
const shown = { kind: 'share', unit: '1', better: 'lower', compared: null } as const;

export const walVolumeMetrics: readonly Metric[] = [
  {
    ...shown,
    name: 'walVolume.limitReached',
    label: 'time at the limit, volume of the WAL',
    source: 'volumes.log.limitReached, or volumes.data.limitReached without a log volume',
    derive: (measures) => ofVolume(measures, 'limitReached'),
  },
  {
    ...shown,
    name: 'walVolume.otherWrites',
    label: 'writes that are no WAL, volume of the WAL',
    source: '1 - wal.writes / (writes of the volume × collect.window)',
    derive(measures) {
      const [writes, wal, seconds] = [
        ofVolume(measures, 'writes'),
        measures['wal.writes'] ?? null,
        countedSeconds(measures),
      ];
      if (writes === null || wal === null || seconds === null || writes * seconds <= 0) return null;
      return Math.max(0, 1 - wal / (writes * seconds));
    },
  },
];

/**
 * How long the server's counters were counted. The runtime of a load is what it was asked for: its clients connect before, and its
 * last transactions may end long after. Trials of earlier versions have only that.
 */
export function countedSeconds(measures: Measures): number | null {
  return measures['collect.window'] ?? measures['runtime'] ?? null;
}

function ofVolume(measures: Measures, what: string): number | null {
  const own = `volumes.log.${what}`;
  return measures[own in measures ? own : `volumes.data.${what}`] ?? null;
}

import type { SeriesRow } from '../contract/metric.ts';
import { secondOf } from './second-of.ts';
import type { Sample } from './sampler.ts';

/** Counters at one moment, by the name of the metric whose rate they give. */
export type Counters = Readonly<Record<string, number>>;

/**
 * What was counted per second: as measures over all samples, and as series between each two of them. A counter that went
 * backwards was reset: it has no rate.
 *
 * @param samples in order of time
 */
export function ratesOf(
  samples: readonly Sample<Counters>[],
  startedAt: Date,
): { measures: Record<string, number>; series: SeriesRow[] } {
  const [first] = samples;
  const last = samples.at(-1);
  if (!first || !last) return { measures: {}, series: [] };
  const series = samples.slice(1).flatMap((sample, index): SeriesRow[] => {
    const before = samples[index] ?? first;
    // The last sample comes when the trial ends. A rate over so short a time could be a peak that never was.
    if (sample.at - before.at < 500) return [];
    // By the middle: a sample that was taken a moment after a second's end tells of that second.
    const second = secondOf((before.at + sample.at) / 2, startedAt);
    return Object.entries(ratesBetween(before, sample)).map(([name, value]) => ({ second, name, value }));
  });
  return { measures: ratesBetween(first, last), series };
}

function ratesBetween(before: Sample<Counters>, after: Sample<Counters>): Record<string, number> {
  const seconds = (after.at - before.at) / 1000;
  if (seconds <= 0) return {};
  return Object.fromEntries(
    Object.entries(after.value).flatMap(([name, value]) => {
      const grown = value - (before.value[name] ?? NaN);
      return grown >= 0 ? [[name, grown / seconds] as const] : [];
    }),
  );
}

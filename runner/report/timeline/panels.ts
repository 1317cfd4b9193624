import { partOf, type QuantityKind, type SeriesPoint, type TrialSeries } from '../../contract/metric.ts';
import type { Trial } from '../../contract/trial.ts';
import { metricNamed } from '../../metrics/catalogue.ts';

/** One of the charts below each other: a metric over the seconds of a trial. */
export interface Panel {
  /** Unique among the panels. */
  id: string;
  title: string;
  kind: QuantityKind;
  points: (series: TrialSeries) => readonly SeriesPoint[];
  /** The most that is possible, in the unit of the points; null if there is no limit. */
  limit: (trial: Pick<Trial, 'measures'>) => number | null;
}

const loadMetrics = ['tps', 'latency.average'];
/** The first of them that was measured. */
const walWritten = ['wal.rate', 'volumes.log.bytesWritten', 'cloudwatch.transactionLogsGeneration'];
/** Things that have I/Os per second, and the words for one of them. */
const devices = [
  { of: 'volumes', name: (member: string) => `${member} volume: I/Os per second` },
  { of: 'os.device', name: (member: string) => `server’s ${member}: I/Os per second` },
];

/**
 * The panels for these names of series, from top to bottom. What was not measured has no panel.
 *
 * @param writes whether the load can write; otherwise none is about WAL
 */
export function panelsFor(names: ReadonlySet<string>, writes: boolean): Panel[] {
  const single = (name: string): Panel[] =>
    names.has(name)
      ? [
          {
            id: name,
            title: metricNamed(name)?.label ?? name,
            kind: metricNamed(name)?.kind ?? 'rate',
            points: (series) => series.get(name) ?? [],
            limit: () => null,
          },
        ]
      : [];
  return [
    ...loadMetrics.flatMap(single),
    ...walWritten
      .filter((name) => writes && names.has(name))
      .slice(0, 1)
      .flatMap(single),
    ...devices.flatMap(({ of, name }) =>
      membersOf(`${of}.<member>.writes`, names).map((member): Panel => {
        const own = ['reads', 'writes'].map((which) => `${of}.${member}.${which}`);
        return {
          id: `${of}.${member}`,
          title: name(member),
          kind: 'rate',
          points: (series) => summed(own.map((one) => series.get(one) ?? [])),
          limit: ({ measures }) => measures[`${of}.${member}.iopsLimit`] ?? null,
        };
      }),
    ),
  ];
}

function membersOf(family: string, names: ReadonlySet<string>): string[] {
  return [...names].flatMap((name) => partOf({ name: family }, name) ?? []).sort();
}

/** The sum in each second that any of them has. */
function summed(all: readonly (readonly SeriesPoint[])[]): SeriesPoint[] {
  const sums = new Map<number, number>();
  for (const { second, value } of all.flat()) sums.set(second, (sums.get(second) ?? 0) + value);
  return [...sums].map(([second, value]) => ({ second, value })).sort((a, b) => a.second - b.second);
}

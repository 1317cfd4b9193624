import { partOf, type TrialSeries } from '../../contract/metric.ts';
import { ofLevel } from '../../contract/trial.ts';
import { inScale } from '../words/quantities.ts';
import { averagedSeconds, secondsPerPoint } from './over-time.ts';
import { type Chart, type ChartSubject, hollowWords, quietAxis, softInk, shortName } from './subject.ts';

/** Average active sessions of one variant by wait event, for every second of a trial: means of the trials that count. */
export interface WaitsOfVariant {
  variant: string;
  /** Its trials, and which of them are in the means. */
  trials: { trial: string; counted: boolean }[];
  events: { event: string; perSecond: number[] }[];
}

const family = { name: 'waits.sessions.<event>' };
/** Width of a letter of a panel's title, at most on average. */
const pixelsOfLetter = 7.6;
/** With one more for the rest, this is the number of colours. */
const mostEvents = 5;
const rest = 'other';

/** What sessions wait for over time, as a database's console shows it: a stack of wait events for each variant. */
export const waitsOverTimeChart: Chart<WaitsOfVariant[]> = async (subject) => {
  const { variants, trials, counts, level } = subject;
  const means = await meansByEvent(subject);
  const measured = variants.map(({ name }) => ({
    variant: name,
    events: means.get(name) ?? new Map<string, number[]>(),
  }));
  const shown = mostOf(measured.map(({ events }) => events));
  const seconds = measured
    .flatMap(({ events }) => [...events.values()].map(({ length }) => length))
    .reduce((most, length) => Math.max(most, length), 0);
  if (shown.length === 0 || seconds < 2) return null;
  const data = measured.map(({ variant, events }) => ({
    variant,
    trials: trials
      .filter(({ conditions }) => conditions.variant === variant)
      .map((trial) => ({ trial: trial.id, counted: counts(trial) })),
    events: folded(events, shown, seconds),
  }));
  // Not all at once: the seconds of several hours, passed as arguments, would overflow the stack.
  const highest = data.reduce((most, { events }) => Math.max(most, highestSum(events)), 0);
  if (!Number.isFinite(highest)) return null;
  const step = secondsPerPoint(seconds);
  const colours = new Map([...shown, rest].map((event, index) => [event, `var(--series-${index + 1})`]));
  return {
    title: `What sessions waited for over time${ofLevel(level)}`,
    caption: `Average active sessions by wait event, for every second of a trial: means of the trials that count. CPU: the server reports no wait.${hollowWords(subject, 'Left out')}`,
    alternative: data
      .map(({ variant, events }) => {
        const means = events.map(({ event, perSecond }) => ({ event, mean: meanOf(perSecond) }));
        const words = means
          .filter(({ mean }) => mean >= 0.05)
          .map(({ event, mean }) => `${event} ${inScale(mean, { unit: '', divisor: 1, decimals: 1 })}`);
        return `${variant}: ${words.join(', ') || 'no active sessions'}.`;
      })
      .join(' '),
    data,
    namesVariants: true,
    height: 330,
    option: ({ narrow, width }) => {
      const [left, gap, bottom] = [46, 30, 84];
      const each = (width - left - 16 - gap * (data.length - 1)) / data.length;
      const panels = data.map((_, index) => ({ left: left + index * (each + gap), width: each, top: 34, bottom }));
      return {
        grid: panels,
        title: data.map(({ variant }, index) => ({
          text: shortName(variant, Math.floor(each / pixelsOfLetter)),
          left: left + index * (each + gap),
          top: 4,
          textStyle: { color: softInk, fontSize: 13, fontWeight: 'normal' as const },
        })),
        legend: {
          bottom: 0,
          left,
          itemWidth: 12,
          itemHeight: 12,
          itemGap: 20,
          icon: 'rect',
          textStyle: { color: softInk, fontSize: 12 },
          data: [...colours.keys()].filter((event) =>
            data.some((one) => one.events.some((own) => own.event === event)),
          ),
        },
        xAxis: data.map((_, index) => ({
          ...quietAxis,
          gridIndex: index,
          type: 'value' as const,
          min: 0,
          max: seconds,
          splitLine: { show: false },
          axisLabel: { ...quietAxis.axisLabel, showMaxLabel: false, hideOverlap: true },
          splitNumber: narrow ? 2 : 4,
          name: narrow ? '' : 'seconds',
          nameLocation: 'middle' as const,
          nameGap: 26,
        })),
        yAxis: data.map((_, index) => ({
          ...quietAxis,
          gridIndex: index,
          type: 'value' as const,
          min: 0,
          max: Math.ceil(highest),
          splitNumber: 4,
          axisLine: { show: false },
          axisLabel: { ...quietAxis.axisLabel, show: index === 0 },
        })),
        series: data.flatMap(({ events }, index) =>
          events.map(({ event, perSecond }) => ({
            type: 'line' as const,
            name: event,
            stack: `${index}`,
            xAxisIndex: index,
            yAxisIndex: index,
            silent: true,
            showSymbol: false,
            lineStyle: { width: 0 },
            itemStyle: { color: colours.get(event) ?? softInk },
            areaStyle: { color: colours.get(event) ?? softInk, opacity: 0.75 },
            data: points(perSecond, step),
          })),
        ),
      };
    },
  };
};

/** Sums of one variant: sessions of every event in every second, and how many trials have that second. */
interface Summed {
  events: Map<string, number[]>;
  trials: number[];
}

/**
 * Means of the trials that count, by variant and event. One trial after another: the series of a long run do not fit into
 * memory together.
 */
async function meansByEvent({ trials, counts, series }: ChartSubject): Promise<Map<string, Map<string, number[]>>> {
  const sums = new Map<string, Summed>();
  for (const trial of trials) {
    const own = await series(trial);
    if (!counts(trial)) continue;
    const { variant } = trial.conditions;
    const summed = sums.get(variant) ?? { events: new Map(), trials: [] };
    sums.set(variant, summed);
    addTo(summed, own);
  }
  return new Map([...sums].map(([variant, summed]) => [variant, meansOf(summed)]));
}

function addTo({ events, trials }: Summed, series: TrialSeries): void {
  const seen = new Set<number>();
  for (const [name, values] of series) {
    const event = partOf(family, name);
    if (event === null) continue;
    const own = events.get(event) ?? [];
    events.set(event, own);
    for (const { second: at, value } of values) {
      const second = Math.floor(at);
      if (second < 0) continue;
      own[second] = (own[second] ?? 0) + value;
      seen.add(second);
    }
  }
  for (const second of seen) trials[second] = (trials[second] ?? 0) + 1;
}

function meansOf({ events, trials }: Summed): Map<string, number[]> {
  return new Map(
    [...events].map(([event, own]) => [
      event,
      Array.from({ length: trials.length }, (_, second) => (own[second] ?? 0) / Math.max(1, trials[second] ?? 0)),
    ]),
  );
}

/** The events with the most sessions on any side. */
function mostOf(sides: readonly ReadonlyMap<string, number[]>[]): string[] {
  const largest = new Map<string, number>();
  for (const side of sides) {
    for (const [event, perSecond] of side) largest.set(event, Math.max(largest.get(event) ?? 0, meanOf(perSecond)));
  }
  return [...largest]
    .sort(([, a], [, b]) => b - a)
    .slice(0, mostEvents)
    .map(([event]) => event);
}

/** The shown events, and all others as one. */
function folded(
  events: ReadonlyMap<string, number[]>,
  shown: readonly string[],
  seconds: number,
): WaitsOfVariant['events'] {
  const others = [...events].filter(([event]) => !shown.includes(event)).map(([, perSecond]) => perSecond);
  const padded = (perSecond: readonly number[]): number[] =>
    Array.from({ length: seconds }, (_, second) => perSecond[second] ?? 0);
  const sum = Array.from({ length: seconds }, (_, second) =>
    others.reduce((total, perSecond) => total + (perSecond[second] ?? 0), 0),
  );
  return [
    ...shown.map((event) => ({ event, perSecond: padded(events.get(event) ?? []) })),
    ...(sum.some((value) => value > 0) ? [{ event: rest, perSecond: sum }] : []),
  ];
}

/** The most sessions of all events together in one second. */
function highestSum(events: WaitsOfVariant['events']): number {
  const [first] = events;
  return (first?.perSecond ?? []).reduce(
    (most, _, second) =>
      Math.max(
        most,
        events.reduce((sum, { perSecond }) => sum + (perSecond[second] ?? 0), 0),
      ),
    0,
  );
}

/** Each point is in the middle of the seconds that it averages. */
function points(perSecond: readonly number[], step: number): [second: number, sessions: number][] {
  return averagedSeconds(perSecond, step).map(({ first, seconds, mean }) => [
    first + seconds / 2,
    Number((mean ?? 0).toPrecision(4)),
  ]);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

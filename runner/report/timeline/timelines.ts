import { countedTrials } from '../../analysis/counted-trials.ts';
import { movableIn } from '../../analysis/movable.ts';
import type { Result } from '../../contract/result.ts';
import type { Level, Trial } from '../../contract/trial.ts';
import type { SeriesSource } from '../../storage/series.ts';
import { type ChartSubject, chartSubjects } from '../charts/subject.ts';
import { type CheckpointsOver, checkpointsOver, secondsOf } from './checkpoints.ts';
import { addLatencies, type Heat, heatOf, noLatencies, rangeOf } from './heat.ts';
import { type Panel, panelsFor } from './panels.ts';
import {
  averaged,
  cadenceOf,
  type Clock,
  loaded,
  loadedTimeOf,
  mediansOf,
  secondsPerStep,
  type Steps,
} from './thinning.ts';
import { addWaits, type Band, bandsOf, halfOf, largestEvents, meansOfWaits, noWaits } from './waits.ts';
import { trialRemarks } from '../trial-remarks.ts';

/** What the trials of one level did over time, on one clock. The clock and the axes are those of all levels. */
export interface Timeline {
  level: Level;
  clock: Clock;
  /** `index` gives a variant its colour, the same at every level. */
  variants: { name: string; index: number }[];
  /** The trials that have lines of their own. */
  trials: DrawnTrial[];
  /** How many trials each variant has at most, with and without a line. */
  maxTrials: number;
  panels: PanelLines[];
  /** A panel for each variant; empty if no latencies of single transactions were measured. */
  heats: { variant: string; index: number; heat: Heat }[];
  /** The shortest and longest latency at any level, in microseconds. */
  latencies: { from: number; to: number };
  /** A panel for each variant; empty if no session was sampled. */
  waits: { variant: string; index: number; bands: Band[] }[];
  /** The largest sum of sessions at any level. */
  maxSessions: number;
  /** Of the trials that count, by variant. */
  checkpoints: CheckpointsOver[];
}

export interface DrawnTrial {
  id: string;
  index: number;
  counted: boolean;
  /** Why it does not count; empty if it does. */
  why: string;
}

/** One panel: a thick line for each variant, and a thin one for each drawn trial. */
export interface PanelLines {
  panel: Pick<Panel, 'id' | 'title' | 'kind'>;
  /** Steps of the clock that each value stands for. */
  every: number;
  /** Medians of the trials that count, by variant. */
  medians: Steps[];
  /** By drawn trial; absent if it has no value. */
  trials: (Steps | undefined)[];
  /** By variant; null if it has none, or different ones. */
  limits: (number | null)[];
  /** The largest value of a trial that counts, at any level, or of any trial if none counts; limits that are far above it are left out. */
  highest: number;
}

/** Lines of trials over all levels and variants: more are a felt, and make the page large. */
const maxLines = 100;
const maxLinesOfVariant = 12;
const minLinesOfVariant = 2;
/** With one more for the others. */
const maxEvents = 7;

/** One for each level, in order. None if no series was measured. */
export async function timelinesOf(result: Result, series: SeriesSource): Promise<Timeline[]> {
  const subjects = chartSubjects(result).filter(({ trials }) => trials.length > 0);
  const seconds = subjects.flatMap(({ trials }) => trials.map(secondsOf)).reduce((a, b) => Math.max(a, b), 0);
  if (seconds < 2) return [];
  const step = secondsPerStep(seconds);
  const clock = { step, steps: Math.ceil(Math.floor(seconds) / step) };
  const all = new Map([...new Set(result.variants.map(({ name }) => name))].map((name, index) => [name, index]));
  const anyCounts = countedTrials(result).size > 0;
  const lines = subjects.reduce((sum, { variants }) => sum + variants.length, 0);
  const each = Math.min(maxLinesOfVariant, Math.max(minLinesOfVariant, Math.floor(maxLines / Math.max(1, lines))));
  const read: ReadLevel[] = [];
  for (const subject of subjects) read.push(await readLevel(subject, series, { clock, all, each, anyCounts, result }));
  return onSharedAxes(read, clock);
}

type ReadLevel = Omit<Timeline, 'clock' | 'waits' | 'maxSessions' | 'latencies'> & {
  sessions: { variant: string; index: number; events: Map<string, Steps> }[];
};

interface Reading {
  clock: Clock;
  all: ReadonlyMap<string, number>;
  each: number;
  anyCounts: boolean;
  result: Result;
}

/** Reads one trial after another: the series of a long run do not fit into memory together. */
async function readLevel(
  { level, variants, trials, counts }: ChartSubject,
  series: SeriesSource,
  { clock, all, each, anyCounts, result }: Reading,
): Promise<ReadLevel> {
  const sides = variants.map(({ name }) => ({
    variant: { variant: name, index: all.get(name) ?? 0 },
    trials: trials.filter(({ conditions }) => conditions.variant === name),
    waits: noWaits(clock),
    latencies: noLatencies(),
  }));
  const panels = new Map<string, { panel: Panel; every: number; of: Map<string, Steps> }>();
  const { writes } = movableIn(result);
  for (const trial of trials) {
    const own = await series.read(trial);
    const time = loadedTimeOf(own, secondsOf(trial));
    for (const panel of panelsFor(new Set(own.keys()), writes)) {
      const points = loaded(panel.points(own), time);
      if (points.length < 2) continue;
      const every = Math.min(clock.steps, Math.max(1, Math.round(cadenceOf(points) / clock.step)));
      const found = panels.get(panel.id) ?? { panel, every, of: new Map<string, Steps>() };
      panels.set(panel.id, found);
      const steps = Math.ceil(clock.steps / found.every);
      found.of.set(trial.id, averaged(points, { step: clock.step * found.every, steps }));
    }
    const side = sides.find(({ variant }) => variant.variant === trial.conditions.variant);
    if (!side || !counts(trial)) continue;
    addWaits(side.waits, own, clock, time);
    addLatencies(side.latencies, own, time);
  }
  const drawn = sides.flatMap(({ trials: own }) =>
    // Those that count first; what does not count is named anyway.
    own.toSorted((a, b) => Number(counts(b)) - Number(counts(a))).slice(0, each),
  );
  return {
    level,
    variants: sides.map(({ variant: { variant, index } }) => ({ name: variant, index })),
    maxTrials: Math.max(...sides.map((side) => side.trials.length)),
    trials: drawn.map((trial) => ({
      id: trial.id,
      index: all.get(trial.conditions.variant) ?? 0,
      counted: counts(trial),
      why: counts(trial) ? '' : whyNot(trial, result),
    })),
    panels: [...panels.values()].map(({ panel, every, of }) => ({
      panel,
      every,
      medians: sides.map((side) => mediansOf(side.trials.filter(counts).map(({ id }) => of.get(id) ?? []))),
      trials: drawn.map(({ id }) => of.get(id)),
      limits: sides.map((side) => {
        const [limit = null, ...others] = new Set(side.trials.map(panel.limit));
        return others.length === 0 ? limit : null;
      }),
      highest: Math.max(0, ...[...of].map(([id, values]) => (!anyCounts || counts({ id }) ? highestOf(values) : 0))),
    })),
    heats: sides.map(({ variant, latencies }) => ({ ...variant, heat: heatOf(latencies) })),
    sessions: sides.map(({ variant, waits }) => ({ ...variant, events: meansOfWaits(waits, halfOf(waits)) })),
    checkpoints: (writes ? sides : []).map((side) =>
      checkpointsOver(side.variant.variant, side.trials.filter(counts), clock),
    ),
  };
}

/** The same panels with the same axes at each level, in the same order; a level without a panel's values has no such panel. */
function onSharedAxes(read: readonly ReadLevel[], clock: Clock): Timeline[] {
  const highest = new Map<string, number>();
  for (const { panel, highest: own } of read.flatMap(({ panels }) => panels)) {
    highest.set(panel.id, Math.max(highest.get(panel.id) ?? 0, own));
  }
  const shown = largestEvents(
    read.flatMap(({ sessions }) => sessions.map(({ events }) => events)),
    maxEvents,
  );
  const latencies = rangeOf(read.flatMap(({ heats }) => heats.map(({ heat }) => heat)));
  const levels = read.map(({ sessions, ...rest }) => ({
    ...rest,
    clock,
    heats: latencies === null ? [] : rest.heats,
    latencies: latencies ?? { from: 1, to: 1 },
    panels: rest.panels.map((one) => ({ ...one, highest: highest.get(one.panel.id) ?? one.highest })),
    waits: sessions.map(({ events, ...variant }) => ({ ...variant, bands: bandsOf(events, shown, clock.steps) })),
  }));
  const maxSessions = levels
    .flatMap(({ waits }) => waits)
    .reduce((max, { bands }) => Math.max(max, highestSum(bands, clock)), 0);
  return levels
    .map((level) => ({ ...level, maxSessions, waits: maxSessions > 0 ? level.waits : [] }))
    .filter(({ panels, waits }) => panels.length > 0 || waits.length > 0);
}

function highestSum(bands: Timeline['waits'][number]['bands'], { steps }: Clock): number {
  return Array.from({ length: steps }, (_, at) => bands.reduce((sum, { values }) => sum + (values[at] ?? 0), 0)).reduce(
    (a, b) => Math.max(a, b),
    0,
  );
}

function highestOf(values: Steps): number {
  return values.reduce<number>((max, value) => Math.max(max, value ?? 0), 0);
}

/** Why a trial that finished does not count, as a sentence. */
function whyNot(trial: Trial, { trials }: Result): string {
  const remarks = trialRemarks(trial);
  if (remarks.length > 0) return remarks.join(' ');
  return trials.some(({ block, attempt }) => block === trial.block && attempt > trial.attempt)
    ? 'Its block was repeated.'
    : 'Its block is incomplete, or nothing was compared.';
}

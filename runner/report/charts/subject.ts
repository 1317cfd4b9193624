import { countedTrials } from '../../analysis/counted-trials.ts';
import type { Comparison } from '../../contract/comparison.ts';
import type { TrialSeries } from '../../contract/metric.ts';
import type { Result } from '../../contract/result.ts';
import { serversAt } from '../../contract/server.ts';
import { comparedLevel, type Level, levelKey, levelOf, type Trial } from '../../contract/trial.ts';
import { variantsAt } from '../../experiment/groups.ts';
import type { SeriesSource } from '../../storage/series.ts';
import { comparedLevelsIn } from '../view/table.ts';
import type { Figure } from './render.ts';
import { inScale, type Scale } from '../../contract/format.ts';

/** The style of all charts. Colours are CSS variables of the page (styles.ts), so that dark mode needs no second chart. */

/** Colour and shape of a variant, by its index: both tell variants apart. A variant looks the same in every chart. */
export function variantLook(index: number): { colour: string; symbol: string } {
  const symbols = ['circle', 'diamond', 'triangle', 'rect', 'roundRect', 'arrow'];
  const place = index % symbols.length;
  return { colour: `var(--series-${place + 1})`, symbol: symbols[place] ?? 'circle' };
}

/** Style of a mark that does not count. */
export function hollow(colour: string) {
  return { color: 'transparent', borderColor: colour, borderWidth: 1.5, opacity: 0.8 };
}

export const ink = 'var(--ink)';
export const softInk = 'var(--soft)';
export const ruleColour = 'var(--rule)';
export const bandColour = 'var(--band)';

/** Style of an axis that stays in the background. */
export const quietAxis = {
  axisLine: { show: true, lineStyle: { color: ruleColour } },
  axisTick: { show: false },
  axisLabel: { color: softInk, fontSize: 12 },
  splitLine: { show: true, lineStyle: { color: ruleColour } },
  nameTextStyle: { color: softInk, fontSize: 12 },
};

/** The vertical axis of measured values, which the chart has divided by the scale's divisor. */
export function measuredAxis(scale: Scale) {
  return {
    ...quietAxis,
    type: 'value' as const,
    splitNumber: 4,
    axisLine: { show: false },
    axisLabel: {
      ...quietAxis.axisLabel,
      formatter: (value: number) => inScale(value * scale.divisor, { ...scale, decimals: decimalsOfTick(value) }),
    },
  };
}

/** Ticks are round numbers, and each has enough digits to differ from its neighbours. */
function decimalsOfTick(value: number): number {
  return String(Number(value.toFixed(6))).split('.')[1]?.length ?? 0;
}

/** Room around the drawing in pixels. On the right, it includes room for a variant's name after the last point. */
export function roomForNames(variants: readonly { name: string }[], narrow: boolean) {
  const longest = Math.max(0, ...variants.map(({ name }) => shortName(name).length));
  return { left: 62, right: narrow ? 12 : longest * 6.8 + 20, top: 16, bottom: 48 };
}

/** A name that leaves room for the drawing. */
export function shortName(name: string, most = 24): string {
  return name.length <= most ? name : `${name.slice(0, most - 1)}…`;
}

/** What charts are drawn from: a result at one level. */
export interface ChartSubject {
  /** A record for each variant: that of its first server. */
  variants: Result['variants'];
  experiment: Result['experiment'];
  /** Values of what is varied besides the variant; empty if nothing is. */
  level: Level;
  /** The trials that finished, in the order in which they were measured. */
  trials: readonly Trial[];
  /** The comparisons at this level. */
  comparisons: readonly Comparison[];
  /** Whether an estimate used the trial. A trial that does not count is drawn hollow, and named. */
  counts: (trial: Pick<Trial, 'id'>) => boolean;
  series: (trial: Trial) => Promise<TrialSeries>;
}

/** Draws one picture; null if nothing was measured that it could show. */
export type Chart<Data = unknown> = (subject: ChartSubject) => Promise<Figure<Data> | null>;

/** One subject for each level of the experiment, in order. */
export function chartSubjects(result: Result, series: SeriesSource): ChartSubject[] {
  const { variants, experiment } = result;
  const counted = countedTrials(result);
  return comparedLevelsIn(result).map((level) => {
    const key = levelKey(level);
    return {
      variants: variantsAt(experiment.definition, level).flatMap((name) => serversAt(variants, {}, name)[0] ?? []),
      experiment,
      level,
      trials: result.trials.filter(
        ({ state, conditions }) => state === 'finished' && levelKey(comparedLevel(levelOf(conditions))) === key,
      ),
      comparisons: result.comparisons.filter(({ conditions }) => levelKey(conditions) === key),
      counts: ({ id }) => counted.has(id),
      series: lastKept(series),
    };
  });
}

/** Reads a series once for all that ask for it in turn, and forgets it when they ask for the next one. */
function lastKept(series: SeriesSource): ChartSubject['series'] {
  let last: { id: string; read: Promise<TrialSeries> } | undefined;
  return (trial) => {
    if (last?.id !== trial.id) last = { id: trial.id, read: series.read(trial) };
    return last.read;
  };
}

/** A sentence that names the trials that are drawn hollow; empty if every finished trial counts. */
export function hollowWords({ trials, counts }: ChartSubject, drawn = 'Hollow'): string {
  const hollow = trials.filter((trial) => !counts(trial)).map(({ id }) => id);
  if (hollow.length === 0) return '';
  return ` ${drawn} (these do not count): ${hollow.join(', ')}.`;
}

import { variantStyle } from '../charts/colours.ts';
import type { Tick } from '../charts/axes.ts';
import { html, type Markup } from '../media/markup.ts';
import { nearlyAlwaysUnderWay, summedCheckpoints } from './checkpoints.ts';
import {
  axisOf,
  bandsMarkup,
  drawing,
  eventColour,
  heatMarkup,
  latencyTicks,
  linesMarkup,
  shadesMarkup,
} from './drawing.ts';
import type { PayloadPanel } from './payload.ts';
import { middleOf, type Steps } from './thinning.ts';
import type { PanelLines, Timeline } from './timelines.ts';
import { meanOf } from './waits.ts';
import { inScale, type Scale } from '../../contract/format.ts';
import { metricScale } from '../metric-words.ts';

export interface DrawnPanel {
  markup: Markup;
  /** What it shows, for readers who cannot see it. */
  words: string;
  payload: PayloadPanel;
}

/** What all kinds of panels have. */
interface Content {
  title: string;
  /** Stands behind the title above the picture. */
  remark?: string;
  /** Name of its values where they are read. @default the title */
  name?: string;
  scale: Scale;
  /** Steps of the clock that each value stands for. */
  every: number;
  lines: { name: string; colour: string; values: Steps }[];
  ticks: readonly Tick[];
  marks: readonly Markup[];
  /** What it shows in words. @default the middle of each line */
  words?: string;
}

function panelOf({ title, remark = '', name = title, scale, every, lines, ticks, marks, words }: Content): DrawnPanel {
  const { unit, decimals, divisor } = scale;
  const middles = lines.map((one) => `${one.name} ${inScale(middleOf(one.values), scale)}${unit && ` ${unit}`}`);
  return {
    markup: html`<div class="panel">
      <p>${title}${remark}</p>
      <div class="plot">
        ${drawing(ticks, marks)}
        ${ticks.map(({ at, words: number }) => html`<span class="tick" aria-hidden="true" style="bottom:${(100 * at).toFixed(1)}%">${number}</span>`)}
      </div>
    </div>`,
    words: `${title}: ${words ?? `${middles.join(', ')}, in the middle`}.`,
    payload: {
      title: name,
      unit,
      decimals,
      every,
      lines: lines
        .map((one) => ({ ...one, values: joined(one.values, divisor) }))
        // A line without any value belongs to a variant that has no such thing.
        .filter(({ values }) => /\d/.test(values)),
    },
  };
}

export function lined(own: PanelLines, timeline: Timeline): DrawnPanel {
  const { panel, medians, limits, highest, every } = own;
  const scale = metricScale(panel.id, panel.kind, [highest]);
  // A limit far above all values would press them together: then only its words are there.
  const near = limits.filter((limit) => limit !== null && limit <= 1.5 * highest);
  const { top, ticks } = axisOf(Math.max(highest, ...near.map((limit) => limit ?? 0)) / scale.divisor);
  return panelOf({
    title: panel.title,
    remark: `${scale.unit && ` (${scale.unit})`}${limitWords(limits, timeline)}`,
    scale,
    every,
    lines: timeline.variants.map(({ name, index }, at) => ({
      ...{ name, colour: variantStyle(index).colour },
      values: medians[at] ?? [],
    })),
    ticks,
    marks: [...shadesMarkup(sharesOf(timeline)), ...linesMarkup(own, timeline, top * scale.divisor)],
  });
}

export function banded(wait: Timeline['waits'][number], timeline: Timeline): DrawnPanel {
  const { variant, bands } = wait;
  const { top, ticks } = axisOf(timeline.maxSessions);
  const scale: Scale = { unit: '', divisor: 1, decimals: 1 };
  const means = bands
    .map(({ event, values }) => ({ event, mean: meanOf(values) }))
    .filter(({ mean }) => mean >= 0.05)
    .map(({ event, mean }) => `${event} ${inScale(mean, scale)}`);
  return panelOf({
    title: `Active sessions by wait event: ${variant}`,
    name: `Sessions, ${variant}`,
    scale,
    every: 1,
    lines: bands.map(({ event, values }) => ({ name: event, colour: eventColour(event), values })),
    ticks,
    marks: [...shadesMarkup(sharesOf(timeline, variant)), ...bandsMarkup(wait, timeline.clock, top)],
    words: means.join(', ') || 'no active sessions',
  });
}

export function heated(one: Timeline['heats'][number], timeline: Timeline): DrawnPanel {
  const { variant, heat } = one;
  const { colour } = variantStyle(one.index);
  const max = timeline.heats
    .flatMap(({ heat: { cells } }) => cells.map(({ transactions }) => transactions))
    .reduce((a, b) => Math.max(a, b), 0);
  return panelOf({
    title: `latency of single transactions (ms): ${variant}`,
    scale: { unit: 'ms', divisor: 0.001, decimals: 1 },
    every: heat.seconds / timeline.clock.step,
    lines: [
      { name: 'p50', colour, values: heat.below.map(({ half }) => half) },
      { name: 'p99', colour, values: heat.below.map(({ almostAll }) => almostAll) },
    ],
    ticks: latencyTicks(timeline.latencies),
    marks: heatMarkup(one, timeline, max),
  });
}

/** Such as `, limit 400`; by variant if they differ. */
function limitWords(limits: readonly (number | null)[], { variants }: Timeline): string {
  const words = (limit: number): string => inScale(limit, { unit: '', divisor: 1, decimals: 0 });
  const known = limits.flatMap((limit, at) => (limit === null ? [] : [{ limit, name: variants[at]?.name ?? '' }]));
  const [first] = known;
  if (!first) return '';
  if (known.every(({ limit }) => limit === first.limit)) return `; dashed: limit ${words(first.limit)}`;
  return `; dashed: limits ${known.map(({ name, limit }) => `${name} ${words(limit)}`).join(', ')}`;
}

/**
 * The share of trials with a checkpoint under way at each step; none if that would show nothing.
 *
 * @param variant @default all
 */
function sharesOf({ checkpoints }: Timeline, variant?: string): number[] {
  if (nearlyAlwaysUnderWay(checkpoints)) return [];
  const { counts, trials } = summedCheckpoints(
    variant === undefined ? checkpoints : checkpoints.filter((one) => one.variant === variant),
  );
  return counts.map((count) => count / Math.max(1, trials));
}

/** Four digits of each value; nothing for a gap. */
function joined(values: Steps, divisor: number): string {
  return values.map((value) => (value === null ? '' : String(Number((value / divisor).toPrecision(4))))).join(',');
}

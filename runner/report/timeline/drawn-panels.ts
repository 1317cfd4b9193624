import { html, type Markup } from '../media/markup.ts';
import { metricScale } from '../words/metric-words.ts';
import { nearlyAlwaysUnderWay, summedCheckpoints } from './checkpoints.ts';
import {
  axisOf,
  bandsMarkup,
  decadesOf,
  drawing,
  eventColour,
  gridMarkup,
  heatMarkup,
  lineLook,
  linesMarkup,
  shadesMarkup,
} from './drawing.ts';
import type { PayloadPanel } from './payload.ts';
import { middleOf, type Steps } from './thinning.ts';
import type { PanelLines, Timeline } from './timelines.ts';
import { meanOf } from './waits.ts';
import { inScale, type Scale } from '../../contract/format.ts';

export interface DrawnPanel {
  markup: Markup;
  /** What it shows, for readers who cannot see it. */
  words: string;
  payload: PayloadPanel;
}

export function lined(lines: PanelLines, timeline: Timeline): DrawnPanel {
  const { panel, medians, limits, highest, every } = lines;
  const scale = metricScale(panel.id, panel.kind, [highest]);
  // A limit far above all values would press them together: then only its words are there.
  const near = limits.filter((limit) => limit !== null && limit <= 1.5 * highest);
  const { top, ticks } = axisOf(Math.max(highest, ...near.map((limit) => limit ?? 0)) / scale.divisor);
  const unit = scale.unit === '' ? '' : ` (${scale.unit})`;
  const title = `${panel.title}${unit}${limitWords(limits, timeline)}`;
  const names = timeline.variants.map(({ name }) => name);
  return {
    markup: panelMarkup(title, ticksOf({ top, ticks }), [
      ...shadesMarkup(sharesOf(timeline)),
      ...linesMarkup(lines, timeline, top * scale.divisor),
    ]),
    words: `${panel.title}: ${names
      .map(
        (name, at) =>
          `${name} ${inScale(middleOf(medians[at] ?? []), scale)}${scale.unit === '' ? '' : ` ${scale.unit}`}`,
      )
      .join(', ')}, in the middle.`,
    payload: {
      title: panel.title,
      unit: scale.unit,
      decimals: scale.decimals,
      every,
      lines: timeline.variants.map(({ name, index }, at) => ({
        name,
        colour: lineLook(index).colour,
        values: joined(medians[at] ?? [], scale.divisor),
      })),
    },
  };
}

export function banded(wait: Timeline['waits'][number], timeline: Timeline): DrawnPanel {
  const { variant, bands } = wait;
  const axis = axisOf(timeline.maxSessions);
  const title = `Active sessions by what they wait for: ${variant}`;
  const scale: Scale = { unit: '', divisor: 1, decimals: 1 };
  const means = bands
    .map(({ event, values }) => ({ event, mean: meanOf(values) }))
    .filter(({ mean }) => mean >= 0.05)
    .map(({ event, mean }) => `${event} ${inScale(mean, scale)}`);
  return {
    markup: panelMarkup(title, ticksOf(axis), [
      ...shadesMarkup(sharesOf(timeline, variant)),
      ...bandsMarkup(wait, timeline.clock, axis.top),
    ]),
    words: `${title}: ${means.join(', ') || 'no active sessions'}.`,
    payload: {
      title: `Sessions, ${variant}`,
      unit: '',
      decimals: 1,
      every: 1,
      lines: bands.map(({ event, values }) => ({
        name: event,
        colour: eventColour(event),
        values: joined(values, 1),
      })),
    },
  };
}

export function heated(one: Timeline['heats'][number], timeline: Timeline): DrawnPanel {
  const { variant, heat } = one;
  const scale: Scale = { unit: 'ms', divisor: 0.001, decimals: 1 };
  const most = timeline.heats
    .flatMap(({ heat: { cells } }) => cells.map(({ transactions }) => transactions))
    .reduce((a, b) => Math.max(a, b), 0);
  const title = `latency of single transactions (ms): ${variant}`;
  const lines = [
    { name: 'half below', values: heat.below.map(({ half }) => half) },
    { name: '99 % below', values: heat.below.map(({ most: almostAll }) => almostAll) },
  ];
  const ticks = decadesOf(timeline.latencies).map(({ share, seconds }) => ({
    share,
    words: String(Number((seconds * 1000).toPrecision(1))),
  }));
  return {
    markup: panelMarkup(title, ticks, heatMarkup(one, timeline, most)),
    words: `${title}: ${lines.map(({ name, values }) => `${name} ${inScale(middleOf(values), scale)}`).join(', ')}, in the middle.`,
    payload: {
      title,
      unit: scale.unit,
      decimals: scale.decimals,
      every: heat.seconds / timeline.clock.step,
      lines: lines.map(({ name, values }) => ({
        name,
        colour: lineLook(one.index).colour,
        values: joined(values, scale.divisor),
      })),
    },
  };
}

function panelMarkup(
  title: string,
  ticks: readonly { share: number; words: string }[],
  drawn: readonly Markup[],
): Markup {
  return html`<div class="panel">
    <p>${title}</p>
    <div class="plot">
      ${drawing([gridMarkup(ticks.map(({ share }) => share)), ...drawn])}
      ${ticks.map(({ share, words }) => html`<span class="tick" aria-hidden="true" style="bottom:${(100 * share).toFixed(1)}%">${words}</span>`)}
    </div>
  </div>`;
}

/** Ticks with their numbers, from the bottom up. */
function ticksOf({ top, ticks }: ReturnType<typeof axisOf>): { share: number; words: string }[] {
  const decimals = Math.max(0, ...ticks.map((tick) => String(Number(tick.toPrecision(6))).split('.')[1]?.length ?? 0));
  return ticks.map((tick) => ({ share: tick / top, words: inScale(tick, { unit: '', divisor: 1, decimals }) }));
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

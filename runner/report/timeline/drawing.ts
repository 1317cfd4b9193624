import { scaleLinear, scaleLog } from 'd3-scale';
import { variantStyle, waitColour } from '../charts/colours.ts';
import { logTicksOf, type Tick, ticksOf } from '../charts/axes.ts';
import { element, pathOf, tenths } from '../charts/plot.ts';
import { type Markup, nothing } from '../media/markup.ts';
import { type Heat, shadeOf, shades } from './heat.ts';
import { coarser, type Clock, type Steps } from './thinning.ts';
import type { PanelLines, Timeline } from './timelines.ts';
import { otherEvents } from './waits.ts';

/**
 * A drawing has no text and takes any width, so that one serves a page and a phone: it is stretched, and its lines keep
 * their widths. Words stand beside it, where they wrap.
 */
const box = { width: 1000, height: 100 };
/** A thin line has fewer points than its median. */
const maxPointsOfTrial = 200;

/** There is room for the words of so many ticks. */
const maxTicks = 4;

/** An axis from zero with round ends. The places of its ticks are shares of the height, from the bottom up. */
export function axisOf(highest: number): { top: number; ticks: Tick[] } {
  const axes = [3, 2, 1].map((wanted) => {
    const scale = scaleLinear([0, highest > 0 ? highest : 1], [0, 1]).nice(wanted);
    return { top: scale.domain()[1] ?? 1, ticks: ticksOf(scale, wanted) };
  });
  return axes.find(({ ticks }) => ticks.length <= maxTicks) ?? { top: highest, ticks: [] };
}

/** Numbers of ticks that are nearer to each other, as a share of the height, would overlap. */
const nearestTicks = 0.4;

/** Ticks in milliseconds on a logarithmic axis. @param between in microseconds */
export function latencyTicks({ from, to }: Timeline['latencies']): Tick[] {
  return logTicksOf(scaleLog([from / 1000, to / 1000], [0, 1]), nearestTicks);
}

/** What shares the place of one panel: a rule at each tick, and marks over them. */
export function drawing(ticks: readonly Tick[], marks: readonly Markup[]): Markup {
  const rules = ticks.map(({ at }) => `M0,${tenths(box.height * (1 - at))}H${box.width}`).join('');
  return element(
    'svg',
    {
      viewBox: `0 0 ${box.width} ${box.height}`,
      preserveAspectRatio: 'none',
      'aria-hidden': 'true',
      focusable: 'false',
    },
    [element('path', { class: 'grid', d: rules }), ...marks],
  );
}

/** Thin lines for trials, dotted if they do not count; thick ones for medians; dashed limits. */
export function linesMarkup(
  { medians, trials, limits, every }: PanelLines,
  { variants, trials: drawn, clock }: Timeline,
  top: number,
): Markup[] {
  const lookOf = (at: number) => variantStyle(variants[at]?.index ?? 0);
  const across = (at: number, width: number): number =>
    Math.min(box.width, (box.width * (at + 0.5) * width) / clock.steps);
  // What does not count may be far off: it stays at the edge.
  const up = (value: number): number => box.height * (1 - Math.min(1, value / top));
  const path = (values: Steps, width: number, digits: 0 | 1): string =>
    pathOf(
      values.map((value, at) => (value === null ? null : [across(at, width), up(value)])),
      digits,
    );
  const coarse = Math.ceil(clock.steps / every / maxPointsOfTrial);
  const thin = trials.map((values, at) => {
    const trial = drawn[at];
    if (!values || !trial) return nothing;
    return element('path', {
      class: trial.counted ? 'trial' : 'trial hollow',
      'data-trial': at,
      stroke: variantStyle(trial.index).colour,
      d: path(coarser(values, coarse), every * coarse, 0),
    });
  });
  const bounds = limits.map((limit, at) =>
    limit === null || limit > top
      ? nothing
      : element('path', { class: 'limit', stroke: lookOf(at).colour, d: `M0,${tenths(up(limit))}H${box.width}` }),
  );
  const thick = medians.map((values, at) => {
    const { colour, dashes } = lookOf(at);
    return element('path', { class: 'median', stroke: colour, 'stroke-dasharray': dashes, d: path(values, every, 1) });
  });
  return [...thin, ...bounds, ...thick];
}

/** A stack of sessions, from the bottom up in the order of the bands. Each reaches down to zero, below those under it. */
export function bandsMarkup({ bands }: Timeline['waits'][number], { steps }: Clock, top: number): Markup[] {
  const sums = Array.from({ length: steps }, () => 0);
  const outlines = bands.map(({ event, values }) => {
    const outline = values.map((value, at) => {
      if (value === null) return '';
      sums[at] = (sums[at] ?? 0) + value;
      const x = tenths((box.width * (at + 0.5)) / steps);
      const y = tenths(box.height * (1 - sums[at] / top));
      const begins = (values[at - 1] ?? null) === null ? `M${x},${box.height}` : '';
      return `${begins}L${x},${y}${(values[at + 1] ?? null) === null ? `V${box.height}z` : ''}`;
    });
    return element('path', { class: 'band', style: `fill:${eventColour(event)}`, d: outline.join('') });
  });
  return outlines.reverse();
}

/**
 * Boxes that are the darker, the more transactions were there. Neighbours of one shade are one box.
 *
 * @param max transactions per second in the darkest box
 */
export function heatMarkup(
  { heat: { seconds, cells }, index }: Timeline['heats'][number],
  { clock, latencies }: Timeline,
  max: number,
): Markup[] {
  const place = scaleLog([latencies.from, latencies.to], [box.height, 0]);
  const width = (box.width * seconds) / (clock.step * clock.steps);
  const paths = Array.from({ length: shades }, () => '');
  for (const { fromMicros, column, columns, shade } of runsOf(cells, max)) {
    const [top, bottom] = [place(fromMicros * Math.SQRT2), place(fromMicros)].map(tenths);
    const [left, right] = [column, column + columns].map((at) => tenths(Math.min(box.width, at * width)));
    paths[shade - 1] = `${paths[shade - 1] ?? ''}M${left},${bottom}V${top}H${right}V${bottom}z`;
  }
  return paths.map((path, at) => {
    const style = `fill:${variantStyle(index).colour};fill-opacity:${((at + 1) / shades).toFixed(2)}`;
    return path === '' ? nothing : element('path', { class: 'heat', style, d: path });
  });
}

interface HeatRun {
  fromMicros: number;
  column: number;
  columns: number;
  shade: number;
}

function runsOf(cells: Heat['cells'], max: number): HeatRun[] {
  const found: HeatRun[] = [];
  const sorted = cells.toSorted((a, b) => a.fromMicros - b.fromMicros || a.column - b.column);
  for (const { column, fromMicros, transactions } of sorted) {
    const shade = shadeOf(transactions, max);
    const last = found.at(-1);
    if (last?.fromMicros === fromMicros && last.shade === shade && last.column + last.columns === column) {
      last.columns += 1;
    } else found.push({ fromMicros, column, columns: 1, shade });
  }
  return found;
}

export function eventColour(event: string): string {
  return event === otherEvents ? 'var(--rule)' : waitColour(event);
}

/** Bands behind a panel while checkpoints were under way; the darker, the more trials. @param shares from 0 to 1 */
export function shadesMarkup(shares: readonly number[]): Markup[] {
  const found: Markup[] = [];
  for (let from = 0, at = 1; at <= shares.length; at += 1) {
    const share = shares[from] ?? 0;
    if (shares[at] === share) continue;
    const [x, width] = [from, at - from].map((place) => (box.width * place) / shares.length);
    const opacity = (0.03 + 0.07 * share).toFixed(3);
    if (share > 0) found.push(element('rect', { class: 'checkpoint', x, width, height: box.height, opacity }));
    from = at;
  }
  return found;
}

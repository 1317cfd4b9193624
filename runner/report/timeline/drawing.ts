import { scaleLinear, scaleLog } from 'd3-scale';
import { area, line, stack } from 'd3-shape';
import { variantLook } from '../charts/subject.ts';
import { waitColour } from '../charts/wait-colours.ts';
import { html, type Markup, nothing, trusted } from '../media/markup.ts';
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

/** An axis from zero with round ends. */
export function axisOf(highest: number): { top: number; ticks: number[] } {
  const axes = [3, 2, 1].map((wanted) => {
    const scale = scaleLinear([0, highest > 0 ? highest : 1], [0, 1]).nice(wanted);
    return { top: scale.domain()[1] ?? 1, ticks: scale.ticks(wanted) };
  });
  return axes.find(({ ticks }) => ticks.length <= maxTicks) ?? { top: highest, ticks: [0, highest] };
}

/** What shares the place of one panel. @param children SVG elements */
export function drawing(children: readonly Markup[]): Markup {
  return html`<svg
    viewBox="0 0 ${box.width} ${box.height}"
    preserveAspectRatio="none"
    aria-hidden="true"
    focusable="false"
  >
    ${children}
  </svg>`;
}

/** Colour and stroke of a variant's line. After six, colours return with dashes. */
export function lineLook(index: number): { colour: string; dashes: string } {
  return { colour: variantLook(index).colour, dashes: index < 6 ? '' : '9 4' };
}

/** Thin lines for trials, dotted if they do not count; thick ones for medians; dashed limits. */
export function linesMarkup(
  { medians, trials, limits, every }: PanelLines,
  { variants, trials: drawn, clock }: Timeline,
  top: number,
): Markup[] {
  const pathOf = pathsOn(clock, top);
  const coarse = Math.ceil(clock.steps / every / maxPointsOfTrial);
  const thin = trials.map((values, at) => {
    const trial = drawn[at];
    if (!values || !trial) return nothing;
    const path = pathOf(coarser(values, coarse), every * coarse, 0);
    const kind = trial.counted ? 'trial' : 'trial hollow';
    return html`<path class="${kind}" data-trial="${at}" stroke="${lineLook(trial.index).colour}" d="${path}" />`;
  });
  const thick = medians.map((values, at) => {
    const { colour, dashes } = lineLook(variants[at]?.index ?? 0);
    return html`<path
      class="median"
      stroke="${colour}"
      stroke-dasharray="${dashes}"
      d="${pathOf(values, every, 1)}"
    />`;
  });
  const bounds = limits.map((limit, at) => {
    if (limit === null || limit > top) return nothing;
    const y = tenths(box.height * (1 - limit / top));
    return html`<path class="limit" stroke="${lineLook(variants[at]?.index ?? 0).colour}" d="M0,${y}H${box.width}" />`;
  });
  return [...thin, ...bounds, ...thick];
}

/** A stack of sessions, from the bottom up in the order of the bands. */
export function bandsMarkup({ bands }: Timeline['waits'][number], { steps }: Clock, top: number): Markup[] {
  const rows = Array.from({ length: steps }, (_, at) => at);
  const layers = stack<number, number>()
    .keys(bands.map((_, at) => at))
    .value((at, band) => bands[band]?.values[at] ?? 0)(rows);
  const shape = area()
    .defined((_, at) => (bands[0]?.values[at] ?? null) !== null)
    .x((_, at) => (box.width * (at + 0.5)) / steps)
    .y0(([from]) => box.height * (1 - from / top))
    .y1(([, to]) => box.height * (1 - to / top))
    .digits(1);
  return layers.map((layer, at) => {
    const colour = eventColour(bands[at]?.event ?? '');
    return html`<path class="band" style="fill:${colour}" d="${shape(layer.map(([a, b]) => [a, b])) ?? ''}" />`;
  });
}

/** Numbers of ticks that are nearer to each other, as a share of the height, would overlap. */
const nearestTicks = 0.4;

/**
 * A logarithmic axis. Its ticks are powers of ten, and between them, 2 and 5 times these if there is room.
 *
 * @param between in microseconds
 */
export function decadesOf({ from, to }: Timeline['latencies']): { share: number; seconds: number }[] {
  const place = scaleLog([from, to], [0, 1]);
  const found: number[] = [];
  for (const digit of ['1', '2', '5']) {
    for (const tick of place.ticks().filter((one) => one.toExponential().startsWith(digit))) {
      if (found.every((other) => Math.abs(place(other) - place(tick)) >= nearestTicks)) found.push(tick);
    }
  }
  return found.sort((a, b) => a - b).map((tick) => ({ share: place(tick), seconds: tick / 1e6 }));
}

/**
 * Boxes that are the darker, the more transactions were there. Neighbours of one shade are one box.
 *
 * @param most transactions per second in the darkest box
 */
export function heatMarkup(
  { heat: { seconds, cells }, index }: Timeline['heats'][number],
  { clock, latencies }: Timeline,
  most: number,
): Markup[] {
  const place = scaleLog([latencies.from, latencies.to], [box.height, 0]);
  const width = (box.width * seconds) / (clock.step * clock.steps);
  const paths = Array.from({ length: shades }, () => '');
  for (const { fromMicros, column, columns, shade } of runsOf(cells, most)) {
    const [top, bottom] = [place(fromMicros * Math.SQRT2), place(fromMicros)].map(tenths);
    const [left, right] = [column, column + columns].map((at) => tenths(Math.min(box.width, at * width)));
    paths[shade - 1] = `${paths[shade - 1] ?? ''}M${left},${bottom}V${top}H${right}V${bottom}z`;
  }
  return paths.flatMap((path, at) =>
    path === ''
      ? []
      : [
          html`<path
            class="heat"
            style="fill:${lineLook(index).colour};fill-opacity:${((at + 1) / shades).toFixed(2)}"
            d="${path}"
          />`,
        ],
  );
}

interface HeatRun {
  fromMicros: number;
  column: number;
  columns: number;
  shade: number;
}

function runsOf(cells: Heat['cells'], most: number): HeatRun[] {
  const found: HeatRun[] = [];
  const sorted = cells.toSorted((a, b) => a.fromMicros - b.fromMicros || a.column - b.column);
  for (const { column, fromMicros, transactions } of sorted) {
    const shade = shadeOf(transactions, most);
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
    const [x, width] = [from, at - from].map((place) => tenths((box.width * place) / shares.length));
    if (share > 0) {
      const opacity = (0.03 + 0.07 * share).toFixed(3);
      found.push(
        html`<rect
          class="checkpoint"
          x="${x ?? 0}"
          width="${width ?? 0}"
          height="${box.height}"
          opacity="${opacity}"
        />`,
      );
    }
    from = at;
  }
  return found;
}

/** Lines with gaps where nothing was measured; a value alone between gaps is a dot. */
function pathsOn({ steps }: Clock, top: number): (values: Steps, every: number, digits: number) => string {
  return (values, every, digits) =>
    line<number | null>()
      .defined((value) => value !== null)
      .x((_, at) => Math.min(box.width, (box.width * (at + 0.5) * every) / steps))
      // What does not count may be far off: it stays at the edge.
      .y((value) => box.height * (1 - Math.min(1, (value ?? 0) / top)))
      .digits(digits)([...values]) ?? '';
}

function tenths(value: number): string {
  return String(Number(value.toFixed(1)));
}

/** The rules of grid lines. @param shares of the height, from the bottom up */
export function gridMarkup(shares: readonly number[]): Markup {
  const path = shares.map((share) => `M0,${tenths(box.height * (1 - share))}H${box.width}`).join('');
  return trusted(`<path class="grid" d="${path}"/>`);
}

import { scaleLinear } from 'd3-scale';
import { area, line, stack } from 'd3-shape';
import { variantLook } from '../charts/subject.ts';
import { waitColour } from '../charts/wait-colours.ts';
import { html, type Markup, nothing, trusted } from '../media/markup.ts';
import { coarser, type Clock, type Steps } from './thinning.ts';
import type { PanelLines, Timeline } from './timelines.ts';
import { otherEvents } from './waits.ts';

/**
 * A drawing has no text and takes any width, so that one serves a page and a phone: it is stretched, and its lines keep
 * their widths. Words stand beside it, where they wrap.
 */
const box = { width: 1000, height: 100 };
/** A thin line has fewer points than its median. */
const mostPointsOfTrial = 200;

/** There is room for the words of so many ticks. */
const mostTicks = 4;

/** An axis from zero with round ends. */
export function axisOf(highest: number): { top: number; ticks: number[] } {
  const axes = [3, 2, 1].map((wanted) => {
    const scale = scaleLinear([0, highest > 0 ? highest : 1], [0, 1]).nice(wanted);
    return { top: scale.domain()[1] ?? 1, ticks: scale.ticks(wanted) };
  });
  return axes.find(({ ticks }) => ticks.length <= mostTicks) ?? { top: highest, ticks: [0, highest] };
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
  const coarse = Math.ceil(clock.steps / every / mostPointsOfTrial);
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

/** The rules of grid lines, at the ticks of the axis. */
export function gridMarkup(ticks: readonly number[], top: number): Markup {
  const path = ticks.map((tick) => `M0,${tenths(box.height * (1 - tick / top))}H${box.width}`).join('');
  return trusted(`<path class="grid" d="${path}"/>`);
}

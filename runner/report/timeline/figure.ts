import { scaleLinear } from 'd3-scale';
import type { Result } from '../../contract/result.ts';
import { ofLevel } from '../../contract/trial.ts';
import type { SeriesSource } from '../../storage/series.ts';
import { html, type Markup, nothing } from '../media/markup.ts';
import { metricScale } from '../words/metric-words.ts';
import { inScale, type Scale } from '../words/quantities.ts';
import {
  axisOf,
  bandsMarkup,
  drawing,
  eventColour,
  gridMarkup,
  lineLook,
  linesMarkup,
  shadesMarkup,
} from './drawing.ts';
import type { PayloadPanel, TimelinePayload } from './payload.ts';
import { middleOf, type Steps } from './thinning.ts';
import { type PanelLines, type Timeline, timelinesOf } from './timelines.ts';
import { meanOf } from './waits.ts';

/**
 * A figure for each level: the first is open, the others are folded. A figure alone has the name of its section.
 *
 * @param section id of the section's heading
 */
export async function timelineFigures(result: Result, series: SeriesSource, section: string): Promise<Markup[]> {
  const all = await timelinesOf(result, series);
  return all.map((timeline, index) =>
    figureOf(timeline, all.length === 1 ? { id: section } : { id: `timeline-${index + 1}`, isFolded: index > 0 }),
  );
}

/** @param of.isFolded absent if it needs no heading of its own */
function figureOf(timeline: Timeline, { id, isFolded }: { id: string; isFolded?: boolean }): Markup {
  const title = `Second by second${ofLevel(timeline.level)}`;
  const panels = [
    ...timeline.panels.map((one) => lined(one, timeline)),
    ...timeline.waits.map((one) => banded(one, timeline)),
  ];
  const heading = html`<h3 id="${id}">${title}</h3>`;
  const figure = html`<figure class="timeline" aria-labelledby="${id}">
    <figcaption>
      ${isFolded === false ? heading : nothing}
      <p>${captionOf(timeline)}</p>
    </figcaption>
    <div class="whose">${keyOf(timeline)}</div>
    <div class="stage">
      <div class="panels" role="img" aria-label="${title}. ${panels.map(({ words }) => words).join(' ')}">
        ${panels.map(({ markup }) => markup)}${clockMarkup(timeline)}
      </div>
    </div>
    ${eventsKey(timeline)}${notCounted(timeline)}
    <div class="reading" data-timeline="${JSON.stringify(payloadOf(timeline, panels))}"></div>
  </figure>`;
  return isFolded === true
    ? html`<details class="picture">
        <summary>${heading}</summary>
        <div>${figure}</div>
      </details>`
    : figure;
}

interface DrawnPanel {
  markup: Markup;
  /** What it shows, for readers who cannot see it. */
  words: string;
  payload: PayloadPanel;
}

function lined(lines: PanelLines, timeline: Timeline): DrawnPanel {
  const { panel, medians, limits, highest, every } = lines;
  const scale = metricScale(panel.id, panel.kind, [highest]);
  // A limit far above all values would press them together: then only its words are there.
  const near = limits.filter((limit) => limit !== null && limit <= 1.5 * highest);
  const { top, ticks } = axisOf(Math.max(highest, ...near.map((limit) => limit ?? 0)) / scale.divisor);
  const unit = scale.unit === '' ? '' : ` (${scale.unit})`;
  const title = `${panel.title}${unit}${limitWords(limits, timeline)}`;
  const names = timeline.variants.map(({ name }) => name);
  return {
    markup: panelMarkup(title, { top, ticks }, [
      ...shadesMarkup(sharesOf(timeline.checkpoints)),
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

function banded(wait: Timeline['waits'][number], timeline: Timeline): DrawnPanel {
  const { variant, bands } = wait;
  const axis = axisOf(timeline.mostSessions);
  const title = `Active sessions by what they wait for: ${variant}`;
  const scale: Scale = { unit: '', divisor: 1, decimals: 1 };
  const means = bands
    .map(({ event, values }) => ({ event, mean: meanOf(values) }))
    .filter(({ mean }) => mean >= 0.05)
    .map(({ event, mean }) => `${event} ${inScale(mean, scale)}`);
  return {
    markup: panelMarkup(title, axis, [
      ...shadesMarkup(sharesOf(timeline.checkpoints.filter((one) => one.variant === variant))),
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

function panelMarkup(title: string, { top, ticks }: ReturnType<typeof axisOf>, drawn: readonly Markup[]): Markup {
  const decimals = Math.max(0, ...ticks.map((tick) => String(Number(tick.toPrecision(6))).split('.')[1]?.length ?? 0));
  const label = (tick: number): string => inScale(tick, { unit: '', divisor: 1, decimals });
  return html`<div class="panel">
    <p>${title}</p>
    <div class="plot">
      ${drawing([gridMarkup(ticks, top), ...drawn])}
      ${ticks.map((tick) => html`<span class="tick" aria-hidden="true" style="bottom:${((100 * tick) / top).toFixed(1)}%">${label(tick)}</span>`)}
    </div>
  </div>`;
}

/** The one axis of time below all panels. */
function clockMarkup({ clock: { step, steps } }: Timeline): Markup {
  const seconds = step * steps;
  const ticks = scaleLinear([0, seconds], [0, 100])
    .ticks(5)
    .filter((tick) => tick <= 0.97 * seconds);
  return html`<div class="clock" aria-hidden="true">
    ${ticks.map((tick) => html`<span style="left:${((100 * tick) / seconds).toFixed(1)}%">${inScale(tick, { unit: '', divisor: 1, decimals: 0 })} s</span>`)}
  </div>`;
}

/** Which colour stands for which variant. Names wrap, however long they are. */
function keyOf({ variants }: Timeline): Markup {
  return html`<ul class="key always">
    ${variants.map(({ name, index }) => {
      const { colour, dashes } = lineLook(index);
      return html`<li>
        <svg viewBox="0 0 22 12" aria-hidden="true">
          <path d="M0,6H22" stroke="${colour}" stroke-width="3" stroke-dasharray="${dashes}" />
        </svg>
        <span>${name}</span>
      </li>`;
    })}
  </ul>`;
}

function eventsKey({ waits }: Timeline): Markup {
  const events = [...new Set(waits.flatMap(({ bands }) => bands.map(({ event }) => event)))];
  if (events.length === 0) return nothing;
  return html`<ul class="key always events">
    ${events.map((event) => html`<li><i style="background:${eventColour(event)}"></i><span>${event}</span></li>`)}
  </ul>`;
}

function notCounted({ trials }: Timeline): Markup {
  const hollow = trials.filter(({ counted }) => !counted);
  if (hollow.length === 0) return nothing;
  return html`<p class="notes">
    Dotted and, if far off, at the edge (these do not count): ${hollow.map(({ id, why }) => `${id}: ${why}`).join(' ')}
  </p>`;
}

function captionOf({ clock: { step }, trials, variants, mostTrials, checkpoints, waits }: Timeline): string {
  const each = Math.max(...variants.map(({ index }) => trials.filter((trial) => trial.index === index).length));
  return [
    'Seconds since the start of each trial.',
    `Thick lines are medians of the trials that count, thin ones single trials${mostTrials > each ? ` (at most ${each} of each variant)` : ''}.`,
    ...(step > 1 ? [`Each point averages ${step} seconds, and more in a thin line.`] : []),
    'A gap: fewer than half of them have a value.',
    ...(checkpoints.some(({ underWay }) => underWay.some((trials) => trials > 0))
      ? ['Shaded: checkpoints, the darker in the more trials.']
      : []),
    ...(waits.length > 0 ? ['Sessions are means; CPU: no wait reported.'] : []),
  ].join(' ');
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

/** The share of trials with a checkpoint under way at each step. */
function sharesOf(checkpoints: Timeline['checkpoints']): number[] {
  const { counts, trials } = summed(checkpoints);
  return counts.map((count) => count / Math.max(1, trials));
}

function summed(checkpoints: Timeline['checkpoints']): { counts: number[]; trials: number } {
  const [first] = checkpoints;
  return {
    counts: (first?.underWay ?? []).map((_, at) =>
      checkpoints.reduce((sum, { underWay }) => sum + (underWay[at] ?? 0), 0),
    ),
    trials: checkpoints.reduce((sum, { trials }) => sum + trials, 0),
  };
}

function payloadOf({ clock, trials, checkpoints }: Timeline, panels: readonly DrawnPanel[]): TimelinePayload {
  const { counts, trials: known } = summed(checkpoints);
  return {
    ...clock,
    // A line without any value belongs to a variant that has no such thing.
    panels: panels.map(({ payload: { lines, ...panel } }) => ({
      ...panel,
      lines: lines.filter(({ values }) => /\d/.test(values)),
    })),
    trials: trials.map(({ id, index, why }) => ({ name: id, colour: lineLook(index).colour, why })),
    checkpoints: counts.some((count) => count > 0) ? counts : [],
    countedTrials: known,
  };
}

/** Four digits of each value; nothing for a gap. */
function joined(values: Steps, divisor: number): string {
  return values.map((value) => (value === null ? '' : String(Number((value / divisor).toPrecision(4))))).join(',');
}

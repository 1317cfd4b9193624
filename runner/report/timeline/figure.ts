import { scaleLinear } from 'd3-scale';
import type { Result } from '../../contract/result.ts';
import { levelPhrase } from '../../contract/trial.ts';
import type { SeriesSource } from '../../storage/series.ts';
import { variantStyle } from '../charts/colours.ts';
import { foldedFigure, keyMarkup } from '../charts/figure.ts';
import { ticksOf } from '../charts/axes.ts';
import { html, type Markup, nothing } from '../media/markup.ts';
import { nearlyAlwaysUnderWay, summedCheckpoints } from './checkpoints.ts';
import { eventColour } from './drawing.ts';
import { banded, type DrawnPanel, heated, lined } from './drawn-panels.ts';
import type { TimelinePayload } from './payload.ts';
import { type Timeline, timelinesOf } from './timelines.ts';
import { rangeText } from '../../contract/format.ts';

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
  const title = `Second by second${levelPhrase(timeline.level)}`;
  const panels = [
    ...timeline.panels.map((one) => lined(one, timeline)),
    ...timeline.heats.map((one) => heated(one, timeline)),
    ...timeline.waits.map((one) => banded(one, timeline)),
  ];
  const heading = html`<h3 id="${id}">${title}</h3>`;
  const figure = html`<figure class="timeline" aria-labelledby="${id}">
    <figcaption>
      ${isFolded === false ? heading : nothing}
      <p>${captionOf(timeline)}</p>
    </figcaption>
    <div class="whose">${variantsKey(timeline)}</div>
    <div class="stage">
      <div class="panels" role="img" aria-label="${title}. ${panels.map(({ words }) => words).join(' ')}">
        ${panels.map(({ markup }) => markup)}${clockMarkup(timeline)}
      </div>
    </div>
    ${eventsKey(timeline)}${notCounted(timeline)}
    <div class="reading" data-timeline="${JSON.stringify(payloadOf(timeline, panels))}"></div>
  </figure>`;
  return isFolded === true ? foldedFigure(heading, figure) : figure;
}

/** The one axis of time below all panels. */
function clockMarkup({ clock: { step, steps } }: Timeline): Markup {
  const seconds = step * steps;
  const ticks = ticksOf(scaleLinear([0, seconds], [0, 100]), 5).filter(({ at }) => at <= 97);
  return html`<div class="clock" aria-hidden="true">
    ${ticks.map(({ at, words }) => html`<span style="left:${at.toFixed(1)}%">${words} s</span>`)}
  </div>`;
}

/** Which colour stands for which variant. */
function variantsKey({ variants }: Timeline): Markup {
  return keyMarkup(
    variants.map(({ name, index }) => {
      const { colour, dashes } = variantStyle(index);
      const path = html`<path d="M0,6H22" stroke="${colour}" stroke-width="3" stroke-dasharray="${dashes}" />`;
      return { name, sign: html`<svg viewBox="0 0 22 12" aria-hidden="true">${path}</svg>` };
    }),
  );
}

function eventsKey({ waits }: Timeline): Markup {
  const events = [...new Set(waits.flatMap(({ bands }) => bands.map(({ event }) => event)))];
  const signs = events.map((name) => ({ name, sign: html`<i style="background:${eventColour(name)}"></i>` }));
  return keyMarkup(signs, 'key always events');
}

function notCounted({ trials }: Timeline): Markup {
  const hollow = trials.filter(({ counted }) => !counted);
  if (hollow.length === 0) return nothing;
  return html`<p class="notes">
    Dotted: excluded trials (at the edge if off the scale): ${hollow.map(({ id, why }) => `${id}: ${why}`).join(' ')}
  </p>`;
}

function captionOf({ clock: { step }, trials, variants, maxTrials, checkpoints, heats, waits }: Timeline): string {
  const wide = Math.max(...heats.map(({ heat }) => heat.seconds));
  const each = Math.max(...variants.map(({ index }) => trials.filter((trial) => trial.index === index).length));
  return [
    'Seconds since trial start, without the incomplete first and last second.',
    `Thick lines: medians of valid trials. Thin lines: single trials${maxTrials > each ? ` (at most ${each} of each variant)` : ''}.`,
    ...(step > 1 ? [`Each point averages ${step} seconds, and more in a thin line.`] : []),
    'Gap: fewer than half of the trials have a value.',
    ...checkpointWords(checkpoints),
    ...(heats.length > 0
      ? [
          `Latencies${wide > 1 ? ` (whole steps of ${wide} seconds)` : ''}, on a logarithmic axis: the shade shows the logarithm of the transaction count over all valid trials.`,
        ]
      : []),
    ...(waits.length > 0 ? ['Sessions are means; CPU: no wait reported.'] : []),
  ].join(' ');
}

function checkpointWords(checkpoints: Timeline['checkpoints']): string[] {
  const always = nearlyAlwaysUnderWay(checkpoints);
  if (always) {
    const took = rangeText({ low: 100 * always.min, high: 100 * always.max }, 0);
    return [`Checkpoints are not shaded: they took ${took}% of the time.`];
  }
  return checkpoints.some(({ inProgress }) => inProgress.some((trials) => trials > 0))
    ? ['Shaded: checkpoints; darker means in more trials.']
    : [];
}

function payloadOf({ clock, trials, checkpoints }: Timeline, panels: readonly DrawnPanel[]): TimelinePayload {
  const { counts, trials: known } = summedCheckpoints(checkpoints);
  return {
    ...clock,
    panels: panels.map(({ payload }) => payload),
    trials: trials.map(({ id, index, why }) => ({ name: id, colour: variantStyle(index).colour, why })),
    checkpoints: counts.some((count) => count > 0) ? counts : [],
    countedTrials: known,
  };
}

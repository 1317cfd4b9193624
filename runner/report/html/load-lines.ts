import { scaleLinear } from 'd3-scale';
import { inScale } from '../../contract/format.ts';
import type { LoadLines } from '../first-screen/load-lines.ts';
import { html, type Markup } from '../media/markup.ts';

/** The lowest and the highest place of a value, in percent of the height, and room for the first and the last load. */
const places = { bottom: 97, top: 8, left: 10, right: 90 };

/** Both variants over the load, on one axis from zero. The table above has the values, so nothing is said twice. */
export function loadLinesMarkup({ axis, metric, loads, sides, scale }: LoadLines): Markup {
  const across = scaleLinear([0, loads.length - 1], [places.left, places.right]);
  const up = scaleLinear(
    [0, Math.max(...loads.flatMap(({ before, after }) => [before, after]))],
    [places.bottom, places.top],
  );
  const at = (place: number): string => `${place.toFixed(2)}%`;
  const lineOf = (side: 'before' | 'after'): Markup[] =>
    loads.slice(1).map((load, index) => {
      const from = loads[index] ?? load;
      return html`<line
        class="${side}"
        x1="${at(across(index))}"
        y1="${at(up(from[side]))}"
        x2="${at(across(index + 1))}"
        y2="${at(up(load[side]))}"
      />`;
    });
  const dotsOf = (side: 'before' | 'after'): Markup[] =>
    loads.map(
      (load, index) => html`<circle class="${side}" cx="${at(across(index))}" cy="${at(up(load[side]))}" r="4.5" />`,
    );
  const sign = (side: 'before' | 'after', name: string): Markup =>
    html`<span
      ><svg viewBox="0 0 14 14" aria-hidden="true">
        <line class="${side}" x1="0" x2="14" y1="7" y2="7" />
        <circle class="${side}" cx="7" cy="7" r="4" /></svg
      >${name}</span
    >`;
  return html`<section id="loads" aria-labelledby="loads-title">
    <h2 id="loads-title">${metric} by ${axis}</h2>
    <p class="signs">${sign('before', sides.before)}${sign('after', sides.after)}</p>
    <svg class="loads" aria-hidden="true" focusable="false">
      ${up
        .ticks(2)
        .map(
          (tick) =>
            html`<line class="grid-line" x1="0" x2="100%" y1="${at(up(tick))}" y2="${at(up(tick))}" />
              <text x="0" y="${at(up(tick))}" dy="-4">${inScale(tick, { ...scale, decimals: 0 })}</text>`,
        )}
      ${lineOf('before')}${lineOf('after')}${dotsOf('before')}${dotsOf('after')}
    </svg>
    <svg class="axis" aria-hidden="true" focusable="false">
      ${loads.map(({ name }, index) => html`<text x="${at(across(index))}" y="16" text-anchor="middle">${name}</text>`)}
    </svg>
  </section>`;
}

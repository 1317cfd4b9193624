import { timeColour } from '../charts/colours.ts';
import { html, type Markup } from '../media/markup.ts';
import type { TimeBar, TimeBars } from '../charts/time-bars.ts';

/**
 * Bars on one axis, one for each variant, each a stack of kinds of time. They are plain boxes, so that they take any width
 * and their text keeps its size. A segment shows its value if that fits at the width of a phone, and its name if that fits,
 * too. The key below has every value.
 *
 * @param id unique on the page
 */
export function timeBarsMarkup({ title, bars, kinds }: TimeBars, id: string): Markup {
  return html`<figure class="times" aria-labelledby="${id}">
    <figcaption>
      <h3 id="${id}">${title}</h3>
      <p>Means over the pairs, client included.</p>
    </figcaption>
    <div role="img" aria-label="${title}. ${bars.map((bar) => inWords(bar, kinds)).join(' ')}">
      ${bars.map((bar) => barMarkup(bar, kinds))}
    </div>
    <ul>
      ${kinds.map(({ kind, name }) => {
        const values = bars.map(({ segments }) => segments.find((one) => one.kind === kind)?.value ?? '');
        const swatch = html`<i style="background:${timeColour(kind)}"></i>`;
        return html`<li>${swatch}${name} ${values.join(values.length > 2 ? ', ' : ' → ')}</li> `;
      })}
    </ul>
  </figure>`;
}

/** Shares of the whole width that a value needs on a phone, and a name with its value. */
const sharesOfWords = { value: 0.2, both: 0.6 };

function barMarkup({ variant, length, whole, segments }: TimeBar, kinds: TimeBars['kinds']): Markup {
  const boxes = segments
    .filter(({ part }) => part > 0)
    .map(({ kind, part, value }) => {
      const name = kinds.find((one) => one.kind === kind)?.name ?? '';
      const style = `flex-grow:${part.toFixed(4)};background:${timeColour(kind)}`;
      const share = part * length;
      const words = [...(share >= sharesOfWords.both ? [name] : []), ...(share >= sharesOfWords.value ? [value] : [])];
      return html`<span class="segment" style="${style}">${words.join(' ')}</span>`;
    });
  return html`<div class="row">
    <span class="variant">${variant}</span>
    <span class="track">
      <span class="bar" style="width:calc((100% - 6em) * ${length.toFixed(4)})">${boxes}</span>
      <span class="whole">${whole}</span>
    </span>
  </div>`;
}

/** Such as `one-volume: 22.4 ms, of which WAL flush 19.0, client 3.3.` */
function inWords({ variant, whole, segments }: TimeBar, kinds: TimeBars['kinds']): string {
  const parts = segments.map(({ kind, value }) => `${kinds.find((one) => one.kind === kind)?.name ?? kind} ${value}`);
  return `${variant}: ${whole}, of which ${parts.join(', ')}.`;
}

export const timeBarsStyles = `
.times { margin: 20px 0 16px; font-size: 14px; }
.times figcaption { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 14px; margin-bottom: 6px; }
.times h3 { font-size: 15px; }
.times figcaption p { font-size: 13px; margin: 0; }
.times .row { display: grid; grid-template-columns: minmax(0, 10.5em) minmax(0, 1fr); gap: 0 12px; align-items: center; margin-bottom: 4px; }
.times .variant { line-height: 1.15; overflow-wrap: anywhere; }
.times .track { display: flex; align-items: center; gap: 8px; }
.times .bar { display: flex; gap: 2px; flex: none; }
.times .segment {
  flex: 1 1 0; min-width: 1px; height: 22px; line-height: 22px; overflow: hidden; color: var(--paper);
  text-align: center; white-space: nowrap; font-size: 13px; print-color-adjust: exact;
}
.times .whole { white-space: nowrap; }
.times ul { display: flex; flex-wrap: wrap; gap: 2px 18px; list-style: none; margin: 6px 0 0; padding: 0; color: var(--soft); font-size: 13px; }
.times i { display: inline-block; width: 10px; height: 10px; margin-right: 6px; print-color-adjust: exact; }
@media print {
  .times .segment { font-size: 0; }
}
@media screen and (max-width: 640px) {
  .times .row { grid-template-columns: minmax(0, 1fr); row-gap: 2px; margin-bottom: 6px; }
}
`;

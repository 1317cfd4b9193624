import { scaleLinear, scaleLog } from 'd3-scale';
import type { ChangePlot, ChangeRow } from '../first-screen/change-plot.ts';
import { html, type Markup, nothing } from '../media/markup.ts';

/** A table whose rows are a plot, too: places are shares of the width, so that texts and marks keep their size. */
export function changeMarkup(plot: ChangePlot): Markup {
  const { metric, rows, baseline, directions } = plot;
  const place = placesOf(plot);
  const [only] = rows;
  const isAlone = baseline === null;
  return html`<section id="size" aria-labelledby="size-title">
    <h2 id="size-title">
      Change in
      ${metric}${baseline !== null && baseline !== 'column' ? ` against ${baseline.variant}` : ''}${isAlone ? html` <span class="note">right of 0 is ${directions.right}</span>` : nothing}
    </h2>
    ${
      isAlone && only
        ? html`<div class="alone">${drawn(only, plot, place)}${axisOf(plot, place)}</div>`
        : tableOf(plot, place)
    }
    ${signsOf(plot)}
  </section>`;
}

type PlaceOf = (change: number) => string;

function drawn(row: ChangeRow | null, plot: ChangePlot, place: PlaceOf): Markup {
  return html`<svg class="plot" aria-hidden="true" focusable="false">
    ${groundOf(plot, place)}${row === null ? nothing : marksOf(row, place)}
  </svg>`;
}

function axisOf(plot: ChangePlot, place: PlaceOf): Markup {
  return html`<svg class="axis" aria-hidden="true" focusable="false">
    ${ticksOf(plot).map(
      (tick) =>
        html`<line class="notch" x1="${place(tick)}" x2="${place(tick)}" y1="0" y2="5" />
          <text x="${place(tick)}" y="19" text-anchor="middle">${plot.words(tick)}</text>`,
    )}
  </svg>`;
}

function tableOf(plot: ChangePlot, place: PlaceOf): Markup {
  const { metric, rows, baseline, directions, sides } = plot;
  const isColumn = baseline === 'column';
  const first = isColumn ? (sides ? 'load' : 'variant, load') : 'variant';
  const measured = rows.map(
    (row) =>
      html`<tr class="${row.look === 'control' ? 'quiet' : ''}">
        <th scope="row" class="${lengthOf(row.name)}">
          ${row.name}${row.about === '' ? nothing : html`<small>${row.about}</small>`}
        </th>
        <td class="number value">${isColumn ? `${row.words.before} → ` : ''}${row.words.after}</td>
        <td class="drawn">${drawn(row, plot, place)}</td>
        <td class="number change">
          <b>${row.words.change}</b>
          <small
            >${[row.words.range, isColoured(row) ? '' : row.verdict].filter((text) => text !== '').join(', ')}</small
          >
        </td>
      </tr>`,
  );
  if (baseline !== null && !isColumn) {
    const { variant, about, value, rowsAbove } = baseline;
    measured.splice(
      rowsAbove,
      0,
      html`<tr class="quiet">
        <th scope="row" class="${lengthOf(variant)}">
          ${variant}${about === '' ? nothing : html`<small>${about}</small>`}
        </th>
        <td class="number value">${value}</td>
        <td class="drawn">${drawn(null, plot, place)}</td>
        <td class="number change range">baseline</td>
      </tr>`,
    );
  }
  return html`<table class="forest">
    <thead>
      <tr>
        <th scope="col">${first}</th>
        <th scope="col" class="number">${metric}${isColumn ? ', before → after' : ''}</th>
        <th scope="col" class="drawn">
          <span class="directions"><span>◂ ${directions.left}</span><span>${directions.right} ▸</span></span>
        </th>
        <th scope="col" class="number change">change</th>
      </tr>
    </thead>
    <tbody>
      ${measured}
    </tbody>
    <tfoot>
      <tr>
        <td colspan="2"></td>
        <td class="drawn">${axisOf(plot, place)}</td>
        <td></td>
      </tr>
    </tfoot>
  </table>`;
}

/** Longer names break, so that the plot keeps its room. */
const maxUnbroken = 24;
const lengthOf = (name: string): string => (name.length > maxUnbroken ? 'long' : '');

const isColoured = ({ look }: ChangeRow): boolean => look === 'better' || look === 'worse';

/** What the marks mean, for those that there are. */
function signsOf({ rows, baseline, threshold, thresholdWords }: ChangePlot): Markup {
  const isAlone = baseline === null;
  const sign = (mark: Markup, name: string): Markup =>
    html`<span><svg viewBox="0 0 14 14" aria-hidden="true">${mark}</svg>${name}</span>`;
  const has = (test: (row: ChangeRow) => boolean): boolean => rows.some(test);
  const uncoloured = [...new Set(rows.filter(({ look }) => look === 'none').map(({ verdict }) => verdict))];
  const circle = (look: string): Markup => html`<circle class="estimate ${look}" cx="7" cy="7" r="4.5" />`;
  return html`<p class="signs">
    ${has(isColoured) ? sign(html`<circle cx="7" cy="7" r="4.5" fill="currentColor" />`, isAlone ? 'estimate' : 'verdict') : nothing}
    ${has(({ look }) => look === 'none') ? sign(circle('none'), isAlone ? 'estimate' : uncoloured.join(' or ')) : nothing}
    ${
      has(({ look }) => look === 'control')
        ? sign(html`<rect class="estimate" x="2.5" y="2.5" width="9" height="9" />`, 'control')
        : nothing
    }
    ${
      has(({ interval }) => interval !== null)
        ? sign(html`<path d="M0 7h14" stroke="currentColor" stroke-width="4" />`, 'range')
        : nothing
    }
    ${
      has(({ blocks }) => blocks.length > 0)
        ? sign(html`<path d="M3 4v7M7 4v7M11 4v7" stroke="currentColor" stroke-width="1.5" />`, 'single blocks')
        : nothing
    }
    ${
      threshold === null
        ? nothing
        : sign(
            html`<rect class="small-change" x="1" y="0" width="12" height="14" />`,
            `below ${thresholdWords}: too small to matter`,
          )
    }
  </p>`;
}

function domainOf({ rows, threshold }: ChangePlot): [number, number] {
  const ends = rows.flatMap(({ change, interval, blocks }) => [
    0,
    ...(threshold === null ? [] : [-threshold, threshold]),
    ...(change === null ? [] : [change]),
    ...(interval ? [interval.low, interval.high] : []),
    ...blocks,
  ]);
  return [Math.min(...ends), Math.max(...ends)];
}

/** A factor below this stands at the end of a logarithmic axis. */
const minFactor = 1e-6;
/** Room for labels at both ends, in percent of the width. */
const ends = { alone: [6, 94], table: [12, 88] };

/** A place on the axis, such as `12.50%`. */
function placesOf(plot: ChangePlot): PlaceOf {
  const [low, high] = domainOf(plot);
  const room = plot.baseline === null ? ends.alone : ends.table;
  const share = plot.isLogarithmic
    ? scaleLog([Math.max(minFactor, 1 + low), 1 + high], room)
    : scaleLinear([low, high], room);
  return (change) => `${share(plot.isLogarithmic ? Math.max(minFactor, 1 + change) : change).toFixed(2)}%`;
}

/** Labels on a narrow axis stay apart. */
const maxTicks = { alone: 6, table: 3 };

function ticksOf(plot: ChangePlot): number[] {
  const [low, high] = domainOf(plot);
  const max = plot.baseline === null ? maxTicks.alone : maxTicks.table;
  const counts = Array.from({ length: max }, (_, index) => max - index);
  const fitting = (make: (count: number) => number[]): number[] =>
    counts.map(make).find((ticks) => ticks.length <= max && ticks.length > 0) ?? [0];
  if (!plot.isLogarithmic) return fitting((count) => scaleLinear([low, high], [0, 1]).ticks(count));
  const factors = scaleLog([Math.max(minFactor, 1 + low), 1 + high], [0, 1]).ticks(max);
  const steps = Math.ceil(factors.length / max);
  return [1, ...factors.filter((factor, index) => index % steps === 0 && !isNear(factor, 1))]
    .slice(0, max)
    .map((factor) => factor - 1);
}

/** Whether labels of two factors would touch. */
function isNear(one: number, other: number): boolean {
  return Math.abs(Math.log(one / other)) < 0.4;
}

/** What all rows share: the band of changes that are too small to matter, and the line of no change. */
function groundOf({ threshold }: ChangePlot, place: PlaceOf): Markup {
  const zero = html`<line class="zero" x1="${place(0)}" x2="${place(0)}" y1="0" y2="100%" />`;
  if (threshold === null) return zero;
  const width = Number.parseFloat(place(threshold)) - Number.parseFloat(place(-threshold));
  return html`<rect
      class="small-change"
      x="${place(-threshold)}"
      y="0"
      width="${width.toFixed(2)}%"
      height="100%"
    />${zero}`;
}

function marksOf({ look, change, interval, blocks }: ChangeRow, place: PlaceOf): Markup[] {
  const at = (value: number, mark: Markup): Markup => html`<svg class="at" x="${place(value)}" y="50%">${mark}</svg>`;
  const cap = html`<line class="cap ${look}" x1="0" x2="0" y1="-7" y2="7" />`;
  return [
    ...(interval
      ? [
          html`<line
            class="whisker ${look}"
            x1="${place(interval.low)}"
            x2="${place(interval.high)}"
            y1="50%"
            y2="50%"
          />`,
          at(interval.low, cap),
          at(interval.high, cap),
        ]
      : []),
    ...blocks.map((block) => at(block, html`<line class="block" x1="0" x2="0" y1="9" y2="16" />`)),
    ...(change === null
      ? []
      : [
          look === 'control'
            ? at(change, html`<rect class="estimate" x="-4.5" y="-4.5" width="9" height="9" />`)
            : html`<circle class="estimate ${look}" cx="${place(change)}" cy="50%" r="4.5" />`,
        ]),
  ];
}

/** What else changed in a narrow column: the name of a metric in a line of its own, its values and their change below. */
const narrowOthers = (at: string): string => `
${at} .others, ${at} .others :is(thead, tbody) { display: block; }
${at} .others thead tr { display: flex; flex-wrap: wrap; gap: 0 5px; padding-bottom: 4px; border-bottom: 1px solid var(--axis); }
${at} .others thead :is(td, .number) { border: 0; padding: 0; min-width: 0; text-align: left; overflow-wrap: anywhere; }
${at} .others thead :is(td, .number:last-child) { display: none; }
${at} .others thead .number + .number::before { content: "→\\00a0"; }
${at} .others tbody tr { display: grid; grid-template-columns: auto 1fr auto; gap: 0 8px; padding: 7px 0; border-bottom: 1px solid var(--rule); }
${at} .others tbody tr.group { display: block; padding: 8px 0 0; border: 0; }
${at} .others tbody :is(td, th) { border: 0; padding: 0; }
${at} .others tbody th { grid-column: 1 / -1; }
${at} .others tbody :is(td:nth-child(2), .after) { text-align: left; }
${at} .others .after:not(:empty)::before { content: "→\\00a0"; color: var(--soft); }
`;

/**
 * How the first screen looks. Nothing is smaller than 13 px. Colour is a verdict; everything else is ink or grey. Its plots place
 * marks by shares of the width, so that texts and marks keep their size at every width.
 */
export const firstScreenStyles = `
.answer { padding: 12px 0 18px; border-bottom: 1px solid var(--rule); margin-bottom: 18px; }
.question { color: var(--soft); margin: 0 0 4px; overflow-wrap: anywhere; }
h1 { font-size: 30px; line-height: 1.25; font-weight: 700; letter-spacing: -0.01em; margin: 0; text-wrap: balance; overflow-wrap: anywhere; }
h1 .range { font-weight: 400; color: inherit; white-space: nowrap; }
h1 em { font-style: normal; white-space: nowrap; }
h1 .name { white-space: nowrap; }
/* Text from right to left is read in its own order, wherever it stands. */
:is(.question, h1 .name, .differs dt, .differs dd) { unicode-bidi: plaintext; text-align: left; }
em.better { color: var(--good); }
em.worse { color: var(--bad); }
.lead { font-size: 18px; line-height: 1.45; margin: 6px 0 0; text-wrap: pretty; overflow-wrap: anywhere; }
.differs { display: flex; flex-wrap: wrap; gap: 2px 28px; margin: 6px 0 0; font-size: 15px; }
.differs div { display: flex; flex-wrap: wrap; gap: 0 8px; min-width: 0; }
.differs dt { font-weight: 600; color: inherit; overflow-wrap: anywhere; }
.scope { font-size: 14px; color: var(--soft); margin: 6px 0 0; max-width: 140ch; text-wrap: pretty; overflow-wrap: anywhere; }
.grid { display: grid; grid-template-columns: minmax(0, 1fr) 376px; gap: 0 48px; align-items: start; padding-bottom: 28px; }
.grid section + section { margin-top: 20px; }
.grid.bare { display: block; }
.bare aside { max-width: 660px; }
.grid h2 { font-size: 16px; line-height: 1.4; font-weight: 700; margin: 0 0 8px; }
.grid h2 .note { font-weight: 400; color: var(--soft); font-size: 14px; }
.grid .foot { font-size: 14px; color: var(--soft); margin: 8px 0 0; text-wrap: pretty; }
.box { background: var(--panel); border-radius: 6px; padding: 14px 20px; overflow-wrap: anywhere; }
.box ul { margin: 0; padding: 0; list-style: none; }
.box li + li { margin-top: 8px; }
.box p { margin: 0; }
.box pre {
  background: var(--paper); border: 1px solid var(--rule); border-radius: 4px; padding: 8px 12px; margin: 8px 0 0;
  font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre-wrap; overflow-wrap: anywhere;
}
.box pre code { font: inherit; }
.box pre span { white-space: nowrap; }
.box table tr:last-child > * { border-bottom: 0; padding-bottom: 0; }
.grid table { border-collapse: collapse; width: 100%; font-size: 15px; line-height: 1.4; }
.grid th { font-weight: 400; text-align: left; }
.grid thead :is(th, td) { font-size: 13px; color: var(--soft); padding: 0 12px 4px 0; vertical-align: bottom; border-bottom: 1px solid var(--axis); }
.grid tbody :is(th, td) { padding: 5px 12px 5px 0; vertical-align: baseline; border-bottom: 1px solid var(--rule); }
.grid .number { text-align: right; white-space: nowrap; }
.grid tr > .number:last-child { padding-right: 0; }
.grid .range { color: var(--soft); }
.grid .group th { font-size: 13px; font-weight: 600; padding: 8px 0 2px; border-bottom: 0; color: var(--soft); }
.grid .others th { overflow-wrap: anywhere; min-width: 9em; }
.grid .others thead .number { white-space: normal; min-width: 5em; }
.grid .others thead td { min-width: 9em; }
.grid .trade-offs :is(th, .number) { white-space: normal; overflow-wrap: anywhere; }
.grid .trade-offs th:first-child { min-width: 6.5em; }
.grid .trade-offs tr > .number:not(:last-child) { padding-right: 20px; }
.trade-offs b { font-weight: 600; }
${narrowOthers('aside')}svg.plot, svg.axis { display: block; width: 100%; overflow: visible; }
.alone svg.plot { height: 44px; }
svg.axis { height: 24px; }
.alone svg.axis { border-top: 1px solid var(--axis); }
.grid svg text { font-size: 13px; fill: var(--soft); }
svg.at { overflow: visible; }
.small-change { fill: var(--band); }
.zero { stroke: var(--axis); stroke-width: 1.5; }
.notch { stroke: var(--axis); }
:is(.cap, .whisker) { stroke: var(--soft); stroke-width: 2; }
.whisker { stroke-width: 4; }
:is(.cap, .whisker).better { stroke: var(--good); }
:is(.cap, .whisker).worse { stroke: var(--bad); }
.estimate { fill: var(--paper); stroke: var(--soft); stroke-width: 2.5; }
.estimate.better { fill: var(--good); stroke: var(--good); }
.estimate.worse { fill: var(--bad); stroke: var(--bad); }
.block { stroke: var(--soft); stroke-width: 1.5; }
.directions { display: flex; justify-content: space-between; gap: 8px; }
.signs { display: flex; flex-wrap: wrap; gap: 2px 18px; font-size: 13px; color: var(--soft); margin: 6px 0 0; }
.signs span { display: inline-flex; align-items: center; gap: 6px; overflow-wrap: anywhere; }
.signs svg { width: 14px; height: 14px; flex: none; }
.signs + table { margin-top: 4px; }
.grid .forest .drawn { position: relative; padding: 0; width: 100%; min-width: 180px; }
.forest tbody .drawn svg { position: absolute; inset: 0; height: 100%; }
.forest tbody tr { height: 44px; }
.grid .forest tbody :is(th, td) { vertical-align: middle; padding-top: 4px; padding-bottom: 4px; }
.forest tbody th { font-weight: 600; white-space: nowrap; }
.forest tbody th.long { white-space: normal; overflow-wrap: anywhere; min-width: 13em; }
.forest tbody tr.quiet th { font-weight: 400; }
.forest small { display: block; font-size: 13px; font-weight: 400; color: var(--soft); line-height: 1.3; }
.forest th small { white-space: normal; overflow-wrap: anywhere; min-width: 13em; }
.forest .change { padding-left: 16px; }
.forest b { font-weight: 600; }
.grid .forest thead .drawn { padding: 0 0 4px; }
.grid .forest tfoot td { padding: 0; border: 0; }
.forest tbody tr:last-child > * { border-bottom-color: var(--axis); }
.parts th { padding-right: 16px; width: 25%; }
.grid .parts tbody :is(th, td) { border-bottom: 0; padding-top: 2px; padding-bottom: 2px; vertical-align: middle; }
.parts .bars svg { display: block; width: 100%; height: 26px; }
.parts .number { width: 1%; }
.grid .parts tfoot :is(th, td) { border-top: 1px solid var(--rule); padding: 4px 0 0; font-weight: 600; }
.parts.slim .bars svg { height: 18px; }
.bar-before { fill: var(--paper); stroke: var(--axis); stroke-width: 1.5; }
.bar-after { fill: var(--bar); stroke: var(--bar); stroke-width: 1.5; }
svg.loads { display: block; width: 100%; height: 110px; overflow: visible; margin-top: 10px; }
.grid-line { stroke: var(--rule); }
line.before { stroke: var(--axis); stroke-width: 2; stroke-dasharray: 5 4; }
line.after { stroke: var(--bar); stroke-width: 2.5; }
circle.before { fill: var(--paper); stroke: var(--axis); stroke-width: 2; }
circle.after { fill: var(--bar); }
@media screen and (max-width: 1199px) {
  h1 { font-size: 28px; }
  .grid { grid-template-columns: minmax(0, 1fr) 304px; gap: 0 32px; }
  .answer { padding-bottom: 14px; margin-bottom: 14px; }
  .box { padding: 12px 16px; }
}
@media screen and (max-width: 859px) {
  .grid { display: flex; flex-direction: column; align-items: stretch; gap: 24px; }
  .grid > div, .grid > aside { display: contents; }
  .grid section + section { margin-top: 0; }
  #size { order: 1; }
  #settle, #price { order: 2; }
  #rely { order: 3; }
  #others, #loads { order: 4; }
  #parts, #takers { order: 5; }
  #next { order: 6; }
}
@media screen and (max-width: 600px) {
  h1 { font-size: 23px; }
  .lead { font-size: 16px; }
  .answer { padding-top: 8px; }
  .forest, .forest tbody, .forest tfoot { display: block; }
${narrowOthers('.grid')}  .forest thead { display: none; }
  .forest tbody tr { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 12px; height: auto; padding-top: 7px; border-bottom: 1px solid var(--rule); }
  .grid .forest tbody :is(td, th) { border: 0; padding: 0; }
  .forest tbody th { grid-area: 1 / 1 / 3 / 2; white-space: normal; overflow-wrap: anywhere; }
  .forest tbody th.long, .forest th small { min-width: 0; }
  .forest .change { grid-area: 1 / 2; }
  .forest .value { grid-area: 2 / 2; font-size: 14px; color: var(--soft); }
  .forest tbody .drawn { grid-area: 3 / 1 / 4 / 3; height: 36px; }
  .grid .forest .drawn { width: auto; }
  .forest tfoot tr { display: block; }
  .forest tfoot td:not(.drawn) { display: none; }
  .grid .forest tfoot td.drawn { display: block; height: auto; }
  .parts th { width: 33%; padding-right: 8px; }
}
@media print {
  h1 { font-size: 18pt; }
  .grid { display: block; padding-bottom: 0; }
  .grid section { margin-top: 10pt; }
  .grid > div > section:first-child { margin-top: 0; }
  .box { border: 1px solid var(--rule); background: none; }
  #details { margin-top: 10pt; }
  .grid section, .grid tr { break-inside: avoid; }
  .small-change, .bar-before, .bar-after { print-color-adjust: exact; }
}
`;

import { colourStyles } from '../charts/colours.ts';

/** The page's style sheet. Sections with a layout of their own add to it. */
export const styles = `
:root { color-scheme: light dark; }
${colourStyles}* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: break-word;
}
.top > div, main, footer { max-width: 1240px; margin: 0 auto; padding: 0 30px; }
.top { position: sticky; top: 0; z-index: 2; background: var(--paper); border-bottom: 1px solid var(--rule); }
.top > div { display: flex; justify-content: space-between; gap: 4px 24px; align-items: baseline; }
.origin { color: var(--soft); font-size: 14px; margin: 8px 0; overflow-wrap: anywhere; }
nav { display: flex; gap: 4px 18px; overflow-x: auto; }
nav a { padding: 8px 0; white-space: nowrap; }
a { color: var(--link); text-underline-offset: 3px; }
a:focus-visible, summary:focus-visible, button:focus-visible, textarea:focus-visible, .scroll:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
[id] { scroll-margin-top: 56px; }
.open { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 48px; }
.open > :not(.half) { grid-column: 1 / -1; }
.card { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 390px); gap: 0 48px; padding-top: 20px; }
.card h1 { grid-column: 1 / -1; }
.only { max-width: 354px; }
.half .wide { max-width: 620px; }
.card figure, .card .attention { margin: 0 0 16px; }
h1 { font-size: 19px; font-weight: 500; line-height: 1.35; margin: 0 0 14px; color: var(--soft); }
details { border-top: 1px solid var(--rule); }
details:last-child { border-bottom: 1px solid var(--rule); }
summary { display: flex; gap: 12px; align-items: baseline; padding: 2px 0; cursor: pointer; }
summary::before { content: "▸"; color: var(--soft); width: 1em; flex: none; }
details[open] > summary::before { content: "▾"; }
summary h2 { margin: 0; font-size: 17px; overflow-wrap: anywhere; }
summary .holds { color: var(--soft); font-size: 14px; margin-left: auto; text-align: right; }
summary h3 { margin: 0; }
details > div { padding-bottom: 24px; }
details > div > figure { margin-top: 0; }
figure + details { margin-top: 16px; }
.appendix { margin-top: 16px; }
h2 { font-size: 20px; line-height: 1.3; margin: 30px 0 8px; }
h3 { font-size: 16px; margin: 30px 0 8px; }
.text { margin: 0.6rem 0 0; max-width: 44em; }
.attention { border-left: 4px solid var(--note); background: var(--panel); padding: 16px 22px; margin: 36px 0 0; border-radius: 0 4px 4px 0; }
.attention h2 { font-size: 16px; margin: 0 0 6px; }
.attention ul { margin: 0; padding-left: 19px; }
.attention li { margin: 4px 0; overflow-wrap: anywhere; }
.notes, figcaption p { color: var(--soft); font-size: 14px; margin: 10px 0 0; max-width: 52em; }
figure { margin: 16px 0 0; }
figcaption :is(h2, h3) { font-size: 16px; margin: 0; }
figcaption p { margin: 3px 0 8px; }
.key { display: none; flex-wrap: wrap; gap: 4px 18px; list-style: none; margin: 6px 0 4px; padding: 0; font-size: 14px; }
.key li { display: flex; align-items: center; gap: 7px; overflow-wrap: anywhere; }
.key span { min-width: 0; }
.key svg { width: 12px; height: 12px; flex: none; }
.key.always { display: flex; }
.chart svg { display: block; width: 100%; height: auto; }
.chart .narrow { display: none; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 8px 26px; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
footer { color: var(--soft); font-size: 14px; margin-top: 32px; padding-bottom: 24px; }
@media screen and (max-width: 1080px) {
  .card, .open { grid-template-columns: minmax(0, 1fr); }
}
@media screen and (max-width: 640px) {
  .top > div { display: block; }
  .top > div, main, footer { padding: 0 16px; }
  .origin { margin: 6px 0 0; }
  nav { flex-wrap: wrap; gap: 0 14px; overflow-x: visible; }
  nav a { padding: 4px 0; }
  h1 { font-size: 17px; margin-bottom: 12px; }
  h2 { margin-top: 36px; }
  summary { padding: 6px 0; }
  .card { display: flex; flex-direction: column; }
  .first, .second { display: contents; }
  .card :is(#time, #change) { order: 1; }
  .card .attention { margin: 14px 0; }
  .key { display: flex; }
  .chart .wide { display: none; }
  .chart .narrow { display: block; }
  dl { grid-template-columns: 1fr; gap: 2px; }
  dd { margin-bottom: 10px; }
}
@media print {
  body { font-size: 9.5pt; line-height: 1.35; }
  .top { position: static; }
  nav { display: none; }
  .top > div, main, footer { max-width: none; padding: 0; }
  .card { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 0 20pt; padding-top: 4pt; }
  .open { gap: 0 20pt; }
  .card table { font-size: 7.5pt; }
  .card :is(th, td) { padding-left: 4pt; }
  .appendix { break-before: page; }
  details::details-content { content-visibility: visible; block-size: auto; }
  summary::before, details[open] > summary::before { content: none; }
  h2 { font-size: 13pt; margin: 12pt 0 4pt; }
  h3 { margin: 8pt 0 3pt; }
  figcaption :is(h2, h3), .attention h2 { font-size: 11pt; }
  .attention { padding: 8pt 12pt; }
  h2, h3, summary { break-after: avoid; }
  figure, .attention { break-inside: avoid; }
  figure { margin-top: 8pt; }
  .notes, figcaption p { font-size: 8.5pt; margin-top: 4pt; }
  section:has(> figure + figure) { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 18pt; align-items: start; }
  section > :not(figure) { grid-column: 1 / -1; }
  .chart .wide { display: none; }
  .chart .narrow { display: block; }
  .half .chart .wide { display: block; }
  .half .chart .narrow { display: none; }
  .key { display: flex; }
  dl { gap: 2pt 14pt; font-size: 9pt; }
}
`;

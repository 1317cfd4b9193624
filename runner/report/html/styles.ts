import { colourStyles } from '../charts/colours.ts';

/** The page's style sheet. Sections with a layout of their own add to it. */
export const styles = `
:root { color-scheme: light dark; }
${colourStyles}* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: break-word;
}
.top, main, footer { max-width: 1264px; margin: 0 auto; padding: 0 32px; }
.top { display: flex; justify-content: space-between; align-items: baseline; gap: 24px; padding-top: 12px; padding-bottom: 8px; font-size: 14px; }
.top p { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
.top p span { font-weight: 400; color: var(--soft); margin-left: 8px; }
.top .date::before { content: "· "; }
.top p .date { margin-left: 0; }
nav { display: flex; gap: 20px; }
a { color: var(--link); text-underline-offset: 3px; }
a:focus-visible, summary:focus-visible, button:focus-visible, textarea:focus-visible, .scroll:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
#details > h2 { font-size: 16px; line-height: 1.4; margin: 0 0 8px; }
details { border-top: 1px solid var(--rule); }
details:last-child { border-bottom: 1px solid var(--rule); }
summary { display: grid; grid-template-columns: 18px minmax(0, 322px) minmax(0, 1fr); gap: 0 8px; align-items: baseline; padding: 8px 0; font-size: 15px; cursor: pointer; }
summary::before { content: "▸"; color: var(--soft); }
details[open] > summary::before { content: "▾"; }
summary h2 { margin: 0; font-size: 15px; font-weight: 600; line-height: 1.5; overflow-wrap: anywhere; }
summary .holds { color: var(--soft); overflow-wrap: anywhere; }
summary h3 { margin: 0; grid-column: 2 / -1; }
details > div { padding: 0 0 24px 26px; }
details > div > figure { margin-top: 0; }
figure + details { margin-top: 16px; }
h2 { font-size: 20px; line-height: 1.3; margin: 30px 0 8px; }
h3 { font-size: 16px; margin: 30px 0 8px; }
.text { margin: 0.6rem 0 0; max-width: 44em; }
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
@media screen and (max-width: 640px) {
  .top, main, footer { padding-left: 16px; padding-right: 16px; }
  .top .date { display: none; }
  nav { gap: 14px; }
  nav :is([href="#answer"], [href="#details"]) { display: none; }
  summary { grid-template-columns: 18px minmax(0, 1fr); }
  summary .holds { grid-column: 2; }
  details > div { padding-left: 0; }
  .key { display: flex; }
  .chart .wide { display: none; }
  .chart .narrow { display: block; }
  dl { grid-template-columns: 1fr; gap: 2px; }
  dd { margin-bottom: 10px; }
}
@media print {
  @page { size: A4; margin: 15mm 12mm; }
  body { font-size: 10pt; line-height: 1.4; }
  nav { display: none; }
  .top, main, footer { max-width: none; padding: 0; }
  summary { padding: 1.5pt 0; font-size: 9pt; }
  summary h2 { font-size: 9pt; }
  h2 { font-size: 13pt; margin: 12pt 0 4pt; }
  h3 { margin: 8pt 0 3pt; }
  figcaption :is(h2, h3) { font-size: 11pt; }
  h2, h3, summary { break-after: avoid; }
  figure { break-inside: avoid; margin-top: 8pt; }
  .notes, figcaption p { font-size: 8.5pt; margin-top: 4pt; }
  .chart .wide { display: none; }
  .chart .narrow { display: block; }
  .key { display: flex; }
  dl { gap: 2pt 14pt; font-size: 9pt; }
}
`;

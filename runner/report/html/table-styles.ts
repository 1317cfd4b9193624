/**
 * How tables look: on a wide page their texts wrap and numbers do not; on a phone each row is a card with the names of
 * its columns, so that nothing scrolls sideways.
 */
export const tableStyles = `
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 15px; }
th, td { padding: 7px 0 7px 20px; text-align: left; vertical-align: top; font-weight: 400; }
th:first-child, td:first-child { padding-left: 0; }
thead th { vertical-align: bottom; color: var(--soft); font-size: 13.5px; line-height: 1.3; }
thead th, thead td { border-bottom: 1.5px solid var(--soft); }
tbody th, tbody td { border-bottom: 1px solid var(--rule); overflow-wrap: anywhere; }
tbody .left { min-width: 7.5em; }
tbody .left:empty { min-width: 0; }
tbody .right { overflow-wrap: normal; }
.figures tbody .right { white-space: nowrap; }
.right { text-align: right; }
.group th { padding-top: 22px; color: var(--soft); font-weight: 650; font-size: 13.5px; }
.strong > * { font-weight: 650; }
.muted > * { color: var(--soft); }
.good > :last-child { color: var(--good); }
.bad > :last-child { color: var(--bad); }
td details, th details { border: 0 !important; }
td summary, th summary { display: inline; padding: 0; }
td summary::before, th summary::before { margin-right: 0.4em; }
td details p, th details p { margin: 6px 0 0; color: var(--soft); font: 13px ui-monospace, monospace; white-space: pre-wrap; }
.tools { display: flex; flex-wrap: wrap; gap: 6px 8px; justify-content: flex-end; align-items: center; margin: 4px 0; font-size: 13px; }
.tools button { font: inherit; color: var(--link); background: none; border: 1px solid var(--rule); border-radius: 4px; padding: 3px 10px; cursor: pointer; }
.tools button[aria-pressed="true"] { background: var(--band); color: var(--ink); }
.tools [role="status"] { color: var(--soft); }
.tools textarea { width: 100%; height: 8em; font: 12px ui-monospace, monospace; color: var(--ink); background: var(--panel); border: 1px solid var(--rule); }
thead button { font: inherit; color: inherit; text-align: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
thead button:hover { text-decoration: underline; }
[aria-sort="ascending"] button::after { content: " ▴"; }
[aria-sort="descending"] button::after { content: " ▾"; }
[hidden] { display: none !important; }
@media screen and (max-width: 640px) {
  .scroll { overflow: visible; }
  table, tbody, tr, tbody th, tbody td { display: block; width: auto; font-size: 14px; }
  thead { display: none; }
  tbody tr { border: 1px solid var(--rule); border-radius: 6px; padding: 8px 12px; margin: 0 0 10px; }
  tbody th, tbody td { border: 0; padding: 2px 0; min-width: 0; }
  tbody th, tbody th.right { font-weight: 650; text-align: left; }
  tbody td { display: flex; justify-content: space-between; gap: 4px 16px; text-align: right; }
  .texts tbody td { display: block; text-align: left; }
  tbody td:empty { display: none; }
  tbody td::before, tbody th.right::before { content: attr(data-label); color: var(--soft); font-weight: 400; text-align: left; overflow-wrap: anywhere; }
  .texts tbody td::before { display: block; font-size: 13px; }
  tbody th.right::before { margin-right: 0.5em; }
  tbody tr.group { border: 0; padding: 12px 0 0; margin: 0 0 4px; }
  .figures tbody .right { white-space: normal; }
}
@media print {
  .tools { display: none; }
  tr { break-inside: avoid; }
  .scroll { overflow: visible; }
  table { font-size: 8.5pt; }
  th, td { padding: 2pt 0 2pt 8pt; }
  thead th { font-size: 8pt; }
  tbody .left { min-width: 6em; }
  .group th { padding-top: 8pt; font-size: 8.5pt; }
  .group { break-after: avoid; }
  td details p, th details p { font-size: 8pt; }
}
`;

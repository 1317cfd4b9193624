/**
 * How tables look: on a wide page their texts wrap and numbers do not; on a phone each row is a card with the names of
 * its columns, so that nothing scrolls sideways.
 */
export const tableStyles = `
.scroll { overflow-x: auto; }
.scroll table { border-collapse: collapse; width: 100%; font-size: 15px; }
.scroll th, .scroll td { padding: 7px 0 7px 20px; text-align: left; vertical-align: top; font-weight: 400; }
.scroll th:first-child, .scroll td:first-child { padding-left: 0; }
.scroll thead th { vertical-align: bottom; color: var(--soft); font-size: 13.5px; line-height: 1.3; }
.scroll thead th, .scroll thead td { border-bottom: 1.5px solid var(--soft); }
.scroll tbody th, .scroll tbody td { border-bottom: 1px solid var(--rule); overflow-wrap: anywhere; }
.scroll tbody .left { min-width: 7.5em; }
.scroll tbody .left:empty { min-width: 0; }
.scroll tbody .right { overflow-wrap: normal; }
.scroll .figures tbody .right { white-space: nowrap; }
.scroll .right { text-align: right; }
.scroll .group th { padding-top: 22px; color: var(--soft); font-weight: 650; font-size: 13.5px; }
.scroll .strong > * { font-weight: 650; }
.scroll .muted > * { color: var(--soft); }
.scroll .good > :last-child { color: var(--good); }
.scroll .bad > :last-child { color: var(--bad); }
.scroll td details, .scroll th details { border: 0 !important; }
.scroll td summary, .scroll th summary { display: inline; padding: 0; }
.scroll td summary::before, .scroll th summary::before { margin-right: 0.4em; }
.scroll td details p, .scroll th details p { margin: 6px 0 0; color: var(--soft); font: 13px ui-monospace, monospace; white-space: pre-wrap; }
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
  .scroll table, .scroll tbody, .scroll tr, .scroll tbody th, .scroll tbody td { display: block; width: auto; font-size: 14px; }
  .scroll thead { display: none; }
  .scroll tbody tr { border: 1px solid var(--rule); border-radius: 6px; padding: 8px 12px; margin: 0 0 10px; }
  .scroll tbody th, .scroll tbody td { border: 0; padding: 2px 0; min-width: 0; }
  .scroll tbody th, .scroll tbody th.right { font-weight: 650; text-align: left; }
  .scroll tbody td { display: flex; justify-content: space-between; gap: 4px 16px; text-align: right; }
  .scroll .texts tbody td { display: block; text-align: left; }
  .scroll tbody td:empty { display: none; }
  .scroll tbody td::before, .scroll tbody th.right::before { content: attr(data-label); color: var(--soft); font-weight: 400; text-align: left; overflow-wrap: anywhere; }
  .scroll .texts tbody td::before { display: block; font-size: 13px; }
  .scroll tbody th.right::before { margin-right: 0.5em; }
  .scroll tbody tr.group { border: 0; padding: 12px 0 0; margin: 0 0 4px; }
  .scroll .figures tbody .right { white-space: normal; }
}
@media print {
  .tools { display: none; }
  .scroll tr { break-inside: avoid; }
  .scroll { overflow: visible; }
  .scroll table { font-size: 8.5pt; }
  .scroll th, .scroll td { padding: 2pt 0 2pt 8pt; }
  .scroll thead th { font-size: 8pt; }
  .scroll tbody .left { min-width: 6em; }
  .scroll .group th { padding-top: 8pt; font-size: 8.5pt; }
  .scroll .group { break-after: avoid; }
  .scroll td details p, .scroll th details p { font-size: 8pt; }
}
`;

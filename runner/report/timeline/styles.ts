/** Rules of figures over time. Numbers of the axes stand in a gutter, so that all panels have one clock. */
export const timelineStyles = `
.timeline { --gutter: 58px; position: relative; margin-top: 0; }
.timeline figcaption p { max-width: none; margin-bottom: 3px; }
.timeline .key { font-size: 13px; margin: 2px 0; }
.timeline .key svg { width: 22px; height: 12px; flex: none; }
.timeline .key i { width: 12px; height: 12px; flex: none; print-color-adjust: exact; }
.timeline .events { margin: 4px 0; padding-left: var(--gutter); }
.stage { position: relative; cursor: crosshair; touch-action: pan-y; }
.panels { font-size: 12px; color: var(--soft); }
.panel p { margin: 4px 0 3px var(--gutter); font-size: 13px; line-height: 1.2; color: var(--ink); overflow-wrap: anywhere; }
.plot { position: relative; margin: 0 16px 0 var(--gutter); }
.plot svg { display: block; width: 100%; height: 44px; overflow: visible; }
.plot path { fill: none; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
.plot .grid { stroke: var(--rule); }
.plot .trial { stroke-width: 1; opacity: 0.4; }
.plot .hollow { stroke-dasharray: 1 3; stroke-linecap: round; opacity: 0.8; }
.plot .median { stroke-width: 2.5; stroke-linecap: round; }
.plot .limit { stroke-width: 1.5; stroke-dasharray: 5 4; }
.plot .heat { stroke: none; print-color-adjust: exact; }
.plot .band { stroke: var(--paper); stroke-width: 0.5; }
.plot .checkpoint { fill: var(--ink); }
.plot .lit { stroke-width: 2.5; opacity: 1; }
.plot .off { display: none; }
.tick { position: absolute; right: calc(100% + 6px); transform: translateY(50%); line-height: 1; white-space: nowrap; }
.clock { position: relative; height: 18px; margin: 2px 16px 0 var(--gutter); }
.clock span { position: absolute; transform: translateX(-50%); }
.clock span:first-child { transform: none; }
.stage:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.stage > i { position: absolute; top: 0; bottom: 20px; border-left: 1px solid var(--ink); pointer-events: none; }
.reading { position: sticky; bottom: 0; z-index: 1; max-height: 45vh; overflow-y: auto; font-size: 13px; background: var(--paper); }
.reading dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 1px 14px; margin: 0; padding: 8px 0; border-top: 1px solid var(--rule); }
.reading dl:empty { display: none; }
.reading dt { max-width: 15em; color: var(--soft); font-weight: 400; overflow-wrap: anywhere; }
.reading dd { margin: 0; display: flex; flex-wrap: wrap; gap: 0 14px; overflow-wrap: anywhere; }
.reading i { display: inline-block; width: 10px; height: 10px; margin-right: 5px; }
.whose { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 18px; }
.whose details { border: 0; font-size: 13px; }
.whose details[open] { flex-basis: 100%; }
.whose summary { padding: 2px 0; }
.whose details > div { padding-bottom: 4px; }
.trials { display: flex; flex-wrap: wrap; gap: 6px; margin: 8px 0; }
.trials button { font: inherit; font-size: 13px; color: var(--ink); background: none; border: 1px solid var(--rule); border-radius: 4px; padding: 3px 8px; cursor: pointer; text-align: left; overflow-wrap: anywhere; }
.trials button[aria-pressed="false"] { color: var(--soft); text-decoration: line-through; }
.trials i { display: inline-block; width: 10px; height: 10px; margin-right: 6px; }
.trials .hollow i { background: none !important; border: 1.5px dotted; }
@media screen and (max-width: 640px) {
  .timeline { --gutter: 46px; }
  .reading dl { grid-template-columns: minmax(0, 1fr); }
  .reading dd { margin-bottom: 4px; }
}
@media print {
  .stage > i, .reading, .whose details { display: none; }
  .plot svg { height: 34px; }
}
`;

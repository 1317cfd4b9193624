import type { RunStatus } from '../../contract/status.ts';
import { html, type Markup } from '../media/markup.ts';

/**
 * What stands on top of a live page: what is being done, the time, and a strip with a box for each planned trial.
 *
 * @param title of the browser's tab; without it, the title stays
 */
export function progressBar(
  { doing, time, title }: { doing: string; time: string; title?: string },
  status: RunStatus | null,
): string {
  return html`${title === undefined ? '' : html`<title>${title}</title>`}
    <p><span class="doing">${doing}</span> <span class="time">${time}</span></p>
    ${status && status.plannedTrials > 0 ? stripOf(status) : ''}`.text;
}

/** With more trials than this, the boxes are a line. */
const maxBoxes = 100;

/** A trial that is measured again keeps the state of its first attempt. */
function stripOf({ trials, plannedTrials, current }: RunStatus): Markup {
  const numbered = trials.filter(({ number }) => number !== null);
  const states = new Map<number | null, string>(numbered.map(({ number, state }) => [number, state]));
  const boxes = Array.from({ length: plannedTrials }, (_, index) => {
    const state = states.get(index + 1) ?? (current?.trialNumber === index + 1 ? 'now' : 'planned');
    return html`<i class="${state}"></i>`;
  });
  return html`<div
    class="strip${plannedTrials > maxBoxes ? ' dense' : ''}"
    role="progressbar"
    aria-label="planned trials that have finished"
    aria-valuenow="${numbered.length}"
    aria-valuemax="${plannedTrials}"
  >
    ${boxes}
  </div>`;
}

/** Nothing moves by itself: drawing takes processors of the machine that measures. */
export const barStyles = `
#progress { position: sticky; top: 0; z-index: 3; background: var(--panel); border-bottom: 1px solid var(--rule); }
#progress p, .strip, #lost { max-width: 1264px; margin: 0 auto; padding: 0 32px; }
#progress p { display: flex; justify-content: space-between; gap: 0 24px; padding-block: 8px 6px; font-size: 15px; white-space: nowrap; }
#progress .doing { overflow: hidden; text-overflow: ellipsis; font-weight: 600; }
#progress .time { color: var(--soft); }
.strip { display: flex; gap: 2px; padding-bottom: 6px; }
.strip.dense { gap: 0; }
.strip i { flex: 1; height: 6px; background: var(--rule); }
.strip .finished { background: var(--series-2); }
.strip .now { background: linear-gradient(90deg, var(--series-2) 50%, var(--rule) 50%); }
.strip :is(.failed, .interrupted) { background: var(--bad); }
#page .text + .scroll { margin-top: 16px; }
[id] { scroll-margin-top: 106px; }
#lost { display: none; padding-block: 8px; background: var(--panel); }
.ended #lost { display: block; }
@media screen and (max-width: 640px) {
  #progress p, .strip, #lost { padding-inline: 16px; }
  #progress p { flex-wrap: wrap; white-space: normal; overflow-wrap: anywhere; line-height: 1.35; }
  [id] { scroll-margin-top: 80px; }
}
@media print { #progress, #lost { display: none !important; } }
`;

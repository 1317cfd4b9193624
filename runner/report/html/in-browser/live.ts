import { openWhereLinksLead } from './folding.ts';
import { equipTables } from './tables.ts';
import { equipTimelines } from './timeline.ts';

/**
 * The page of a run that is under way (report/live/): an empty frame, which shows what the server sends. `npm run
 * generate` puts it into live-script.ts.
 */
const events = new EventSource(`${location.pathname}/events`);

listen('progress', (next) => show('progress', next));
listen('page', showPage);
listen('end', () => events.close());
// After the end, the port may be that of another program: nothing asks it again by itself.
events.onerror = () => {
  events.close();
  document.body.classList.add('ended');
};
openWhereLinksLead();

/** No script of a text that is parsed this way runs. */
function listen(kind: string, take: (next: Document) => void): void {
  events.addEventListener(kind, ({ data }: MessageEvent<string>) => {
    take(new DOMParser().parseFromString(data, 'text/html'));
  });
}

function show(id: string, next: Document): void {
  if (next.title !== '') document.title = next.title;
  document.getElementById(id)?.replaceChildren(...next.body.childNodes);
}

/** Shows a whole page in the frame, with the blocks open that were open before, and scrolled as before. */
function showPage(next: Document): void {
  const opened = [...document.querySelectorAll('details[open] > div[id]')].map(({ id }) => id);
  const { scrollX, scrollY } = window;
  const style = next.querySelector('style');
  if (style) document.getElementById('styles')?.replaceChildren(...style.childNodes);
  next.querySelectorAll('script').forEach((script) => script.remove());
  // What lies beside report.html is not served.
  next.querySelectorAll('footer').forEach((footer) => footer.remove());
  next.querySelectorAll('a:not([href^="#"], [href^="https:"])').forEach((link) => link.replaceWith(...link.childNodes));
  show('page', next);
  equipTables();
  equipTimelines();
  for (const id of opened) document.getElementById(id)?.closest('details')?.setAttribute('open', '');
  scrollTo(scrollX, scrollY);
}

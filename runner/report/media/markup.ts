/** Text that is safe to put into a page. Only `html` makes it, and `trusted` for text that is known to be markup. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = string | number | Markup | readonly (string | Markup)[];

/** Template tag: escapes everything that is put in, unless it is Markup already. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  return new Markup(strings.reduce((text, part, index) => text + show(pieces[index - 1] ?? '') + part));
}

export function trusted(text: string): Markup {
  return new Markup(text);
}

export const nothing = new Markup('');

function show(piece: Piece): string {
  if (piece instanceof Markup) return piece.text;
  if (typeof piece === 'object') return piece.map(show).join('');
  return escape(unbroken(String(piece)));
}

/** Keeps a number on one line with its unit. */
function unbroken(text: string): string {
  return text.replace(/(\d) (?=(ms|s|min|[KMG]iB|B|IOPS)(?![A-Za-z]))/g, '$1\u00a0');
}

/** The same of a text alone, also for XML. */
export function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

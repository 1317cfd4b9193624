/** Whether a text is a page of HTML, or was copied from its source. */
export function isPage(text: string): boolean {
  return sign.test(text);
}

const sign =
  /<(?:!doctype html|html|body|pre|code|samp|div|span|p|td|br)(?:\s[^<>]{0,500})?\/?>|&lt;builtin: |^number&nbsp;of&nbsp;/im;

/**
 * The lines that a browser shows of one line of a page. Names of scripts, such as `<builtin: select only>`, are no tags.
 */
export function linesOfPage(text: string): string[] {
  return text
    .replace(tag, (_, name: string) => (inline.has(name.toLowerCase()) ? '' : '\n'))
    .split('\n')
    .map((part) => part.replace(entity, (whole, name: string) => characterOf(name.toLowerCase()) ?? whole));
}

const tag = /<[/!]?([a-z][a-z\d]{0,20})(?:\s[^<>]{0,2000})?\/?>/gi;
/** Tags that do not begin a line. */
const inline = new Set('a b code em font i kbd mark samp small span strong tt u'.split(' '));

const entity = /&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});/gi;
const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: ' ' };

function characterOf(name: string): string | null {
  if (!name.startsWith('#')) return named[name] ?? null;
  const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : null;
}

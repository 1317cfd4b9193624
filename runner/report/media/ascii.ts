/** What stands for the characters of our own texts on a terminal that shows no others than those of ASCII. */
const plain: Readonly<Record<string, string>> = {
  '→': 'to',
  '−': '-',
  '–': '-',
  '—': '-',
  '─': '-',
  '│': '|',
  '●': 'o',
  '◂': '<',
  '…': '...',
  '’': "'",
  '“': '"',
  '”': '"',
  '±': '+/-',
  µ: 'u',
  '×': 'x',
  '≥': '>=',
  '≤': '<=',
};

/** Whether a locale shows only ASCII. One that is not set says nothing, as in a container. */
export function isAsciiOnly({ LC_ALL, LC_CTYPE, LANG }: Readonly<Record<string, string | undefined>>): boolean {
  const locale = [LC_ALL, LC_CTYPE, LANG].find((one) => one !== undefined && one !== '');
  return locale !== undefined && !/utf-?8/i.test(locale);
}

/** The same text without characters of our own that such a terminal cannot show. */
export function inAscii(text: string): string {
  return text.replaceAll(/[→−–—─│●◂…’“”±µ×≥≤]/g, (character) => plain[character] ?? character);
}

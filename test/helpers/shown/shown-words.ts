/**
 * Finds what is wrong with the words of a text that was broken into lines. Every function returns nothing if all is well.
 */

const rule = /^─+$/;

/** The words of a text in reading order, without the lines that rule a table. */
export function wordsIn(lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(/\s+/)).filter((word) => word !== '' && !rule.test(word));
}

/**
 * Words of a narrow text that the wide text does not have. Texts may be broken only at spaces. The head of a table may also
 * be broken after hyphens, and so may a word in a table that is too long for any column.
 */
export function brokenWords(narrow: readonly string[], wide: readonly string[]): string[] {
  const whole = new Set(wordsIn(wide));
  const tooLong = [...whole].filter((word) => word.length > 30);
  const inHead = new Set(piecesOf([...whole]));
  const inRows = new Set(piecesOf(tooLong));
  let place: 'text' | 'rows' = 'text';
  return narrow.flatMap((line, index) => {
    if (line === '') place = 'text';
    if (rule.test(line)) place = 'rows';
    const allowed = place === 'rows' ? inRows : isHead(narrow, index) ? inHead : new Set<string>();
    return wordsIn([line]).filter((word) => !whole.has(word) && !allowed.has(word));
  });
}

/** Whether the line stands above the rule of a table, without an empty line between them. */
function isHead(lines: readonly string[], index: number): boolean {
  const next = lines.slice(index).find((line) => line === '' || rule.test(line));
  return next !== undefined && next !== '';
}

/** Every part of a hyphenated word, from one hyphen to another. */
function piecesOf(words: readonly string[]): string[] {
  return words.flatMap((word) => {
    const parts = word.split(/(?<=-)/);
    return parts.flatMap((_, from) =>
      parts.slice(from).map((__, length) => parts.slice(from, from + length + 1).join('')),
    );
  });
}

/** Groups of neighbouring lines that hold one short word each, as in a text that was squeezed into too narrow a column. */
export function squeezed(lines: readonly string[], most = 4): string[][] {
  const runs: string[][] = [[]];
  for (const line of lines) {
    const words = wordsIn([line]);
    if (words.length === 1 && (words[0] ?? '').length <= 15) runs.at(-1)?.push(line);
    else runs.push([]);
  }
  return runs.filter(({ length }) => length > most);
}

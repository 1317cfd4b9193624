import { stripVTControlCharacters } from 'node:util';

export const noBreakSpace = '\u00a0';

/** With less width than this beside a mark, a text would become a column of single words. */
const comfortable = 24;

/**
 * Breaks plain text at spaces into lines of at most `columns` characters. A longer word gets a line of its own. No line
 * ends at a no-break space, which is shown as a plain space.
 */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/[ \t\n]+/).filter((each) => each !== '')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => line.replaceAll(noBreakSpace, ' '));
}

/**
 * A paragraph that begins with a mark. Later lines are indented by the width of the mark, or a little if that leaves too
 * little room. Without text, the mark alone.
 */
export function hanging(mark: string, text: string, columns: number): string[] {
  const longestWord = Math.max(...text.split(' ').map(({ length }) => length));
  if (mark.trim() !== '' && columns - mark.length < Math.max(comfortable, longestWord)) {
    const margin = /^\s*/.exec(mark)?.[0] ?? '';
    const lines = wrap(mark + text, columns - margin.length - 4);
    return lines.map((line, index) => (index === 0 ? margin : `${margin}    `) + line);
  }
  const lines = wrap(text, columns - mark.length);
  const indent = ' '.repeat(mark.length);
  return lines.length === 0 ? [mark.trimEnd()] : lines.map((line, index) => (index === 0 ? mark : indent) + line);
}

/** A line as far as it fits, with a mark in place of the rest. Its colours do not count. */
export function cutTo(line: string, columns: number): string {
  const plain = stripVTControlCharacters(line);
  return plain.length <= columns ? line : `${plain.slice(0, columns - 1).trimEnd()}…`;
}

/** Breaks text that has lines and indentation of its own. Each line is broken by itself, and keeps its indentation. */
export function wrapLines(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) =>
      stripVTControlCharacters(line).length <= columns ? [line] : hanging(/^\s*/.exec(line)?.[0] ?? '', line, columns),
    )
    .join('\n');
}

/**
 * Characters that do something instead of being seen: control characters except tab and line end, and those that change the
 * direction of writing.
 */
// eslint-disable-next-line no-control-regex -- finding them is what this is for
const acting = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
/** What picocolors writes: it changes the look of a text, and nothing else. */
// eslint-disable-next-line no-control-regex -- a colour begins with a control character
const colour = /(\u001b\[[\d;]*m)/;

/**
 * Makes a text harmless where it is shown. Names, errors and outputs come from files of other people, and could
 * otherwise move the cursor, set the title of a terminal, or show a text in another order. Each acting character
 * becomes its JSON escape, such as \\u001b, so a JSON text keeps its meaning.
 */
export function visible(text: string): string {
  return text.replace(acting, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same, but colours stay. */
export function visibleInColour(text: string): string {
  return text
    .split(colour)
    .map((part, index) => (index % 2 === 1 ? part : visible(part)))
    .join('');
}

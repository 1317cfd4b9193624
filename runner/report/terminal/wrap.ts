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
  if (mark.trim() !== '' && columns - mark.length < comfortable) {
    const margin = /^\s*/.exec(mark)?.[0] ?? '';
    const lines = wrap(mark + text, columns - margin.length - 4);
    return lines.map((line, index) => (index === 0 ? margin : `${margin}    `) + line);
  }
  const lines = wrap(text, columns - mark.length);
  const indent = ' '.repeat(mark.length);
  return lines.length === 0 ? [mark.trimEnd()] : lines.map((line, index) => (index === 0 ? mark : indent) + line);
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

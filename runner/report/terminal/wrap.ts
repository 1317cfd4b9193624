import { stripVTControlCharacters } from 'node:util';

export const noBreakSpace = '\u00a0';

/** Beside a mark that leaves less room than this, a text would be a column of single words. */
const comfortable = 24;

/**
 * Breaks plain text into lines of at most `columns` characters at spaces; a longer word gets a line to itself. No line ends at
 * a no-break space, which is shown as a plain one.
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
 * A paragraph whose later lines are set in as far as its mark is wide, or a little where that leaves too little room; the mark
 * alone where there is no text.
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

/** Text with lines and indentation of its own: each line is broken by itself, and keeps its indentation. */
export function wrapLines(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) =>
      stripVTControlCharacters(line).length <= columns ? [line] : hanging(/^\s*/.exec(line)?.[0] ?? '', line, columns),
    )
    .join('\n');
}

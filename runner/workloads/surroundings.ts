import * as z from 'zod';
import { isPage, linesOfPage } from './html-page.ts';

/** A line of a file, without what surrounded it. The first line has number 1. */
export interface Line {
  number: number;
  text: string;
  /** Whether the text ends with it, without a line end. If it ends with a number, digits may be missing. */
  isUnended?: true;
}

/** The lines that a browser shows of one line of a page. Only the last of them can be unended. */
function shownLines({ number, text, isUnended }: Line): Line[] {
  return linesOfPage(text).map((part, index, all) => ({
    number,
    text: part,
    ...(isUnended && index === all.length - 1 && part !== '' && { isUnended }),
  }));
}

/**
 * Takes off what others put around the output of a tool when they keep it: colours, tags of HTML, wide and fixed
 * spaces, the string of a JSON file, and before each line a margin or a prefix, as docker compose, kubectl, journalctl, Fabric, quotations of mails and tables
 * of Markdown have it. A prefix must repeat, so no damaged line becomes a good one. Other lines stay as they are.
 *
 * @param tool finds where in a line one of the tool's own lines begins. It must be in linear time
 * @returns the lines, and in words what was taken off
 */
export function withoutSurroundings(text: string, tool: RegExp): { lines: Line[]; takenOff: string[] } {
  const plain = text.replace(/^\ufeff/, '');
  const uncoloured = plain.replace(colours, '');
  const isHtml = isPage(uncoloured);
  const printed = isHtml ? linesOf(uncoloured).flatMap(shownLines) : linesOf(uncoloured);
  const isSpaced = printed.some(({ text }) => text !== withSpaces(text) && tool.test(withSpaces(text)));
  const raw = printed.map((line) => ({
    ...line,
    text: withoutTicks((isSpaced ? withSpaces(line.text) : line.text).trimEnd(), tool),
  }));
  const lines = raw.some((line) => stringsIn(line.text).some((string) => tool.test(string)))
    ? raw.flatMap((line) => linesOfStrings(line))
    : raw;
  const prefixes = repeatedPrefixes(lines, tool);
  return {
    lines: prefixes.size === 0 ? lines : withoutPrefixes(lines, tool, prefixes),
    takenOff: [
      ...(uncoloured === plain ? [] : ['colours']),
      ...(isHtml ? ['tags of HTML'] : []),
      ...(isSpaced ? ['spaces that are not ASCII'] : []),
      ...(lines === raw ? [] : ['the quotes of JSON strings']),
      ...[...prefixes.values()].slice(0, shownPrefixes).map(({ example }) => inWords(example)),
    ],
  };
}

/** Of Unix, Windows and old Macs. */
const lineEnds = /\r\n?|\n/;

/** With what `grep --color` and `tput sgr0` print besides. */
const colours = new RegExp(`${String.fromCharCode(27)}(?:\\[[\\d;]*[mK]|\\(B)`, 'g');
const shownPrefixes = 3;

function linesOf(text: string): Line[] {
  const texts = text.split(lineEnds);
  return texts.map((line, index) => ({
    number: index + 1,
    text: line,
    ...(index === texts.length - 1 && line !== '' && { isUnended: true }),
  }));
}

/** Word processors, chats and pages print other spaces, such as those at which a line does not break. */
function withSpaces(text: string): string {
  return text.replace(/(?! )\p{Zs}/gu, ' ');
}

/** Somebody may have marked an output, or each of its lines, as code of Markdown. */
function withoutTicks(line: string, tool: RegExp): string {
  return line.includes('`') && tool.test(line) ? line.replace(/^`+|`+$/g, '') : line;
}

function inWords(prefix: string): string {
  return prefix.trim() === '' ? `a margin of ${prefix.length} characters` : `the prefix ${JSON.stringify(prefix)}`;
}

/** The texts of several lines among the strings of a line of JSON, such as an answer of Ansible or of the Docker daemon. */
function stringsIn(line: string): string[] {
  if (!line.includes('\\n') || !/[}\]",]$/.test(line)) return [];
  return [...line.matchAll(/"(?:[^"\\]|\\.)*"/g)].flatMap(([literal]) =>
    literal.includes('\\n') ? (unquoted(literal) ?? []) : [],
  );
}

function linesOfStrings(line: Line): Line[] {
  const { number, text } = line;
  const strings = stringsIn(text);
  if (strings.length === 0) return [line];
  return strings.flatMap((string) =>
    string
      .replace(/\n$/, '')
      .split(lineEnds)
      .map((line) => ({ number, text: line.trimEnd() })),
  );
}

function unquoted(literal: string): string | null {
  try {
    return z.string().parse(JSON.parse(literal));
  } catch {
    return null;
  }
}

interface Prefix {
  pattern: RegExp;
  example: string;
}

/** No prefix is longer. */
const longestPrefix = 200;
/** Prefixes by their form, in which numbers and names of days may be others. */
type Prefixes = Map<string, Prefix>;

function repeatedPrefixes(lines: readonly Line[], tool: RegExp): Prefixes {
  const repeated: Prefixes = new Map();
  let before = { form: '', lines: 0 };
  for (const { text } of lines) {
    const prefix = prefixOf(text, tool);
    if (prefix === null) continue;
    const form = formOf(prefix);
    before = { form, lines: form === before.form ? before.lines + 1 : 1 };
    // Words may stand before such a line by chance, as in a sentence about it.
    if (before.lines < (/\w/.test(prefix) ? 3 : 2) || prefix === '' || repeated.has(form)) continue;
    repeated.set(form, { pattern: new RegExp(`^${form}`), example: prefix });
  }
  return repeated;
}

/** What stands before one of the tool's lines; null if it is another line. */
function prefixOf(text: string, tool: RegExp): string | null {
  const at = text.slice(0, longestPrefix + 100).search(tool);
  return at < 0 ? null : text.slice(0, at);
}

const varying = /(\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b|\d+|\s+(?=\S))/;

function formOf(prefix: string): string {
  return prefix
    .split(varying)
    .map((part, index) => {
      if (index % 2 === 0) return part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
      return /\d/.test(part) ? '\\d+' : /\w/.test(part) ? '[A-Z][a-z]{2}' : '\\s+';
    })
    .join('');
}

function withoutPrefixes(lines: readonly Line[], tool: RegExp, prefixes: Prefixes): Line[] {
  let last: Prefix | undefined;
  return lines.map((line) => {
    const prefix = prefixOf(line.text, tool);
    if (prefix === '') last = undefined;
    else if (prefix !== null) last = prefixes.get(formOf(prefix)) ?? last;
    return last ? { ...line, text: withoutPrefix(line.text, last) } : line;
  });
}

function withoutPrefix(text: string, { pattern, example }: Prefix): string {
  const [found] = pattern.exec(text) ?? [];
  // Nothing follows the prefix in a blank line.
  if (found === undefined) return text === example.trimEnd() ? '' : text;
  const rest = text.slice(found.length);
  if (example.endsWith('"')) return unquoted(`"${rest.replace(/",?$/, '')}"`) ?? rest;
  return example.trimStart().startsWith('|') ? rest.replace(/[\s|`]+$/, '') : rest;
}

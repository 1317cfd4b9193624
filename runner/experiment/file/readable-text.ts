import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isNode,
  isPair,
  LineCounter,
  type Node,
  parseDocument,
} from 'yaml';
import type { InParts } from '../../files/in-parts.ts';

/** A syntax error. Line and column count from 1. */
export interface UnreadableLine {
  line: number;
  column: number;
  message: string;
}

/**
 * Whether a text may be nested so deep: by brackets, by indentation, or by marks of lists in one line. YAML's parser calls
 * itself for each level, and if it uses up the stack, V8 may end the process.
 */
export function isDeep(text: string, most: number): boolean {
  let open = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open = bracket === '[' || bracket === '{' ? open + 1 : Math.max(0, open - 1);
    if (open > most) return true;
  }
  return text.split('\n').some((line) => (/^(?:[-?:\s]*\s)?/.exec(line)?.[0].length ?? 0) > most);
}

/** With more errors, a file is probably no experiment at all. */
const maxErrors = 20;
/** How many characters may be parsed to find repairs. A large file that is not YAML would take minutes. */
const maxParsed = 2 ** 20;
/** One mistake may bring an error in each line after it, but not so many. */
const maxRepaired = 500;
/** As many errors as a user looks at, of a file that is not YAML. */
const maxShown = 100;

export interface ReadableText extends ParsedText {
  isWhole: boolean;
  errors: UnreadableLine[];
  damaged: ReadonlySet<string>;
}

/**
 * The text with its syntax errors repaired, so that the rest can be checked as well. YAML often notices an error only
 * after the line that has it. So the repair is the one that leaves the fewest errors: an end of a quotation or a list, an
 * indentation, or at worst blanks in place of a line. All other lines keep their places.
 *
 * @returns `damaged`: the keys at the top of the file that lost lines. If no repair helps, `isWhole` is false, and the
 *   document is what YAML made of the text as it is written
 */
export function* readingText(written: string): InParts<ReadableText> {
  const errors: UnreadableLine[] = [];
  const damaged = new Set<string>();
  let text = written;
  let parsed = 0;
  const parse = (one: string): ParsedText => {
    parsed += one.length;
    return parseYaml(one);
  };
  const asWritten = parse(written);
  let repaired = asWritten;
  for (; repaired.document.errors.length > 0; repaired = parse(text)) {
    const left = repaired.document.errors;
    // It hides all that follows.
    const first = left.find(isOpenQuote) ?? left[0];
    if (!first || left.length > maxRepaired || errors.length === maxErrors || parsed > maxParsed) {
      return {
        ...asWritten,
        isWhole: false,
        errors: [
          ...errors,
          ...left.slice(0, maxShown).map((one) => ({ ...placeOf(one.pos[0], text), message: one.message })),
        ],
        damaged,
      };
    }
    const lines = text.split('\n');
    const place = placeOf(first.pos[0], text);
    const repairs = isOpenQuote(first)
      ? quotesClosed(lines)
      : repairsOf(lines, place.line - 1, placeOf(first.pos[1], text).line - 1);
    let best: (Repair & { count: number }) | null = null;
    for (const repair of repairs) {
      yield;
      if (parsed > maxParsed) break;
      const count = weightOf(parse(repair.lines.join('\n')).document.errors);
      if (count < (best?.count ?? weightOf(left))) best = { ...repair, count };
      if (count === 0) break;
    }
    const message =
      first.code === 'MULTIPLE_DOCS'
        ? 'a second document begins here, but a file holds one experiment; remove the line ---'
        : `${first.message}; ${best?.remedy ?? 'correct the line'}`;
    errors.push({ ...(best?.at ?? place), message });
    const at = (best?.at ?? place).line - 1;
    const top = lines.findLastIndex((line, index) => index <= at && /^[^\s#-]/.test(line));
    const key = /^["']?([^"':]+)/.exec(lines[top] ?? '')?.[1];
    if (key === undefined) return { ...asWritten, isWhole: false, errors, damaged };
    if (best?.at === undefined) damaged.add(key);
    text = (best?.lines ?? blanked(lines, top)).join('\n');
  }
  return { ...repaired, isWhole: true, errors, damaged };
}

type YamlError = Pick<Document.Parsed['errors'][number], 'pos' | 'code' | 'message'>;

/** The library gives this error the code of many others. */
function isOpenQuote({ code, message }: YamlError): boolean {
  // eslint-disable-next-line no-restricted-syntax -- the library’s message
  return code === 'MISSING_CHAR' && message.startsWith('Missing closing ');
}

function weightOf(errors: readonly YamlError[]): number {
  return errors.length + 1000 * errors.filter(isOpenQuote).length;
}

interface ParsedText {
  document: Document.Parsed;
  lines: LineCounter;
}

/** A YAML text with what YAML itself finds wrong with it. */
function parseYaml(text: string): ParsedText {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    merge: true,
    prettyErrors: false,
    // The library would compare each key with every other one.
    uniqueKeys: false,
  });
  return { document, lines };
}

interface Repair {
  lines: string[];
  /** The place that is wrong, if the repair shows it. Then nothing was lost. */
  at?: { line: number; column: number };
  /** What the user can do, as a clause. */
  remedy?: string;
}

/** Repairs of an error, from the one that keeps most. Indices of lines count from 0. */
function repairsOf(lines: readonly string[], from: number, to: number): Repair[] {
  const isWritten = (index: number): boolean => (lines[index] ?? '').trim() !== '';
  const before = lines.findLastIndex((_, index) => index < from && isWritten(index));
  const after = lines.findIndex((_, index) => index > from && isWritten(index));
  const near = [...new Set([from, before, to, after])].filter(isWritten);
  return [
    ...near.flatMap((index) => ['}', ']', '] }'].map((end) => closed(lines, index, end))),
    ...near.map((index) => ({
      lines: indentedAsBefore(lines, index),
      at: { line: index + 1, column: 1 },
      remedy: 'indent it with spaces, like the line before it',
    })),
    ...near.map((index) => ({ lines: blanked(lines, index) })),
  ];
}

/** A quotation that nothing ends may have begun anywhere before. */
function* quotesClosed(lines: readonly string[]): Generator<Repair> {
  for (const [index, line] of lines.entries()) {
    if (hasOpenQuote(line)) for (const end of ['"', "'", '" }', "' }"]) yield closed(lines, index, end);
  }
}

function hasOpenQuote(line: string): boolean {
  return ['"', "'"].some((quote) => line.split(quote).length % 2 === 0);
}

function closed(lines: readonly string[], index: number, end: string): Repair {
  const line = (lines[index] ?? '').trimEnd();
  return {
    lines: lines.with(index, line + end),
    at: { line: index + 1, column: line.length + 1 },
    remedy: `put ${end} here`,
  };
}

function indentedAsBefore(lines: readonly string[], index: number): string[] {
  const before = lines.findLast((line, other) => other < index && line.trim() !== '') ?? '';
  const indentation = `${/^ */.exec(before)?.[0] ?? ''}${/:\s*$/.test(before) ? '  ' : ''}`;
  return lines.with(index, `${indentation}${(lines[index] ?? '').trimStart()}`);
}

/** Without a line, and without those below it that are indented more. */
function blanked(lines: readonly string[], from: number): string[] {
  const indented = (line = ''): number => /^ */.exec(line)?.[0].length ?? 0;
  const end = lines.findIndex(
    (line, index) => index > from && line.trim() !== '' && indented(line) <= indented(lines[from]),
  );
  return lines.map((line, index) => (index >= from && (end < 0 || index < end) ? '' : line));
}

function placeOf(offset: number, text: string): { line: number; column: number } {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

/**
 * Counts keys and values, with each alias counted as what it stands for. Aliases that multiply each other would fill
 * the memory.
 *
 * @param refuse receives an alias that stands for something that contains it
 */
export function countValues(root: Node | null, refuse: (alias: Alias) => void): number {
  /** Counts by name of the anchor; null while its value is being counted. */
  const anchors = new Map<string, number | null>();
  const count = (node: unknown): number => {
    if (isAlias(node)) {
      const meant = anchors.get(node.source);
      if (meant === null) refuse(node);
      return meant ?? 1;
    }
    if (isPair(node)) return count(node.key) + count(node.value);
    if (!isNode(node)) return 0;
    const { anchor } = node as { anchor?: string };
    if (anchor !== undefined) anchors.set(anchor, null);
    const values = isCollection(node) ? node.items.reduce((sum: number, item) => sum + count(item), 1) : 1;
    if (anchor !== undefined) anchors.set(anchor, values);
    return values;
  };
  return count(root);
}

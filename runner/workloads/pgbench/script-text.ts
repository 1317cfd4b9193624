import { atOnce, type InParts } from '../../files/in-parts.ts';

/** A backslash command of psql or pgbench, such as `\copy` with ` t FROM rows.csv` after its name. */
export interface ScriptCommand {
  name: string;
  rest: string;
  /** Where it begins in the text. */
  at: number;
}

/** A script taken apart. */
export interface ScriptText {
  /**
   * Its SQL, at the same places as in the text, with blanks for comments, commands, rows of COPY, and what is in
   * quotes.
   */
  sql: string;
  commands: ScriptCommand[];
  /** Where a COPY is that reads rows from the script itself, if these rows do not end; null if there is none. */
  unended: number | null;
}

const special = /--|\/\*|['"$\\;]/g;
const specialOrEndOfLine = /--|\/\*|['"$\\;\n]/g;
const copyFromClient = /^\s*copy\b[^]*\bfrom\s+stdin\b/i;

/** Commands that send the query that was written so far, like a semicolon. */
const sending = /^(?:gx?|gset|gexec|crosstabview)$/;

/** The line that ends rows, with the end of the line before it. */
const endOfRows = /\n\\\.\r?(?=\n|$)/g;

/**
 * Bodies within bodies, such as those of EXECUTE in a function, are taken apart to this depth. Deeper ones stay as they
 * are.
 */
const deepestBody = 8;

/** As many commands of a script are looked at. More would fill the memory. */
const maxCommands = 100_000;

/** Characters of a COPY before its rows: names of 1,600 columns. */
const maxStatementCharacters = 2 ** 18;

/** As many signs are looked at in a part of the work. */
const signsAtOnce = 20_000;

/** Takes a script apart as psql and pgbench do. */
export function splitScript(text: string): ScriptText {
  return atOnce(splittingScript(text));
}

/**
 * The same in parts. It looks for each end once at each depth, so the time is proportional to the length of any text.
 *
 * @param depth how many bodies are around the text
 */
export function* splittingScript(text: string, depth = 0): InParts<ScriptText> {
  const commands: ScriptCommand[] = [];
  /** Millions of small parts would fill the memory. */
  const [chunks, done] = [new Array<string>(), new Array<string>()];
  /**
   * Where each COPY is that reads rows from this script: in the query written so far, and in queries that were sent.
   */
  let [written, sent] = [new Array<number>(), new Array<number>()];
  let unended: number | null = null;
  let statement = '';
  let at = 0;
  /** Takes the text up to here as it is, or as this. */
  function take(end: number, part = text.slice(at, end)): void {
    if (end > at) done.push(part);
    if (done.length === signsAtOnce) chunks.push(done.splice(0).join(''));
    if (statement.length < maxStatementCharacters) statement += statement === '' ? part.trimStart() : part;
    at = end;
  }
  function takeBlank(end: number): void {
    take(end, blank(text.slice(at, end)));
  }
  /** Where this comes next, or the end of the text. */
  const next = (what: string, from: number): number => orEnd(text.indexOf(what, from), text);
  function endStatement(): void {
    if (copyFromClient.test(statement)) written.push(at);
    statement = '';
  }
  function send(): void {
    endStatement();
    for (const copy of written) sent.push(copy);
    written = [];
  }
  /** Rows begin in the line after their COPY, whatever else is in its line. */
  function takeRows(): void {
    for (const copy of sent) {
      endOfRows.lastIndex = at;
      const end = endOfRows.exec(text);
      if (!end) unended ??= copy;
      takeBlank(end ? end.index + end[0].length : text.length);
    }
    sent = [];
  }

  for (let looked = 1; ; looked += 1) {
    if (looked % signsAtOnce === 0) yield;
    // An end of a line matters only if rows begin after it.
    const signs = sent.length > 0 ? specialOrEndOfLine : special;
    signs.lastIndex = at;
    const found = signs.exec(text);
    take(found?.index ?? text.length);
    if (!found) break;
    switch (found[0]) {
      case '--':
        takeBlank(next('\n', at));
        break;
      case '/*':
        takeBlank(endOfComment(text, at));
        break;
      case "'":
      case '"':
        take(at + 1);
        takeBlank(endOfQuote(text, at, found[0], found[0] === "'" && isEscaping(text, at - 1)));
        take(Math.min(at + 1, text.length));
        break;
      case '$': {
        const tag = tagAt(text, at);
        take(at + tag.length);
        if (tag.length === 1) break;
        // A body is SQL, or at least may be. No command begins in it.
        const end = next(tag, at);
        const body = text.slice(at, end);
        take(end, depth < deepestBody && body !== '' ? (yield* splittingScript(body, depth + 1)).sql : body);
        take(Math.min(text.length, at + tag.length));
        break;
      }
      case '\\':
        if (text.charAt(at + 1) === ';') {
          // It ends a statement of a query, and sends nothing.
          take(at + 2);
          endStatement();
        } else if (text.charAt(at + 1) === ':') take(at + 2);
        else {
          const { commands: found, end } = yield* commandsAt(text, at);
          for (const command of found) {
            if (commands.length < maxCommands) commands.push(command);
            if (sending.test(command.name)) send();
            if (command.name === 'copy' && /^stdin\b/i.test(sourceOfCopy(command) ?? '')) sent.push(command.at);
          }
          takeBlank(end);
        }
        break;
      case '\n':
        takeRows();
        take(Math.min(at + 1, text.length));
        break;
      default:
        take(at + 1);
        send();
    }
  }
  takeRows();
  return { sql: [...chunks, ...done].join(''), commands, unended };
}

/** The text after FROM in psql's `\copy`; null if it copies to something, or is another command. */
export function sourceOfCopy({ name, rest }: Pick<ScriptCommand, 'name' | 'rest'>): string | null {
  // A query can only be copied to something.
  if (name !== 'copy' || /^\s*\(/.test(rest)) return null;
  return /\bfrom\s+([^]*)$/i.exec(rest)?.[1] ?? null;
}

/** A command, and what matters in arguments: quotes, and what ends them. After two backslashes, SQL continues. */
const partOfCommands = /['"`\n]|\\\\|\\(\w+|[^\s\\])?/g;

/** One command, or several on one line, and where they end. */
function* commandsAt(text: string, from: number): InParts<{ commands: ScriptCommand[]; end: number }> {
  const begins: Omit<ScriptCommand, 'rest'>[] = [];
  let end = text.length;
  let next = from;
  for (let looked = 1; ; looked += 1) {
    if (looked % signsAtOnce === 0) yield;
    partOfCommands.lastIndex = next;
    const found = partOfCommands.exec(text);
    if (!found) break;
    const [part, name = ''] = found;
    next = partOfCommands.lastIndex;
    if (part === '\n' || part === '\\\\') {
      end = part === '\n' ? found.index : next;
      break;
    }
    if (!part.startsWith('\\')) {
      const closing = endOfQuote(text, next, `${part}\n`, part === "'");
      next = closing + (text[closing] === part ? 1 : 0);
      continue;
    }
    if (begins.length < maxCommands) begins.push({ name, at: found.index });
    // These take the whole line.
    if (['copy', '!'].includes(name)) {
      end = orEnd(text.indexOf('\n', found.index), text);
      break;
    }
  }
  const commands = begins.map(({ name, at }, index) => {
    return { name, at, rest: text.slice(at + 1 + name.length, begins[index + 1]?.at ?? end) };
  });
  return { commands, end };
}

function orEnd(found: number, text: string): number {
  return found < 0 ? text.length : found;
}

/** `$$` or `$tag$`, or only the dollar if no body begins here. */
function tagAt(text: string, at: number): string {
  if (/[\w$]/.test(text.charAt(at - 1))) return '$';
  const tag = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
  tag.lastIndex = at;
  return tag.exec(text)?.[0] ?? '$';
}

/**
 * Where the closing quote is, searching after the opening one, or the end of the text. A doubled quote ends one quotation
 * and begins another.
 *
 * @param stops characters that each end the quotation
 * @param escapes whether a backslash escapes the next character
 */
function endOfQuote(text: string, from: number, stops: string, escapes: boolean): number {
  if (stops.length === 1 && !escapes) return orEnd(text.indexOf(stops, from), text);
  const key = `${escapes ? '\\\\.|' : ''}[${stops}]`;
  const stop = stopsOf.get(key) ?? new RegExp(key, 'g');
  stopsOf.set(key, stop);
  stop.lastIndex = from;
  for (let found = stop.exec(text); found; found = stop.exec(text)) if (found[0].length === 1) return found.index;
  return text.length;
}

/** Made once: a text may have millions of quotations. */
const stopsOf = new Map<string, RegExp>();

/** Whether the quote here is that of `E'...'`. */
function isEscaping(text: string, quote: number): boolean {
  return /[eE]/.test(text.charAt(quote - 1)) && !/\w/.test(text.charAt(quote - 2));
}

function endOfComment(text: string, from: number): number {
  const either = /\/\*|\*\//g;
  either.lastIndex = from;
  let depth = 0;
  for (let found = either.exec(text); found; found = either.exec(text)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return found.index + 2;
  }
  return text.length;
}

function blank(part: string): string {
  return part.includes('\n') ? part.replace(/[^\n]+/g, (line) => ' '.repeat(line.length)) : ' '.repeat(part.length);
}

/** The lines of offsets that rise, from 1: it counts on from the one before. */
export function linesIn(text: string): (at: number) => number {
  let [line, begin] = [1, 0];
  return (at) => {
    for (let end = text.indexOf('\n', begin); end >= 0 && end < at; end = text.indexOf('\n', begin)) {
      line += 1;
      begin = end + 1;
    }
    return line;
  };
}

/** The line of a single offset, from 1. */
export function lineOf(at: number, text: string): number {
  return linesIn(text)(at);
}

/** A file that the workload names, and the program that reads it. */
export interface Script {
  name: string;
  by: 'pgbench' | 'psql';
  /** Whether psql runs it as one transaction, in the database that is loaded. */
  loads?: true;
}

/** Something that a script does at a line, such as `runs a program`. */
export interface Reach {
  what: string;
  line: number;
}

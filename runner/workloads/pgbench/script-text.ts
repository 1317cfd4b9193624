/** A backslash command of psql or pgbench, such as `\copy` with ` t FROM rows.csv` behind its name. */
export interface ScriptCommand {
  name: string;
  rest: string;
  /** Where it begins in the text. */
  at: number;
}

/** A script taken apart. */
export interface ScriptText {
  /** Its SQL, at the same places as in the text, with blanks for comments, commands, rows of COPY, and what is in quotes. */
  sql: string;
  commands: ScriptCommand[];
  /** Where a COPY from the script itself begins whose rows do not end; null if there is none. */
  unended: number | null;
}

const special = /--|\/\*|['"$\\;]/g;
const copyFromClient = /^\s*copy\b[^]*\bfrom\s+stdin\b/i;

/** Bodies within bodies, such as those of EXECUTE in a function, are taken apart to this depth, and stay as they are below. */
const deepestBody = 8;

/**
 * Takes a script apart as psql and pgbench do. Each end is looked for once at each depth, so that a text of any kind takes its length.
 *
 * @param depth in how many bodies the text stands
 */
export function takeApart(text: string, depth = 0): ScriptText {
  const commands: ScriptCommand[] = [];
  const done: string[] = [];
  let unended: number | null = null;
  let statement = '';
  let at = 0;
  /** Takes the text up to here as it is, or with blanks. */
  function take(end: number, how: (part: string) => string = (part) => part): void {
    const part = how(text.slice(at, end));
    done.push(part);
    statement += part;
    at = end;
  }
  /** Where this stands next, or the end of the text. */
  const next = (what: string, from: number): number => orEnd(text.indexOf(what, from));
  const orEnd = (found: number): number => (found < 0 ? text.length : found);

  for (;;) {
    special.lastIndex = at;
    const found = special.exec(text);
    take(found?.index ?? text.length);
    if (!found) break;
    switch (found[0]) {
      case '--':
        take(next('\n', at), blank);
        break;
      case '/*':
        take(endOfComment(text, at), blank);
        break;
      case "'":
      case '"':
        take(at + 1);
        take(endOfQuote(text, at, found[0]), blank);
        take(Math.min(at + 1, text.length));
        break;
      case '$': {
        const tag = tagAt(text, at);
        take(at + tag.length);
        // A body is SQL, or at least may be. No command begins in it.
        if (tag.length > 1)
          take(next(tag, at), (body) => (depth < deepestBody ? takeApart(body, depth + 1).sql : body));
        take(Math.min(text.length, at + (tag.length > 1 ? tag.length : 0)));
        break;
      }
      case '\\':
        // A semicolon that does not end a query, and a colon that is no variable.
        if (/[;:]/.test(text.charAt(at + 1))) take(at + 2);
        else {
          const end = next('\n', at);
          for (const command of commandsOf(text.slice(at, end), at)) commands.push(command);
          take(end, blank);
        }
        break;
      default: {
        take(at + 1);
        if (copyFromClient.test(statement)) {
          const begin = at;
          take(next('\n', at));
          if (!text.includes('\n\\.', at)) unended = begin;
          take(next('\n\\.', at), blank);
          take(Math.min(text.length, at + 3), blank);
        }
        statement = '';
      }
    }
  }
  return { sql: done.join(''), commands, unended };
}

/** One command, or several on one line. */
function commandsOf(line: string, at: number): ScriptCommand[] {
  const commands: ScriptCommand[] = [];
  const begins = [0, ...[...line.matchAll(/\\[a-z!]/gi)].map(({ index }) => index).filter((index) => index > 0)];
  for (const [index, begin] of begins.entries()) {
    const name = /\\(\w+|\S?)/y.exec(line.slice(begin, begin + 64))?.[1] ?? '';
    // These take the whole line.
    const isLast = ['copy', '!'].includes(name);
    const rest = line.slice(begin + 1 + name.length, isLast ? undefined : begins[index + 1]);
    commands.push({ name, rest, at: at + begin });
    if (isLast) break;
  }
  return commands;
}

/** `$$` or `$tag$`, or only the dollar if no body begins here. */
function tagAt(text: string, at: number): string {
  if (/[\w$]/.test(text.charAt(at - 1))) return '$';
  const tag = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
  tag.lastIndex = at;
  return tag.exec(text)?.[0] ?? '$';
}

/** Where the closing quote is, from behind the opening one. A doubled one ends one quote and begins another. */
function endOfQuote(text: string, from: number, quote: string): number {
  const escapes = quote === "'" && /(?:^|\W)e$/i.test(text.slice(Math.max(0, from - 3), from - 1));
  const stop = escapes ? /\\[^]|'/g : new RegExp(quote, 'g');
  stop.lastIndex = from;
  for (let found = stop.exec(text); found; found = stop.exec(text)) if (found[0] === quote) return found.index;
  return text.length;
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

const blank = (part: string): string => part.replace(/[^\n]/g, ' ');

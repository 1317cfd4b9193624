import path from 'node:path';
import { hasCode, UserError } from '../../contract/errors.ts';
import type { InParts } from '../../files/in-parts.ts';
import { isFile, sizeOf } from '../../files/look.ts';
import { readPart } from '../../files/read.ts';
import type { InspectedFiles } from '../extras.ts';
import type { PgbenchScript } from './schema.ts';
import { lineOf, type Reach, type Script, type ScriptText, sourceOfCopy, splittingScript } from './script-text.ts';
import { sideEffectsOf } from './side-effects.ts';

/** A larger dump comes from pg_dump, so it begins with everything except rows. */
const maxBytesRead = 16 * 2 ** 20;

/** pgbench keeps a whole script in memory, as text and as commands. */
const maxScript = { bytes: maxBytesRead, shown: '16 MiB' } as const;

/** The files among the scripts of a load, each once. */
export function scriptFiles(scripts: readonly PgbenchScript[]): string[] {
  return [...new Set(scripts.flatMap((script) => ('file' in script ? [script.file] : [])))];
}

/**
 * Looks into the scripts and SQL files of a workload for what would go wrong later, or differ in a repeat.
 *
 * @param given.read what pgbench and psql read; `others` are inputs as well, and `remedy` says how to name more of them
 * @param folder that paths of the workload's files are relative to
 * @returns problems, warnings about what is not part of the run's inputs, and paths of files among that
 */
export function* inspectFiles(
  request: { read: readonly Script[]; others?: readonly string[]; remedy?: string },
  folder: string,
): InParts<InspectedFiles> {
  const read = [...request.read];
  const remedy = request.remedy === undefined ? '' : ` ${request.remedy}`;
  const names = [...read.map(({ name }) => name), ...(request.others ?? [])];
  const inputs = new Set(names.map((name) => path.resolve(folder, name)));
  const isInput = (name: string): boolean => inputs.has(name);
  const [visited, included] = [new Set<string>(), new Set<string>()];
  const found: InspectedFiles = { problems: [], warnings: [], others: [] };
  for (const script of read) {
    // Files that a script includes are appended to this list.
    const file = path.resolve(folder, script.name);
    if (visited.has(file)) continue;
    visited.add(file);
    yield;
    const refuse = (why: string): void => {
      const message = `names the file ${script.name}, which ${why}`;
      found.problems.push({ rule: 'script', path: ['workload'], named: script.name, code: 'wrong-part', message });
    };
    if (script.by === 'pgbench' && isFile(file) && sizeOf(file) > maxScript.bytes) {
      const mebibytes = Math.ceil(sizeOf(file) / 2 ** 20).toLocaleString('en');
      refuse(
        `has ${mebibytes} MiB; the maximum is ${maxScript.shown}. Load rows before the trials, and name a shorter script`,
      );
      continue;
    }
    const bytes = bytesOf(file);
    if (bytes === null) continue;
    const mark = wrongMark(bytes, script.by);
    if (mark !== null) {
      refuse(mark);
      continue;
    }
    const text = bytes.toString('utf8');
    const parts = yield* splittingScript(text);
    yield;
    // The end of a larger file was not read.
    const isWhole = bytes.length === sizeOf(file);
    const wrong =
      (script.by === 'psql' ? loadedInPart(text, parts, isWhole) : null) ??
      (script.loads ? loadedElsewhere(text, parts) : null);
    if (wrong !== null) refuse(wrong);
    const others = found.others.length;
    const reaches = sideEffectsOf(text, parts, script, {
      folder,
      isInput,
      onOther: (name) => found.others.push(name),
      onInclude(name) {
        if (!visited.has(name) && !included.has(name)) read.push({ ...script, name: path.relative(folder, name) });
        included.add(name);
      },
    });
    if (reaches.length === 0) continue;
    const words = reachWords(reaches);
    const outside = `It is not part of the run’s inputs, so a rerun may measure something different.`;
    found.warnings.push(
      `The ${script.by === 'pgbench' ? 'script' : 'file'} ${script.name} ${words}. ${outside}${found.others.length > others ? remedy : ''}`,
    );
  }
  return found;
}

/** null if there is nothing to look into: whatever reads the file later says why. */
function bytesOf(file: string): Buffer | null {
  try {
    const bytes = readPart(file, { from: 0, bytes: Math.min(sizeOf(file), maxBytesRead) });
    const isText = isUtf16(bytes) || !bytes.subarray(0, 512).includes(0);
    return isText ? bytes : null;
  } catch (error) {
    if (error instanceof UserError || ['ENOENT', 'EISDIR', 'EACCES'].some((code) => hasCode(error, code))) return null;
    throw error;
  }
}

/** psql leaves out a byte-order mark of UTF-8, and pgbench sends it to the server; both read UTF-16 as single bytes. */
function wrongMark(text: Buffer, by: Script['by']): string | null {
  if (isUtf16(text)) return `is UTF-16, which ${by} cannot read; save it as UTF-8`;
  return by === 'pgbench' && text.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))
    ? 'begins with a byte-order mark, which pgbench reads as part of the first statement; save as UTF-8 without BOM'
    : null;
}

/** Why psql would read only a part of a file, without an error; null if it would read all. */
function loadedInPart(text: string, { sql, commands, unended }: ScriptText, isWhole: boolean): string | null {
  if (unended !== null && isWhole) {
    return `ends among the rows of the COPY in line ${lineOf(unended, text)}, and psql would take its end for the end of the rows; make the file again`;
  }
  let depth = 0;
  for (const [index, command] of commands.entries()) {
    const { name, at } = command;
    if (name === 'if') depth += 1;
    if (name === 'endif') depth -= 1;
    if (/^pstdin\b/i.test(sourceOfCopy(command) ?? '')) {
      return `has \\copy ... FROM pstdin in line ${lineOf(at, text)}, but psql has no input here; write FROM stdin followed by the rows, or specify a file`;
    }
    const isLast = isWhole && index === commands.length - 1 && !/\S/.test(sql.slice(at));
    // Within \if, it may be intended.
    if (/^q(?:uit)?$/.test(name) && depth === 0 && !isLast) {
      return `has \\${name} in line ${lineOf(at, text)}, where psql stops and skips the rest; remove it`;
    }
  }
  return null;
}

const databaseStatement = /(?:^|;)\s*((?:create|drop)\s+database)\b/i;

/** Why a file would fill another database, or none; null if it would fill the right one. */
function loadedElsewhere(text: string, { sql, commands }: ScriptText): string | null {
  const statement = databaseStatement.exec(sql);
  const connect = commands.find(({ name }) => /^c(?:onnect)?$/.test(name));
  const found = statement
    ? { what: (statement[1] ?? '').toUpperCase().replace(/\s+/, ' '), at: statement.index + statement[0].length - 1 }
    : connect && { what: `\\${connect.name}`, at: connect.at };
  return found
    ? `is for its own database (${found.what} in line ${lineOf(found.at, text)}), but pgduet loads the one that it measures; make a dump without --create, or remove that line`
    : null;
}

function isUtf16(text: Buffer): boolean {
  return ['fffe', 'feff'].includes(text.subarray(0, 2).toString('hex'));
}

/** As many different things that a script does as a warning names. */
const maxNamed = 10;
/** Characters of one of them, which may have the path of a file. */
const maxNameCharacters = 200;

function reachWords(reaches: readonly Reach[]): string {
  const lines = new Map<string, Set<number>>();
  for (const { what, line } of reaches) lines.set(what, (lines.get(what) ?? new Set()).add(line));
  const named = [...lines].slice(0, maxNamed).map(([what, at]) => `${shortened(what)} (${lineWords(at)})`);
  const left = lines.size - named.length;
  return [...named, ...(left > 0 ? [`does ${left.toLocaleString('en')} more of this`] : [])].join(', and ');
}

function lineWords(all: ReadonlySet<number>): string {
  const [first = 0] = all;
  return all.size === 1
    ? `line ${first.toLocaleString('en')}`
    : `${all.size.toLocaleString('en')} times, first in line ${first.toLocaleString('en')}`;
}

function shortened(what: string): string {
  return what.length > maxNameCharacters ? `${what.slice(0, maxNameCharacters - 3)}...` : what;
}

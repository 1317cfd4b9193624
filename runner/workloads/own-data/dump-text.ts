import { isKnown, knowledgeOf } from '../../postgres/versions/known.ts';

/** What runs the text of a dump. */
export interface DumpReader {
  /** Major version of the server. */
  serverMajor: number;
  /** What psql says about its version. */
  psql: string;
}

/** The first minor version of each major one whose psql has \restrict; all newer major versions have it. */
const restrictSince: Readonly<Record<number, number>> = { 14: 19, 15: 14, 16: 10, 17: 6 };

/** Before its first statement that makes something, a dump has comments and settings only. */
const headLines = /^(?:(?:--.*|SET .*;|SELECT pg_catalog\.set_config\(.*\);|\\restrict .*|[ \t]*)\r?\n)*/;
const pgDumpTitle = '-- PostgreSQL database dump';
/** A head has about a thousand bytes. */
export const maxHeadBytes = 2 ** 16;

/**
 * The head of a dump by pg_dump without what the server or psql does not know. pg_dump and pg_restore set each timeout
 * that their own version has, and since August 2025 begin with \restrict. Lines keep their numbers.
 *
 * @param text the beginning of the dump
 * @returns with the word after a \restrict that was left out; the end of the dump has it once more
 */
export function headFor(
  text: string,
  { serverMajor, psql }: DumpReader,
): { text: string; restrictedBy: string | null } {
  const head = headLines.exec(text)?.[0] ?? '';
  if (!head.includes(pgDumpTitle)) return { text, restrictedBy: null };
  const isUnknown = (parameter: string): boolean =>
    isKnown(serverMajor) && !knowledgeOf(serverMajor).parameters.has(parameter.toLowerCase());
  const word = hasRestrict(psql) ? null : (/^\\restrict (\S+)/m.exec(head)?.[1] ?? null);
  const changed = head
    .replace(/^SET (\w+) .*/gm, (line, parameter: string) => (isUnknown(parameter) ? leftOut(line) : line))
    .replace(/^\\restrict .*/gm, (line) => (word === null ? line : leftOut(line)));
  return { text: changed + text.slice(head.length), restrictedBy: word };
}

function leftOut(line: string): string {
  return `-- omitted by pgduet: ${line}`;
}

function hasRestrict(psql: string): boolean {
  const [, major, minor] = /(\d+)(?:\.(\d+))?/.exec(psql) ?? [];
  return Number(minor ?? 0) >= (restrictSince[Number(major)] ?? 0);
}

/** The text of a dump, part by part, without what `headFor` leaves out and the \unrestrict that belongs to it. */
export async function* textFor(parts: AsyncIterable<Buffer>, reader: DumpReader): AsyncGenerator<Buffer> {
  let kept = Buffer.alloc(0);
  let isHead = true;
  let end: Buffer | null = null;
  for await (const part of parts) {
    kept = Buffer.concat([kept, part]);
    if (isHead) {
      const rest = kept.toString('latin1').replace(headLines, '');
      // The line that ends the head must be whole.
      if (!rest.includes('\n') && kept.length < maxHeadBytes) continue;
      [kept, end] = withHead(kept, reader);
      isHead = false;
    }
    if (end !== null) {
      const at = kept.indexOf(end);
      // It may be cut in two.
      const ready = at < 0 ? Math.max(0, kept.length - end.length) : at;
      yield kept.subarray(0, ready);
      kept = kept.subarray(ready);
      if (at < 0) continue;
      kept = Buffer.concat([Buffer.from('\n-- '), kept.subarray(1)]);
      end = null;
    }
    yield kept;
    kept = Buffer.alloc(0);
  }
  yield isHead ? withHead(kept, reader)[0] : kept;
}

/** One byte is one character: nobody knows the encoding of the rest. */
function withHead(start: Buffer, reader: DumpReader): [start: Buffer<ArrayBuffer>, end: Buffer | null] {
  const { text, restrictedBy } = headFor(start.toString('latin1'), reader);
  // The word is random, so that no row holds it.
  const end = restrictedBy === null ? null : Buffer.from(`\n\\unrestrict ${restrictedBy}`, 'latin1');
  return [Buffer.from(text, 'latin1'), end];
}

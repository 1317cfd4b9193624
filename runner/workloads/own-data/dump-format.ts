import { UserError } from '../../contract/errors.ts';
import { isFolder, sizeOf } from '../../files/look.ts';
import { readPart } from '../../files/read.ts';

/** Formats of pg_dump that are one file. */
export type DumpFormat = 'custom' | 'tar' | 'plain';

/** A file that is no dump, or not a whole one. */
export class NotADump extends UserError {
  /** Its name, and what is wrong with it; sentences. */
  readonly words: string;

  constructor(words: string) {
    super(`load.dump ${words}`);
    this.words = words;
  }
}

const looksAt = 512;
/** What a user has added after a dump in plain text is hardly longer. */
const looksAtEnd = 16 * 2 ** 20;

/**
 * The format of a dump, by its first bytes: its name may say anything.
 *
 * @param name of the file in messages
 * @throws {NotADump} if it is not a dump that can be loaded
 * @see pg_backup_archiver.c and pg_backup_tar.c of PostgreSQL: a dump in custom format begins with PGDMP, one in tar
 *   format is a tar file whose first member is toc.dat
 */
export function dumpFormat(file: string, name: string): DumpFormat {
  const refuse = (why: string): never => {
    throw new NotADump(`${name} ${why}`);
  };
  if (isFolder(file)) {
    return refuse('is a folder; expected a single file from pg_dump --format=custom.');
  }
  const start = firstBytes(file);
  if (start.length === 0) return refuse('is empty. Create the dump again.');
  if (start.subarray(0, 5).toString('latin1') === 'PGDMP') return 'custom';
  if (start.subarray(257, 262).toString('latin1') === 'ustar') {
    if (start.subarray(0, 7).toString('latin1') !== 'toc.dat') {
      return refuse('is a tar file that pg_dump did not write. Use a dump from pg_dump --format=tar or custom.');
    }
    // At the end of a partial file, pg_restore would read for ever. A whole one ends with two blocks of zeros.
    return lastBytes(file, 1024).every((byte) => byte === 0)
      ? 'tar'
      : refuse('is truncated: pg_dump’s end marker is missing. Create the dump again.');
  }
  const [first, second] = start;
  if ((first === 0x1f && second === 0x8b) || start.readUInt32LE(0) === zstandard) {
    return refuse('is compressed as a whole. Decompress it, or use pg_dump --format=custom, which compresses.');
  }
  if (start.includes(0)) return refuse('is not a dump: it is neither a pg_dump archive nor text.');
  // psql takes the end of the file for the end of the rows, so it would silently load only a part.
  if (start.includes('-- PostgreSQL database dump') && !isEnded(lastBytes(file, looksAtEnd).toString('utf8'))) {
    return refuse('is truncated: pg_dump’s end marker is missing. Create the dump again.');
  }
  return 'plain';
}

/**
 * The version of the format of an archive, such as `1.16`.
 *
 * @see ReadHead in pg_backup_archiver.c: two bytes after PGDMP, with which also the first file in an archive of format tar begins
 */
export function archiveFormat(file: string, format: Exclude<DumpFormat, 'plain'>): string {
  const [major = 0, minor = 0] = readPart(file, { from: format === 'tar' ? 517 : 5, bytes: 2 });
  return `${major}.${minor}`;
}

const zstandard = 0xfd2fb528;

/** At most 512 bytes. A file of fewer than four is padded with spaces to four, unless it is empty. */
function firstBytes(file: string): Buffer {
  const start = readPart(file, { from: 0, bytes: looksAt });
  return start.length === 0 ? start : Buffer.concat([start, Buffer.alloc(Math.max(0, 4 - start.length), ' ')]);
}

/**
 * Whether the dump has its closing mark outside of rows. Within rows, their end would follow the mark without another
 * COPY.
 */
function isEnded(text: string): boolean {
  const mark = text.lastIndexOf('\n-- PostgreSQL database dump complete');
  return mark >= 0 && !/\n(?:(\\\.)|.*\bfrom\s+stdin\b)/i.exec(text.slice(mark))?.[1];
}

function lastBytes(file: string, bytes: number): Buffer {
  return readPart(file, { from: -bytes, bytes: Math.min(bytes, sizeOf(file)) });
}

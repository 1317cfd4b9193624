import { UserError } from '../../contract/errors.ts';
import { isFolder, sizeOf } from '../../files/look.ts';
import { readPart } from '../../files/read.ts';

/** Formats of pg_dump that are one file. */
export type DumpFormat = 'custom' | 'tar' | 'plain';

const looksAt = 512;
/** What a user has put behind a dump in plain text is hardly longer. */
const looksAtEnd = 16 * 2 ** 20;

/**
 * The format of a dump, by its first bytes: its name may say anything.
 *
 * @param name of the file in messages
 * @throws {UserError} if it is no dump that can be loaded
 * @see pg_backup_archiver.c and pg_backup_tar.c of PostgreSQL: a dump in custom format begins with PGDMP, one in tar format is
 *   a tar file whose first member is toc.dat
 */
export function dumpFormat(file: string, name: string): DumpFormat {
  const refuse = (why: string): never => {
    throw new UserError(`load.dump ${name} ${why}`);
  };
  if (isFolder(file)) {
    return refuse('is a folder; expected one file, as pg_dump --format=custom makes it.');
  }
  const start = firstBytes(file);
  if (start.length === 0) return refuse('is empty.');
  if (start.subarray(0, 5).toString('latin1') === 'PGDMP') return 'custom';
  if (start.subarray(257, 262).toString('latin1') === 'ustar') {
    if (start.subarray(0, 7).toString('latin1') !== 'toc.dat') {
      return refuse('is a tar file, but not one that pg_dump has made.');
    }
    // pg_restore would read the end of a part for ever. A whole one ends with two blocks of zeros.
    return lastBytes(file, 1024).every((byte) => byte === 0)
      ? 'tar'
      : refuse('is cut off: it does not end as pg_dump ends it. Make it again.');
  }
  const [first, second] = start;
  if ((first === 0x1f && second === 0x8b) || start.readUInt32LE(0) === zstandard) {
    return refuse(
      'is compressed as a whole. Decompress it, or make it with pg_dump --format=custom, which compresses.',
    );
  }
  if (start.includes(0)) return refuse('is no dump: neither an archive of pg_dump, nor text.');
  // psql takes the end of a file for the end of the rows, so that it would load a part without a word.
  if (start.includes('-- PostgreSQL database dump') && !isEnded(lastBytes(file, looksAtEnd).toString('utf8'))) {
    return refuse('is cut off: it does not end as pg_dump ends it. Make it again.');
  }
  return 'plain';
}

const zstandard = 0xfd2fb528;

/** At most 512 of them, and four at least unless there are none: with spaces at the end, where the file is shorter. */
function firstBytes(file: string): Buffer {
  const start = readPart(file, { from: 0, bytes: looksAt });
  return start.length === 0 ? start : Buffer.concat([start, Buffer.alloc(Math.max(0, 4 - start.length), ' ')]);
}

/** Whether the last mark of a whole dump is none of its rows, whose end would follow without a COPY. */
function isEnded(text: string): boolean {
  const mark = text.lastIndexOf('\n-- PostgreSQL database dump complete');
  return mark >= 0 && !/\n(?:(\\\.)|.*\bfrom\s+stdin\b)/i.exec(text.slice(mark))?.[1];
}

function lastBytes(file: string, bytes: number): Buffer {
  return readPart(file, { from: -bytes, bytes: Math.min(bytes, sizeOf(file)) });
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { dumpFormat } from '../../../runner/workloads/own-data/dump-format.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'dump-format-'));
afterAll(() => rmSync(folder, { recursive: true }));

function formatOf(content: string | Buffer): string {
  const file = path.join(folder, 'app.dump');
  writeFileSync(file, content);
  return dumpFormat(file, 'app.dump');
}

const tar = (member: string): Buffer => {
  const header = Buffer.alloc(512);
  header.write(member, 0);
  header.write('ustar00', 257);
  return header;
};

describe('the format of a dump', () => {
  it('is told by its first bytes', () => {
    expect(formatOf('PGDMP\u0001\u000e')).toBe('custom');
    expect(formatOf(tar('toc.dat'))).toBe('tar');
    const rows = 'INSERT INTO a VALUES (1);\n'.repeat(100);
    const ended = '--\n-- PostgreSQL database dump complete\n--\n\n\\unrestrict abc\n\n';
    expect(formatOf(`--\n-- PostgreSQL database dump\n--\n${rows}${ended}`)).toBe('plain');
    expect(formatOf('x')).toBe('plain');
  });

  it.each([
    ['', 'load.dump app.dump is empty.'],
    [tar('other.txt'), 'load.dump app.dump is a tar file, but not one that pg_dump has made.'],
    [
      Buffer.from([0x1f, 0x8b, 8, 0]),
      'is compressed as a whole. Decompress it, or make it with pg_dump --format=custom',
    ],
    [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 'is compressed as a whole.'],
    [
      '--\n-- PostgreSQL database dump\n--\nCREATE',
      'load.dump app.dump is cut off: it does not end as pg_dump ends it.',
    ],
    [Buffer.from([0, 1, 2, 3]), 'is no dump: neither an archive of pg_dump, nor text.'],
  ])('of other files is refused, with the remedy', (content, problem) => {
    expect(() => formatOf(content)).toThrow(problem);
  });

  it('is not that of a folder', () => {
    expect(() => dumpFormat(folder, 'dumped')).toThrow('load.dump dumped is a folder; expected one file');
  });
});

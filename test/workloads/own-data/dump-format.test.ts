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

const tar = (member: string, end = Buffer.alloc(1024)): Buffer => {
  const header = Buffer.alloc(512);
  header.write(member, 0);
  header.write('ustar00', 257);
  return Buffer.concat([header, end]);
};

const begun = '--\n-- PostgreSQL database dump\n--\n';
const complete = '--\n-- PostgreSQL database dump complete\n--\n';

describe('the format of a dump', () => {
  it('is told by its first bytes', () => {
    expect(formatOf('PGDMP\u0001\u000e')).toBe('custom');
    expect(formatOf(tar('toc.dat'))).toBe('tar');
    const rows = 'INSERT INTO a VALUES (1);\n'.repeat(100);
    const ended = '--\n-- PostgreSQL database dump complete\n--\n\n\\unrestrict abc\n\n';
    expect(formatOf(`--\n-- PostgreSQL database dump\n--\n${rows}${ended}`)).toBe('plain');
    expect(formatOf('x')).toBe('plain');
  });

  it('is that of a whole dump also with statements behind it, or as an editor saves it', () => {
    const indexes = 'CREATE INDEX ON purchase (customer);\n'.repeat(2000);
    expect(formatOf(begun + complete + indexes)).toBe('plain');
    expect(formatOf(`${begun}${complete}COPY t FROM stdin;\n1\n\\.\n`)).toBe('plain');
    expect(formatOf((begun + complete).replaceAll('\n', '\r\n'))).toBe('plain');
  });

  it.each([
    [tar('toc.dat', Buffer.alloc(1024, 'rows'))],
    [`${begun}COPY notes FROM stdin;\n${complete}it's\n\\.\nCREATE`],
    [`${begun}SELECT '-- PostgreSQL database dump complete';\nCREATE`],
  ])('is refused where it is a part of a dump', (content) => {
    expect(() => formatOf(content)).toThrow('load.dump app.dump is truncated: ');
  });

  it.each([
    ['', 'load.dump app.dump is empty.'],
    [tar('other.txt'), 'load.dump app.dump is a tar file that pg_dump did not write.'],
    [Buffer.from([0x1f, 0x8b, 8, 0]), 'is compressed as a whole. Decompress it, or use pg_dump'],
    [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 'is compressed as a whole.'],
    ['--\n-- PostgreSQL database dump\n--\nCREATE', 'load.dump app.dump is truncated: '],
    [Buffer.from([0, 1, 2, 3]), 'is not a dump: it is neither a pg_dump archive nor text.'],
  ])('of other files is refused, with the remedy', (content, problem) => {
    expect(() => formatOf(content)).toThrow(problem);
  });

  it('is not that of a folder', () => {
    expect(() => dumpFormat(folder, 'dumped')).toThrow('load.dump dumped is a folder; expected');
  });
});

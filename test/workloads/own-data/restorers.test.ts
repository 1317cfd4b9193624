import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../../runner/contract/errors.ts';
import { type Restorer, restorerFor, thatRead } from '../../../runner/workloads/own-data/restorers.ts';

const installed = (...majors: number[]): Restorer[] => majors.map((major) => ({ folder: `/pg/${major}`, major }));
const dump = (format: string) => ({ name: 'shop.dump', format });

describe('an archive of pg_dump', () => {
  it.each([
    ['1.14', [14, 15, 17], [17, 15, 14]],
    ['1.15', [14, 16, 15, 18], [18, 16]],
    ['1.16', [15, 17, 18, 16], [18, 17]],
  ])('of format %s can be read by those of %j that know it, newest first', (format, majors, expected) => {
    expect(thatRead(dump(format), installed(...majors)).map(({ major }) => major)).toEqual(expected);
  });

  it.each([
    ['1.16', 'PostgreSQL 17 or newer'],
    ['1.15', 'PostgreSQL 16 or newer'],
    ['1.99', 'a newer PostgreSQL'],
  ])('of format %s that nothing here can read is refused, with what can', (format, needed) => {
    const read = (): unknown => thatRead(dump(format), installed(14, 15));
    expect(read).toThrow(UserError);
    expect(read).toThrow(
      `load.dump shop.dump has the format ${format} of ${needed}. The newest pg_restore here, 15, cannot read it. Install ${needed} beside it,`,
    );
    expect(read).toThrow(/pg_dump --format=plain\.$/);
  });

  it.each([
    [15, [17, 15], { major: 15, onlyWrites: false }],
    [17, [17, 15], { major: 17, onlyWrites: false }],
    [16, [18, 17, 15, 14], { major: 15, onlyWrites: false }],
    [15, [18, 17], { major: 17, onlyWrites: true }],
    [19, [17], { major: 17, onlyWrites: false }],
  ])('on a server of version %i is restored by one of %j: %j', (server, majors, expected) => {
    expect(restorerFor(server, thatRead(dump('1.14'), installed(...majors)))).toMatchObject(expected);
  });

  it('is never restored by a pg_restore that is newer than the server, nor by one that cannot read it', () => {
    const major = fc.integer({ min: 14, max: 19 });
    fc.assert(
      fc.property(
        fc.constantFrom('1.14', '1.15', '1.16'),
        fc.uniqueArray(major, { minLength: 1 }),
        major,
        (format, majors, server) => {
          const since = { '1.14': 14, '1.15': 16, '1.16': 17 }[format];
          fc.pre(majors.some((one) => one >= since));
          const chosen = restorerFor(server, thatRead(dump(format), installed(...majors)));
          expect(chosen.major).toBeGreaterThanOrEqual(since);
          expect(chosen.onlyWrites).toBe(chosen.major > server);
          expect(chosen.onlyWrites).toBe(majors.every((one) => one < since || one > server));
        },
      ),
    );
  });
});

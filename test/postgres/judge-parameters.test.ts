import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bytesOf,
  formsOf,
  parameterProblem,
  parseBoolean,
  parseNumber,
} from '../../runner/postgres/parameters/judge.ts';
import { knownMajors, supportedMajors, supportedWords } from '../../runner/postgres/versions/known.ts';

const messageOf = (name: string, value: string | number | boolean, major: number | null = 16) =>
  parameterProblem(name, value, major)?.message ?? null;

it.each([
  ['0100MB', 'MB', 64 * 2 ** 20],
  ['100', '8kB', 819_200],
  ['0x10MB', 'MB', 2 ** 24],
  ['{DBInstanceClassMemory/32768}', '8kB', null],
])('a size of %s in a parameter of %s has as many bytes as the server gives it', (text, unit, bytes) => {
  expect(bytesOf(text, unit)).toBe(bytes);
});

// As PostgreSQL 15 answered to SET and ALTER SYSTEM; test/integration/judged-parameters.test.ts asks a server about more.
describe('a value', () => {
  it.each([
    ['work_mem', '4MB', 4096],
    ['work_mem', '4 MB ', 4096],
    ['work_mem', '0x40', 64],
    ['work_mem', '0x40.8p0', 64],
    ['work_mem', '0x1.8p3MB', 12_288],
    ['work_mem', '0x40.', 64],
    ['checkpoint_completion_target', '0x.8', 0.5],
    ['checkpoint_completion_target', '0x1p-1', 0.5],
    ['seq_page_cost', '0x1e1', 481],
    ['work_mem', '0100', 64],
    ['work_mem', '1e3', 1000],
    ['work_mem', '64.5', 64],
    ['work_mem', '65.5', 66],
    ['work_mem', '.5MB', 512],
    ['work_mem', '100000B', 98],
    ['shared_buffers', '1GB', 131_072],
    ['checkpoint_timeout', '1.5min', 90],
    ['autovacuum_vacuum_cost_delay', '500us', 0.5],
    ['max_wal_size', '1.5GB', 1536],
  ])('of %s, %j, is %d in its own unit', (name, text, number) => {
    const [form] = formsOf(name, 16);
    expect(form && parseNumber(text, form)).toBe(number);
    expect(messageOf(name, text)).toBeNull();
  });

  // Of a whole number, 0x40p1 is 0x40 with the unit p1, and 0x.8 is 0 with the unit x.8.
  it.each([
    '4mb',
    '4 M',
    '4MBs',
    '08',
    '0x',
    '0x.',
    '0x40p1',
    '0x.8',
    '0x40.8p',
    '1e',
    '',
    ' ',
    '-.5',
    'inf',
    'nan',
    '1_000',
    '5min',
    '4MB x',
    '½',
  ])('of work_mem, %j, is none', (text) =>
    expect(messageOf('work_mem', text)).toMatch(/^expected a whole number of kB, or one with a unit: B, kB/),
  );

  it('is a truth value by any beginning of its words that is not ambiguous', () => {
    const read = (words: string[]) => words.map(parseBoolean);
    expect(new Set(read(['on', 'ON', 'true', 't', 'tr', 'yes', 'Y', '1']))).toEqual(new Set([true]));
    expect(new Set(read(['off', 'of', 'false', 'F', 'no', 'n', '0']))).toEqual(new Set([false]));
    expect(new Set(read(['o', '', 'offf', '2', ' on', 'enabled', '00']))).toEqual(new Set([null]));
  });

  it('is judged by the range, with -1 where the range has it', () => {
    expect(messageOf('wal_buffers', -1)).toBeNull();
    expect(messageOf('work_mem', -1)).toBe('expected 64 to 2,147,483,647 (kB)');
    expect(messageOf('random_page_cost', '-0.1')).toBe('expected at least 0');
    expect(messageOf('checkpoint_completion_target', 1.1)).toBe('expected 0 to 1');
    expect(messageOf('max_connections', '100kB')).toBe('expected a whole number without a unit; 1 to 262,143');
  });

  it('is judged by the words of its version', () => {
    expect(messageOf('wal_compression', 'lz4', 15)).toBeNull();
    expect(messageOf('wal_compression', 'lz4', 14)).toBe('expected on or off');
    expect(messageOf('synchronous_commit', 'Remote_Apply')).toBeNull();
    expect(messageOf('synchronous_commit', false)).toBeNull();
    expect(messageOf('synchronous_commit', 'of')).toContain(
      'expected one of local, off, on, remote_apply, remote_write',
    );
    expect(messageOf('work_mem', true)).toMatch(/^expected a whole number/);
  });

  it('of a text is whatever it is: only a server knows its meaning', () => {
    fc.assert(fc.property(fc.string(), (text) => messageOf('log_line_prefix', text) === null));
  });

  it('never makes the judge fail, and what it takes is in the range', () => {
    const names = fc.constantFrom(...knownMajors.flatMap(({ parameters }) => [...parameters.keys()]));
    const majors = fc.constantFrom(13, 14, 15, 16, 17, 18, 19, 20, null);
    const texts = fc.oneof(
      fc.string(),
      fc.integer().map(String),
      fc.double().map(String),
      fc.constantFrom('4MB', '1.5h'),
    );
    fc.assert(
      fc.property(names, texts, majors, (name, text, major) => {
        const isTaken = parameterProblem(name, text, major) === null;
        const forms = formsOf(name, major);
        if (!isTaken || forms.some(({ vartype }) => vartype !== 'integer' && vartype !== 'real')) return;
        const isWithin = forms.some((form) => {
          const number = parseNumber(text, form) ?? NaN;
          return number >= (form.min_val ?? 0) && number <= (form.max_val ?? 0);
        });
        expect(forms.length === 0 || isWithin).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a name', () => {
  it('is known by version', () => {
    expect(messageOf('io_method', 'worker', 18)).toBeNull();
    expect(messageOf('io_method', 'worker', 17)).toBe(
      'PostgreSQL 17 does not have it; only 18 and newer do. Remove it',
    );
    expect(messageOf('old_snapshot_threshold', 5, 17)).toBe(
      'PostgreSQL 17 does not have it; the last one that did was 16. Remove it',
    );
  });

  it('without a version is right if any version has it', () => {
    expect(messageOf('io_method', 'worker', null)).toBeNull();
    expect(messageOf('old_snapshot_threshold', 5, null)).toBeNull();
    expect(parameterProblem('max_wal_sise', '2GB', null)).toEqual({
      code: 'unknown-parameter',
      message: `${supportedWords} has no such parameter`,
      allowed: expect.arrayContaining(['max_wal_size']) as string[],
    });
  });

  it('with the name of something that every object has is unknown', () => {
    expect(messageOf('constructor', 1, null)).toBe(`${supportedWords} has no such parameter`);
  });

  it('of a newer version may be right, and so may that of a library that is not known', () => {
    expect(messageOf('brand_new', 1, supportedMajors.last + 1)).toBeNull();
    expect(messageOf('rds.force_ssl', 1)).toBeNull();
    expect(messageOf('cron.max_running_jobs', 1)).toBeNull();
  });

  it('of a library that is known is judged, too', () => {
    expect(messageOf('pg_stat_statements.max', 5000)).toBeNull();
    expect(messageOf('pg_stat_statements.max', 5)).toBe('expected 100 to 1,073,741,823');
    expect(messageOf('pg_stat_statements.maximum', 5)).toBe('pg_stat_statements has no such parameter');
  });

  it.each(['constructor', 'valueof', '__proto__'])('that every object has, %s, is none', (name) => {
    expect(messageOf(name, 1)).toBe('PostgreSQL 16 has no such parameter');
  });

  // PostgreSQL 15: syntax error in file "postgresql.conf", near token "a.b.c".
  it.each(['a.b.c', 'cron.1st', 'cron.'])('with dots that no settings file may contain, %s, is refused', (name) => {
    expect(messageOf(name, 1)).toBe('no settings file may contain this name; expected LIBRARY.PARAMETER');
  });

  it('that a server only reports takes no value', () => {
    expect(messageOf('block_size', 8192)).toBe('this parameter is read-only; remove it');
  });
});

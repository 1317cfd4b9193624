import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInForce, type ShownSetting } from '../../runner/postgres/in-force.ts';

function shown(setting: string, rest: Partial<ShownSetting> = {}): ShownSetting {
  return { setting, unit: null, vartype: 'integer', source: 'configuration file', boot_val: null, ...rest };
}
const pages = { unit: '8kB', vartype: 'integer' } as const;

describe('a parameter is in force', () => {
  it.each([
    ['shared_buffers', '16324847', shown('16324847', pages)],
    ['shared_buffers', '128MB', shown('16384', pages)],
    ['shared_buffers', '0.5GB', shown('65536', pages)],
    ['checkpoint_timeout', '5min', shown('300', { unit: 's' })],
    ['checkpoint_timeout', 300, shown('300', { unit: 's' })],
    ['max_wal_size', '2GB', shown('2048', { unit: 'MB' })],
    ['checkpoint_completion_target', '0.90', shown('0.9', { vartype: 'real' })],
    ['vacuum_cost_delay', '0.5ms', shown('0.5', { vartype: 'real', unit: 'ms' })],
    ['random_page_cost', 1.23456789, shown('1.23457', { vartype: 'real' })],
    ['track_io_timing', '1', shown('on', { vartype: 'bool' })],
    ['track_io_timing', true, shown('on', { vartype: 'bool' })],
    ['fsync', 'OFF', shown('off', { vartype: 'bool' })],
    ['synchronous_commit', '1', shown('on', { vartype: 'enum' })],
    ['synchronous_commit', 'Remote_Apply', shown('remote_apply', { vartype: 'enum' })],
    ['wal_compression', 'on', shown('pglz', { vartype: 'enum' })],
    ['wal_compression', true, shown('pglz', { vartype: 'enum' })],
    ['wal_level', 'archive', shown('replica', { vartype: 'enum' })],
    ['shared_preload_libraries', 'pg_stat_statements', shown('rdsutils,pg_stat_statements', { vartype: 'string' })],
    ['search_path', 'a,b', shown('a, "b"', { vartype: 'string' })],
    ['log_line_prefix', '%t:%r:', shown('%t:%r:', { vartype: 'string' })],
    ['log_line_prefix', '%t ', shown('%t ', { vartype: 'string' })],
    ['work_mem', '0x1.8p3MB', shown('12288', { unit: 'kB' })],
    ['work_mem', '0100', shown('64', { unit: 'kB' })],
    ['rds.force_ssl', '1', shown('on', { vartype: null })],
    ['rds.force_ssl', '1', shown('1', { vartype: null })],
    ['auto_explain.log_min_duration', '100', shown('100', { vartype: null })],
  ])('%s as %s', (name, asked, found) => {
    expect(isInForce(name, asked, found)).toBe(true);
  });

  it('where the server works it out by itself, as for -1 of wal_buffers', () => {
    const found = shown('2048', { ...pages, source: 'override', boot_val: '-1' });
    expect(isInForce('wal_buffers', -1, found)).toBe(true);
    expect(isInForce('wal_buffers', 8192, found)).toBe(false);
    expect(isInForce('wal_buffers', -1, { ...found, source: 'configuration file' })).toBe(false);
  });
});

describe('a parameter is not in force', () => {
  it.each([
    ['shared_buffers', '16324847', shown('16384', pages)],
    ['shared_buffers', '128kB', shown('16384', pages)],
    ['checkpoint_completion_target', '0.9', shown('0.5', { vartype: 'real' })],
    ['track_io_timing', '1', shown('off', { vartype: 'bool' })],
    ['track_io_timing', 'perhaps', shown('off', { vartype: 'bool' })],
    ['synchronous_commit', 'local', shown('on', { vartype: 'enum' })],
    ['wal_compression', 'zstd', shown('pglz', { vartype: 'enum' })],
    ['shared_preload_libraries', 'pg_stat_statements', shown('rdsutils', { vartype: 'string' })],
    ['log_line_prefix', '%T', shown('%t', { vartype: 'string' })],
    ['rds.force_ssl', '1', shown('0', { vartype: null })],
    // 5 without a unit would be 5 s.
    ['checkpoint_timeout', '5', shown('300', { unit: 's' })],
    ['checkpoint_timeout', '5MB', shown('5', { unit: 's' })],
  ])('%s as %s', (name, asked, found) => {
    expect(isInForce(name, asked, found)).toBe(false);
  });
});

it('what RDS works out from the class of the instance cannot be told', () => {
  expect(isInForce('shared_buffers', '{DBInstanceClassMemory/32768}', shown('16384', pages))).toBeNull();
});

describe('any whole number, in any unit that can hold it', () => {
  // A server rounds a part of a unit to the next smaller one, which is more than a page for parts of a gigabyte.
  const sizes: [unit: string, bytes: number, multiple: number][] = [
    ['B', 1, 1],
    ['kB', 1024, 1],
    ['MB', 1024 ** 2, 1],
    ['GB', 1024 ** 3, 128],
  ];
  const written = fc
    .record({ pages: fc.integer({ min: 1, max: 2 ** 30 }), unit: fc.constantFrom(...sizes) })
    .map(({ pages: some, unit: [unit, bytes, multiple] }) => {
      const count = some * multiple;
      return { count, text: `${(count * 8192) / bytes}${unit}` };
    });

  it('is in force as its number of pages, and not as another number', () => {
    fc.assert(
      fc.property(written, fc.integer({ min: 1, max: 1000 }), ({ count, text }, more) => {
        expect(isInForce('shared_buffers', text, shown(`${count}`, pages))).toBe(true);
        expect(isInForce('shared_buffers', count, shown(`${count}`, pages))).toBe(true);
        expect(isInForce('shared_buffers', text, shown(`${count + more}`, pages))).toBe(false);
        expect(isInForce('shared_buffers', count + more, shown(`${count}`, pages))).toBe(false);
      }),
    );
  });
});

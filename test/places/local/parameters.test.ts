import { describe, expect, it } from 'vitest';
import { configurationText } from '../../../runner/places/local/cluster-files.ts';
import { localParameterProblem, startProblems, walSegmentMegabytes } from '../../../runner/places/local/parameters.ts';

describe('the size of a WAL file', () => {
  it('goes to initdb in MB, in whatever unit it is written; bytes without one, as on RDS', () => {
    const sizes = ['1MB', '16384kB', '1GB', 67108864, '67108864'].map(walSegmentMegabytes);
    expect(sizes).toEqual([1, 16, 1024, 64, 64]);
  });

  it('is refused unless PostgreSQL can have it', () => {
    for (const size of ['3MB', '512kB', '2GB', '5min', 'large', true, -1]) {
      expect(localParameterProblem('wal_segment_size', size)).toBe('it must be a power of two from 1MB to 1GB');
    }
    expect(localParameterProblem('wal_segment_size', '64MB')).toBeNull();
  });

  it('is in no settings file: a server that reads it there does not start', () => {
    const text = configurationText({
      port: 5432,
      folder: '/tmp',
      major: 15,
      parameters: { wal_segment_size: '1MB', max_wal_size: '8MB' },
    });
    expect(text).toContain("max_wal_size = '8MB'");
    expect(text).not.toContain('wal_segment_size');
  });
});

describe('a server here', () => {
  it('leaves its address and its files to pgduet', () => {
    expect(localParameterProblem('port', 5433)).toBe('pgduet sets it on local servers; remove it');
    expect(localParameterProblem('work_mem', '4MB')).toBeNull();
  });

  // Each was tried with PostgreSQL 15, which does not start with the first of each pair and starts with the second.
  it.each([
    [{ max_wal_size: '24MB' }, { max_wal_size: '32MB', min_wal_size: '32MB' }, 'less than two WAL files of 16 MB'],
    [
      { wal_segment_size: '64MB', min_wal_size: 127 },
      { wal_segment_size: '1MB', min_wal_size: 2 },
      'less than two WAL files of 64 MB',
    ],
    [{ wal_level: 'minimal' }, { wal_level: 'minimal', max_wal_senders: 0 }, 'add max_wal_senders: 0'],
    [
      { synchronous_standby_names: 'nobody' },
      { synchronous_standby_names: 'nobody', synchronous_commit: 'local' },
      'commits would wait for ever',
    ],
    [{ max_connections: 3 }, { max_connections: 4 }, '3 connections are reserved'],
  ])('is refused with %j, but not with %j', (wrong, right, message) => {
    const problems = (parameters: Record<string, string | number>) =>
      startProblems({ engine: { version: undefined, parameters } }, 0).map((one) => one.message);
    expect(problems(wrong)).toEqual([expect.stringContaining(message)]);
    expect(problems(right)).toEqual([]);
  });
});

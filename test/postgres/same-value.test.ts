import { describe, expect, it } from 'vitest';
import { isSameValue } from '../../runner/postgres/parameters/same-value.ts';

describe('two texts', () => {
  it.each([
    ['work_mem', '4MB', '4096kB'],
    ['work_mem', '4MB', '4096'],
    ['work_mem', '100000B', '98kB'],
    ['fsync', 'on', 'true'],
    ['fsync', 'of', '0'],
    ['random_page_cost', '4', '4.0'],
    ['synchronous_commit', 'ON', 'yes'],
    ['wal_level', 'hot_standby', 'replica'],
    ['cron.max_running_jobs', '5', '5'],
  ])('are one value of %s: %s and %s', (name, one, other) => expect(isSameValue(name, one, other)).toBe(true));

  it.each([
    ['work_mem', '4MB', '4GB'],
    ['fsync', 'on', 'off'],
    ['synchronous_commit', 'on', 'local'],
    ['wal_compression', 'on', 'lz4'],
    // What is wrong is for the judge to say.
    ['fsync', 'offf', 'off'],
    ['log_line_prefix', '%m', '%m '],
    ['cron.max_running_jobs', '5', '05'],
  ])('are two values of %s: %s and %s', (name, one, other) => expect(isSameValue(name, one, other)).toBe(false));

  it('are one value of wal_compression where the server takes both: on and pglz', () =>
    expect(isSameValue('wal_compression', 'on', 'pglz')).toBe(true));
});

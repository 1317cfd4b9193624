import { describe, expect, it } from 'vitest';
import { rdsParameter } from '../../../runner/rds/place/rds-parameters.ts';

describe('a value for RDS', () => {
  it.each([
    ['work_mem', '010MB', '8192'],
    ['work_mem', '0x40', '64'],
    ['work_mem', '1e3', '1000'],
    ['work_mem', '64.5', '64'],
    ['max_wal_size', 4096, '4096'],
    ['checkpoint_timeout', '15min', '900'],
    ['autovacuum_vacuum_cost_delay', '500us', '0.5'],
  ])('of %s, %j, is the number that PostgreSQL reads', (name, value, written) => {
    expect(rdsParameter(name, value, 15)).toBe(written);
  });

  it('that is a formula of RDS stays as it is', () => {
    const formula = 'LEAST({DBInstanceClassMemory/9531392},5000)';
    expect(rdsParameter('max_connections', formula, 15)).toBe(formula);
    expect(rdsParameter('shared_buffers', '{DBInstanceClassMemory/32768}', 15)).toBe('{DBInstanceClassMemory/32768}');
  });
});

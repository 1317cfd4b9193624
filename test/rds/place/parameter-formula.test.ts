import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { capacityOf } from '../../../runner/rds/place/class-capacity.ts';
import { evaluateFormula } from '../../../runner/rds/place/parameter-formula.ts';

const large = { memoryBytes: 16 * 2 ** 30, vcpus: 2 };

describe('a formula of RDS', () => {
  // The defaults of RDS for PostgreSQL 12, of a list that `aws rds describe-db-parameters` printed.
  test.each([
    ['{DBInstanceClassMemory/32768}', 524_288],
    ['LEAST({DBInstanceClassMemory/9531392},5000)', 1802],
    ['GREATEST({DBInstanceClassMemory/64371566592},3)', 3],
    ['GREATEST({DBInstanceClassMemory*1024/63963136},65536)', 275_036],
    ['SUM({DBInstanceVCPU*4}, 1)', 9],
    ['{DBInstanceVCPU}', 2],
    ['200', 200],
  ])('%s is %d with 16 GiB and two vCPUs', (text, value) => {
    expect(evaluateFormula(text, large)).toBe(value);
  });

  test.each([
    'GREATEST({log(DBInstanceClassMemory/21474836480)*600},200)',
    '{AllocatedStorage/1024}',
    '{DBInstanceClassMemory/0}',
    '{DBInstanceClassMemory/32768',
    'LEAST({DBInstanceClassMemory/9531392} 5000)',
    'constructor(1)',
    '',
  ])('%s is not evaluated', (text) => {
    expect(evaluateFormula(text, large)).toBeNull();
  });

  test('grows with the memory, and never throws, whatever it is made of', () => {
    const words = fc.constantFrom('DBInstanceClassMemory', 'LEAST', 'SUM', '{', '}', '(', ')', ',', '*', '/', '7');
    fc.assert(
      fc.property(fc.array(words, { maxLength: 12 }), (parts) => {
        const value = evaluateFormula(parts.join(''), large);
        expect(value === null || Number.isFinite(value)).toBe(true);
      }),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 30 }),
        fc.integer({ min: 1, max: 2 ** 40 }),
        (divisor, memoryBytes) => {
          const text = `{DBInstanceClassMemory/${divisor}}`;
          expect(evaluateFormula(text, { vcpus: 2, memoryBytes })).toBe(Math.trunc(memoryBytes / divisor));
        },
      ),
    );
  });
});

describe('what a class can carry', () => {
  // Amazon EBS-optimized instance types, and Hardware specifications for DB instance classes.
  test.each([
    ['db.r5.4xlarge', 16, 128, 18_750, 18_750, 593.75],
    ['db.r5.16xlarge', 64, 512, 60_000, 60_000, 1700],
    ['db.r6gd.4xlarge', 16, 128, 20_000, 20_000, 593.75],
    ['db.r6gd.16xlarge', 64, 512, 80_000, 80_000, 2375],
    ['db.r8g.16xlarge', 64, 512, 80_000, 80_000, 2500],
    ['db.r6g.large', 2, 16, 3600, 20_000, 593.75],
    ['db.m8gd.4xlarge', 16, 64, 20_000, 40_000, 1250],
    ['db.m6i.2xlarge', 8, 32, 12_000, 40_000, 1250],
  ])(
    '%s has %d vCPUs, %d GiB and %d IOPS, or %d for a while',
    (name, vcpus, memoryGib, baseline, maximum, megabytes) => {
      expect(capacityOf(name)).toMatchObject({
        vcpus,
        memoryBytes: memoryGib * 2 ** 30,
        ebs: { baseline: { iops: baseline }, maximum: { iops: maximum, megabytesPerSecond: megabytes } },
      });
    },
  );

  test('of t4g is its memory alone', () => {
    expect(capacityOf('db.t4g.micro')).toEqual({ vcpus: 2, memoryBytes: 2 ** 30, ebs: null });
  });
});

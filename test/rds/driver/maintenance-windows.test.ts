import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkWindows, type ComingRun, nextOpening } from '../../../runner/rds/driver/maintenance-windows.ts';

/** A Saturday. */
const now = new Date('2026-11-21T10:20:00Z');
const none = { backup: null, maintenance: null };

function check(windows: Partial<Parameters<typeof checkWindows>[1]>, run: Partial<ComingRun> = {}): string {
  return checkWindows(
    'with-dlv',
    { ...none, ...windows },
    { backups: { retentionDays: 1 }, now, expectedSeconds: 4 * 3600, ...run },
  );
}

describe('a window of RDS', () => {
  it('is named with the end of the run where it is inside, and with what to do', () => {
    expect(() => check({ backup: '13:00-13:30' })).toThrow(
      'Variant with-dlv: its backup window 13:00-13:30 opens at 2026-11-21 13:00 UTC, during the run, which is expected to end at 2026-11-21 14:20 UTC. Deploy with another window: --parameters BackupWindow=hh:mm-hh:mm.',
    );
    expect(() => check({ maintenance: 'sat:13:00-sat:13:30' })).toThrow(/its maintenance window .*MaintenanceWindow=/);
    const backups = { retentionDays: 1, windowUtc: '13:00' };
    expect(() => check({ backup: '13:00-13:30' }, { backups })).toThrow(/Remove backups\.windowUtc \(13:00\)/);
    expect(() => check({ backup: '09:30-10:00' }, { expectedSeconds: 24 * 3600 })).toThrow(
      /A run of this length needs backups\.retentionDays: 0/,
    );
  });

  it('is all right after the run, and when it has just passed', () => {
    expect(check({ backup: '14:30-15:00', maintenance: 'sun:13:00-sun:13:30' })).toBe(
      'run until 2026-11-21 14:20 UTC, next backup from 2026-11-21 14:30 UTC, next maintenance from 2026-11-22 13:00 UTC',
    );
    expect(check({ backup: '09:30-10:00' })).toContain('next backup from 2026-11-22 09:30 UTC');
  });

  it('is in the run also if it is open already, or crosses midnight', () => {
    expect(() => check({ backup: '10:00-10:30' })).toThrow(/opens at 2026-11-21 10:00/);
    const late = { now: new Date('2026-11-22T00:10:00Z') };
    expect(() => check({ backup: '23:50-00:20' }, late)).toThrow(/opens at 2026-11-21 23:50/);
    expect(() => check({ maintenance: 'sat:23:50-sun:00:20' }, late)).toThrow(/opens at 2026-11-21 23:50/);
  });

  it('cannot be judged where run length unknown, unless it is open now', () => {
    expect(check({ backup: '13:00-13:30' }, { expectedSeconds: null })).toBe(
      'end of run unknown, next backup from 2026-11-21 13:00 UTC',
    );
    expect(() => check({ backup: '10:00-10:30' }, { expectedSeconds: null })).toThrow(
      /during the run, which begins now/,
    );
  });
});

it('the next opening is the first that is not over yet', () => {
  const time = fc.nat(24 * 60 - 1).map((minute) => new Date(minute * 60_000).toISOString().slice(11, 16));
  fc.assert(
    fc.property(
      fc.date({ min: new Date('2026-01-01'), max: new Date('2027-01-01'), noInvalidDate: true }),
      time,
      time,
      (at, from, to) => {
        fc.pre(from !== to);
        const opening = nextOpening(`${from}-${to}`, at);
        expect(opening?.to.getTime()).toBeGreaterThan(at.getTime());
        expect((opening?.to.getTime() ?? 0) - at.getTime()).toBeLessThanOrEqual(24 * 3600_000);
        expect(opening?.from.toISOString().slice(11, 16)).toBe(from);
        expect(opening?.to.toISOString().slice(11, 16)).toBe(to);
      },
    ),
  );
});

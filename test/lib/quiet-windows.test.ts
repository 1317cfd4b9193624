import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quietWindows } from '../../lib/quiet-windows.ts';
import { launchGuide } from '../../lib/launch-guide.ts';

const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Minutes from now to the next start of a window such as `10:00-10:30` or `sat:09:00-sat:09:30`, in its period. */
function minutesUntil(window: string, now: Date): number {
  const [, day, hour, minute] = /^(?:([a-z]{3}):)?(\d\d):(\d\d)-/.exec(window) ?? [];
  const period = day === undefined ? 24 * 60 : 7 * 24 * 60;
  const start = (day === undefined ? 0 : days.indexOf(day) * 24 * 60) + Number(hour) * 60 + Number(minute);
  const today = day === undefined ? 0 : now.getUTCDay() * 24 * 60;
  const at = today + now.getUTCHours() * 60 + now.getUTCMinutes();
  return (start - at + 2 * period) % period;
}

describe('the windows of backups and maintenance', () => {
  it('are half hours that have just passed', () => {
    expect(quietWindows(new Date('2026-11-21T10:20:00Z'))).toEqual({
      backup: '09:30-10:00',
      maintenance: 'sat:08:30-sat:09:00',
    });
    expect(quietWindows(new Date('2026-11-22T00:05:00Z'))).toEqual({
      backup: '23:30-00:00',
      maintenance: 'sat:22:30-sat:23:00',
    });
  });

  it('do not come again for 23 hours and six days, whenever the deploy is', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date('2026-01-01'), max: new Date('2027-01-01'), noInvalidDate: true }), (now) => {
        const { backup, maintenance } = quietWindows(now);
        expect(minutesUntil(backup, now)).toBeGreaterThanOrEqual(23 * 60);
        expect(minutesUntil(maintenance, now)).toBeGreaterThanOrEqual(6 * 24 * 60);
      }),
    );
  });

  it('do not overlap where the experiment names the time of the backup', () => {
    fc.assert(
      fc.property(fc.nat(24 * 60 - 1), fc.nat(24 * 60 - 1), (named, minute) => {
        const windowUtc = new Date(named * 60_000).toISOString().slice(11, 16);
        const { backup, maintenance } = quietWindows(new Date(Date.UTC(2026, 10, 21, 0, minute)), windowUtc);
        expect(backup.slice(0, 5)).toBe(windowUtc);
        const from = minutesUntil(maintenance.slice(4), new Date(named * 60_000));
        expect(Math.min(from, 24 * 60 - from)).toBeGreaterThanOrEqual(30);
      }),
    );
  });

  it('of a portable template are filled by the command that launches it', () => {
    const guide = launchGuide('quick', {
      assetPrefix: 'pgduet-assets',
      windowsKnown: false,
      whenDone: 'destroy',
      lifetimeHours: 24,
      limitDollars: undefined,
      costs: [],
    });
    const lines = guide.split('\n').filter((line) => /^ {4}(ago\(\)|BACKUP=|MAINTENANCE=)/.test(line));
    const shown = execFileSync('sh', ['-c', `${lines.join('\n')}\necho "$BACKUP $MAINTENANCE"`], { encoding: 'utf8' });
    const [backup = '', maintenance = ''] = shown.trim().split(' ');
    const now = new Date();
    expect(backup).toMatch(/^\d\d:\d\d-\d\d:\d\d$/);
    expect(maintenance).toMatch(/^[a-z]{3}:\d\d:\d\d-[a-z]{3}:\d\d:\d\d$/);
    expect(minutesUntil(backup, now)).toBeGreaterThanOrEqual(23 * 60);
    expect(minutesUntil(maintenance, now)).toBeGreaterThanOrEqual(6 * 24 * 60);
    expect(guide).toContain('"BackupWindow=$BACKUP" "MaintenanceWindow=$MAINTENANCE"');
  });

  it('of a portable template are its own where the experiment names them', () => {
    const guide = launchGuide('quick', {
      assetPrefix: 'pgduet-assets',
      windowsKnown: true,
      whenDone: 'destroy',
      lifetimeHours: 24,
      limitDollars: undefined,
      costs: [],
    });
    expect(guide).not.toContain('BACKUP');
  });
});

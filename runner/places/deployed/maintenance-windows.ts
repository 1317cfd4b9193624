import { weekdays } from '../../contract/weekdays.ts';

/** When RDS may work on a database by itself, in UTC as RDS writes it; null if RDS does not say. */
export interface MaintenanceWindows {
  /** Daily, such as `03:00-03:30`; null also if there are no automated backups. */
  backup: string | null;
  /** Weekly, such as `sun:05:00-sun:05:30`. */
  maintenance: string | null;
}

const minuteMs = 60_000;
const dayMinutes = 24 * 60;

/**
 * When a window next begins or is open already.
 *
 * @param window daily or weekly, as RDS writes it
 * @returns null if the text is no window
 */
export function nextOpening(window: string, now: Date): { from: Date; to: Date } | null {
  const part = '(?:([a-z]{3}):)?(\\d\\d):(\\d\\d)';
  const [, fromDay, fromHour, fromMinute, toDay, toHour, toMinute] =
    new RegExp(`^${part}-${part}$`, 'i').exec(window) ?? [];
  if (fromHour === undefined) return null;
  const period = fromDay === undefined ? dayMinutes : 7 * dayMinutes;
  const start = minuteOf(fromDay, fromHour, fromMinute);
  const length = (minuteOf(toDay, toHour, toMinute) - start + period) % period;
  const sunday = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - now.getUTCDay());
  // One period earlier than this week's first: it may still be open.
  for (let from = sunday + (start - period) * minuteMs; ; from += period * minuteMs) {
    const to = from + length * minuteMs;
    if (to > now.getTime()) return { from: new Date(from), to: new Date(to) };
  }
}

function minuteOf(day: string | undefined, hour = '0', minute = '0'): number {
  return (
    (day === undefined ? 0 : weekdays.indexOf(day.toLowerCase()) * dayMinutes) + Number(hour) * 60 + Number(minute)
  );
}

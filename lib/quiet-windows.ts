import { weekdays } from '../runner/rds/contract/waiting-times.ts';

/** Windows of half an hour in which RDS may work on a database by itself, in UTC, as RDS writes them. */
export interface QuietWindows {
  readonly backup: string;
  readonly maintenance: string;
}

const minuteMs = 60_000;
const halfHour = 30;

/**
 * Windows that have just passed: the next backup is 23 hours away, and the next maintenance nearly a week. So a run
 * that starts now ends before them. Both begin on a half hour, so two deploys within the same half hour get the same
 * windows. They are defaults of stack parameters, which keep their values in later deploys.
 *
 * @param windowUtc start of the backup window as HH:MM, if the experiment names one
 */
export function quietWindows(now: Date, windowUtc?: string): QuietWindows {
  const passed = (minutes: number): Date =>
    new Date(Math.floor(now.getTime() / (halfHour * minuteMs)) * halfHour * minuteMs - minutes * minuteMs);
  const backup = windowUtc ?? clock(passed(30));
  // RDS does not let the two windows overlap. If the experiment names a time at which they would, maintenance is an
  // hour earlier.
  const maintenance =
    [90, 150].map(passed).find((start) => minutesApart(clock(start), backup) >= halfHour) ?? passed(90);
  return {
    backup: `${backup}-${clock(later(new Date(`2000-01-01T${backup}Z`)))}`,
    maintenance: `${dayAndClock(maintenance)}-${dayAndClock(later(maintenance))}`,
  };
}

function later(start: Date): Date {
  return new Date(start.getTime() + halfHour * minuteMs);
}

function clock(at: Date): string {
  return at.toISOString().slice(11, 16);
}

function dayAndClock(at: Date): string {
  return `${weekdays[at.getUTCDay()] ?? ''}:${clock(at)}`;
}

/** Minutes between two times of day, the shorter way round the clock. */
function minutesApart(one: string, other: string): number {
  const minutes = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
  const apart = Math.abs(minutes(one) - minutes(other));
  return Math.min(apart, 24 * 60 - apart);
}

/** Windows of half an hour in UTC in which RDS may work on a database by itself. They are written as RDS writes them. */
export interface QuietWindows {
  readonly backup: string;
  readonly maintenance: string;
}

/**
 * Windows that begin twelve hours from now: a run that starts now is least likely to go on then. Only the hour of the day
 * counts: the same hour tomorrow gives the same windows. The windows are defaults of stack parameters, and parameters keep
 * their values at later deploys.
 *
 * @param windowUtc start of the backup window as HH:MM, if the experiment names one
 */
export function quietWindows(now: Date, windowUtc?: string): QuietWindows {
  const [hour = 0, minute = 0] =
    windowUtc === undefined ? [(now.getUTCHours() + 12) % 24, 0] : windowUtc.split(':').map(Number);
  const start = hour * 60 + minute;
  return {
    backup: `${clock(start)}-${clock(start + 30)}`,
    // The same day of the week for all variants. RDS does not let it overlap with the backup window.
    maintenance: `${onSunday(start + 60)}-${onSunday(start + 90)}`,
  };
}

function clock(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minutes / 60) % 24)}:${two(minutes % 60)}`;
}

function onSunday(minutes: number): string {
  return `${minutes >= 24 * 60 ? 'mon' : 'sun'}:${clock(minutes)}`;
}

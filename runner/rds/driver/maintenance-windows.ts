import { UserError } from '../../contract/errors.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { weekdays } from '../contract/waiting-times.ts';
import type { MaintenanceWindows } from '../deployments/deployment.ts';

/** What is known about the run that is about to begin. */
export interface ComingRun {
  backups: Experiment['backups'];
  now: Date;
  /** How long it will take; null if unpredictable. */
  expectedSeconds: number | null;
}

/**
 * Checks that RDS will not start a backup or maintenance of a server during the run.
 *
 * @returns what was found, in a few words
 * @throws {UserError} with a line for each window that opens during the run
 */
export function checkWindows(server: string, windows: MaintenanceWindows, run: ComingRun): string {
  const problems = [
    ...inTheRun(server, { ...run, what: 'backup', window: windows.backup }),
    ...inTheRun(server, { ...run, what: 'maintenance', window: windows.maintenance }),
  ];
  if (problems.length > 0) throw new UserError(problems);
  const next = Object.entries(windows).flatMap(([what, window]: [string, string | null]) => {
    const opening = window === null ? null : nextOpening(window, run.now);
    return opening ? [`next ${what} from ${minute(opening.from)}`] : [];
  });
  const end = run.expectedSeconds === null ? 'end of run unknown' : `run until ${minute(endOf(run))}`;
  return [end, ...next].join(', ');
}

function inTheRun(
  server: string,
  { what, window, ...run }: ComingRun & { what: 'backup' | 'maintenance'; window: string | null },
): string[] {
  const opening = window === null ? null : nextOpening(window, run.now);
  if (!opening) return [];
  // A window that is open now is in the run, however long the run takes.
  const end = run.expectedSeconds === null ? run.now : endOf(run);
  if (opening.from > end) return [];
  const words = run.expectedSeconds === null ? 'begins now' : `is expected to end at ${minute(end)}`;
  return [
    `Variant ${server}: its ${what} window ${window ?? ''} opens at ${minute(opening.from)}, during the run, which ${words}. ${remedy(what, run)}`,
  ];
}

function remedy(what: 'backup' | 'maintenance', { backups, expectedSeconds }: ComingRun): string {
  if (what === 'maintenance') return 'Deploy with another window: --parameters MaintenanceWindow=ddd:hh:mm-ddd:hh:mm.';
  // Some time passes between the choice of the window and the run.
  if ((expectedSeconds ?? 0) > 23 * 3600) return 'A run of this length needs backups.retentionDays: 0.';
  return backups.windowUtc === undefined
    ? 'Deploy with another window: --parameters BackupWindow=hh:mm-hh:mm.'
    : `Remove backups.windowUtc (${backups.windowUtc}), or choose a window after the run.`;
}

function endOf({ now, expectedSeconds }: ComingRun): Date {
  return new Date(now.getTime() + (expectedSeconds ?? 0) * 1000);
}

function minute(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

const minuteMs = 60_000;
const dayMinutes = 24 * 60;

/**
 * The current window if it is open already, otherwise the next one.
 *
 * @param window daily or weekly, as RDS writes it
 * @returns null if the text is not a window
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
  // Begin one period before this week's first window, which may still be open.
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

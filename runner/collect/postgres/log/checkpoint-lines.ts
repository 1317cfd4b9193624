import type { LoggedCheckpoint } from '../../../contract/seen-on-server.ts';

/** What one line of a server's log says of a checkpoint. */
export interface CheckpointLine {
  /** Unix time in milliseconds; null if the prefix of the line does not tell, or in a zone that we do not know. */
  at: number | null;
  what: 'starting' | 'complete';
  restartpoint: boolean;
  /** Only of a start: why, such as `wal`. */
  reason: string | null;
  /** Only of an end, as the rest. */
  buffers: number | null;
  writeSeconds: number | null;
  syncSeconds: number | null;
  distanceBytes: number | null;
  totalSeconds: number | null;
}

/** The first LOG of the line: what follows could be a statement that somebody had logged. */
const aboutCheckpoint = /^((?:(?!LOG:).)*)LOG:\s+(checkpoint|restartpoint) (starting|complete):\s*(.*)$/;

export function tellsOfCheckpoint(line: string): boolean {
  return aboutCheckpoint.test(line);
}

/**
 * Reads a line that log_checkpoints makes, in English, whatever log_line_prefix is in force.
 *
 * @see LogCheckpointStart and LogCheckpointEnd in src/backend/access/transam/xlog.c of PostgreSQL
 * @returns null if the line is about something else
 */
export function parseCheckpointLine(line: string): CheckpointLine | null {
  const [, prefix = '', kind, what, text = ''] = aboutCheckpoint.exec(line) ?? [];
  if (what !== 'starting' && what !== 'complete') return null;
  const number = (pattern: RegExp): number | null => {
    const found = pattern.exec(text)?.[1];
    return found === undefined ? null : Number(found);
  };
  return {
    at: timeIn(prefix),
    what,
    restartpoint: kind === 'restartpoint',
    reason: what === 'starting' ? text.trim() : null,
    buffers: number(/\bwrote (\d+) buffers/),
    writeSeconds: number(/\bwrite=([\d.]+) s/),
    syncSeconds: number(/\bsync=([\d.]+) s/),
    distanceBytes: inBytes(number(/\bdistance=(\d+) kB/)),
    totalSeconds: number(/\btotal=([\d.]+) s/),
  };
}

function inBytes(kibibytes: number | null): number | null {
  return kibibytes === null ? null : kibibytes * 1024;
}

/** The time that %t, %m or %n put into the prefix. A zone by its letters means several, but for UTC. */
function timeIn(prefix: string): number | null {
  const written = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?) ?(UTC|GMT|Z|[+-]\d\d(?::?\d\d)?)/.exec(prefix);
  if (written) {
    const [, day = '', time = '', zone = ''] = written;
    const [, sign = '+', hours = '00', minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
    const at = Date.parse(`${day}T${time}${sign}${hours}:${minutes}`);
    return Number.isNaN(at) ? null : at;
  }
  const epoch = /(?<![\d.])(\d{10}\.\d{3})(?!\d)/.exec(prefix)?.[1];
  return epoch === undefined ? null : Number(epoch) * 1000;
}

/**
 * The checkpoints that were under way between two moments.
 *
 * @param lines in order of time
 * @returns null if a line has no time that we can read
 */
export function checkpointsBetween(
  lines: readonly CheckpointLine[],
  { startedAt, endedAt }: { startedAt: Date; endedAt: Date },
): LoggedCheckpoint[] | null {
  const seconds = (at: number): number => (at - startedAt.getTime()) / 1000;
  const all: LoggedCheckpoint[] = [];
  let open: LoggedCheckpoint | null = null;
  for (const { at, what, restartpoint, reason, totalSeconds, ...ended } of lines) {
    if (at === null) return null;
    if (what === 'starting') {
      // One that never told its end was cut off with its server.
      if (open) all.splice(all.indexOf(open), 1);
      const nothing = { buffers: null, writeSeconds: null, syncSeconds: null, distanceBytes: null };
      open = { startedAt: seconds(at), endedAt: null, reason, restartpoint, ...nothing };
      all.push(open);
    } else if (open) {
      Object.assign(open, { endedAt: seconds(at), ...ended });
      open = null;
    } else {
      const began = seconds(at) - (totalSeconds ?? 0);
      all.push({ startedAt: began, endedAt: seconds(at), reason: null, restartpoint, ...ended });
    }
  }
  const length = seconds(endedAt.getTime());
  return all.filter((one) => one.startedAt <= length && (one.endedAt ?? Infinity) >= 0);
}

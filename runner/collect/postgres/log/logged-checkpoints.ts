import type { LoggedCheckpoint } from '../../../contract/server-facts.ts';
import { absent, reasonOf, emptyCollection } from '../../absent.ts';
import type { Collection, Collector, Findings, Need } from '../../collector.ts';
import { metric } from '../../metric.ts';
import { isOn } from '../../needs.ts';
import { openLog } from './log-rate.ts';

const cycle = metric('seconds', 'checkpoints.cycle', 'checkpoint cycle', {
  better: 'higher',
  source: 'the server’s log: mean time between the starts of checkpoints in the trial; null with fewer than two',
});

/** Without these, the log says nothing of a checkpoint that was there, or something else of it. */
const needs: Need[] = [
  { setting: 'log_checkpoints', suffices: isOn, gap: 'the server’s log names no checkpoint', remedy: 'set it to on' },
  {
    setting: 'log_min_messages',
    suffices: (value) => !['fatal', 'panic'].includes(value),
    gap: 'the server’s log names no checkpoint',
    remedy: 'set it to warning',
  },
  {
    setting: 'lc_messages',
    suffices: (value) => /^($|C\b|POSIX\b|en\b|en_)/i.test(value),
    gap: 'pgduet cannot read the server’s log',
    remedy: 'set it to C',
  },
  {
    setting: 'log_line_prefix',
    suffices: saysWhen,
    gap: 'the lines of the server’s log do not begin with their time',
    remedy: 'put %m first in it',
  },
];

/** Whether the first time in the prefix is that of the line: %s is when its process started. */
function saysWhen(prefix: string): boolean {
  const first = [...prefix.matchAll(/%(?:%|-?\d*(\w))/g)]
    .flatMap(([, what]) => what ?? [])
    .find((one) => 'tmns'.includes(one));
  return first !== undefined && first !== 's';
}

/**
 * When checkpoints began and ended, from the server's log. RDS provides its log as files, so they are read after the
 * run.
 */
export const loggedCheckpoints: Collector = {
  name: 'logged-checkpoints',
  optional: true,
  metrics: [cycle],
  needs,
  async start(trial): Promise<Collection> {
    const { serverLog, database, eventsBetween } = trial;
    const isReadLater = eventsBetween !== undefined;
    if (!serverLog && !isReadLater) return emptyCollection(loggedCheckpoints.name, 'the server’s log is out of reach');
    if (!serverLog) return {};
    try {
      const log = await openLog({ serverLog, database });
      return {
        /** Not at `stop`, since another trial may still be measured then. */
        async finish(part) {
          try {
            return findingsOf(await log.lines(isAboutCheckpoint), part);
          } catch (error) {
            return absent(loggedCheckpoints.name, reasonOf(error));
          }
        },
      };
    } catch (error) {
      return emptyCollection(loggedCheckpoints.name, reasonOf(error));
    }
  },
  collectAfterRun(trials, context) {
    const logging = trials.filter(({ facts }) => facts.absent?.[loggedCheckpoints.name] === undefined);
    const question = { before, after, isWanted: isAboutCheckpoint, find: findingsOf };
    return context.sources?.readLogs(loggedCheckpoints.name, logging, question) ?? Promise.resolve(new Map());
  },
};

/** How far before a trial to look for the start of a checkpoint, and how far after it for the end: 30 and 5 minutes. */
const [before, after] = [30 * 60_000, 5 * 60_000];

function findingsOf(lines: readonly string[], { startedAt, endedAt }: { startedAt: Date; endedAt: Date }): Findings {
  const reported = lines.flatMap((line) => parseCheckpointLine(line) ?? []);
  const checkpoints = checkpointsBetween(reported, { startedAt, endedAt });
  if (!checkpoints) return absent(loggedCheckpoints.name, noTimes);
  return { measures: { [cycle.name]: meanCycle(checkpoints) }, facts: { checkpoints } };
}

/**
 * Leaves out a checkpoint that began before the trial: how much of its cycle lies in the trial is a matter of phase.
 */
function meanCycle(checkpoints: readonly LoggedCheckpoint[]): number | null {
  const starts = checkpoints.filter(({ startedAt, restartpoint }) => startedAt >= 0 && !restartpoint);
  const [first, last] = [starts[0]?.startedAt, starts.at(-1)?.startedAt];
  if (first === undefined || last === undefined || starts.length < 2) return null;
  return (last - first) / (starts.length - 1);
}

const noTimes =
  'the lines of the server’s log have no time in UTC: put %m first in log_line_prefix, and set log_timezone to UTC';

/** What one line of a server's log says about a checkpoint. */
export interface CheckpointLine {
  /** Unix time in milliseconds; null if the line's prefix has no time, or one in an unknown time zone. */
  at: number | null;
  what: 'starting' | 'complete';
  restartpoint: boolean;
  /** Only for a start: the reason, such as `wal`. */
  reason: string | null;
  /** This and the following fields: only for an end. */
  buffers: number | null;
  writeSeconds: number | null;
  syncSeconds: number | null;
  distanceBytes: number | null;
  totalSeconds: number | null;
}

/**
 * Matches only the first LOG of the line: what follows could be a logged statement. With log_error_verbosity, an SQLSTATE stands
 * before the message.
 */
const aboutCheckpoint = /^((?:(?!LOG:).)*)LOG:\s+(?:\w{5}: )?(checkpoint|restartpoint) (starting|complete):\s*(.*)$/;

export function isAboutCheckpoint(line: string): boolean {
  return aboutCheckpoint.test(line);
}

/**
 * Reads an English line of log_checkpoints, with any log_line_prefix.
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

/** The time that %t, %m or %n put into the prefix. Letters of a time zone are ambiguous, except for UTC. */
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
 * The checkpoints that were under way at some time between two moments.
 *
 * @param lines in order of time
 * @returns null if a line has no readable time
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
      // A checkpoint without an end was cut off with its server.
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

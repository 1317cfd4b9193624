import { type TimeKind, timeKindOf } from '../../metrics/transaction-time.ts';
import { timeColour } from './time-colours.ts';

/**
 * The order in which events of one kind take its shades: the first one has the colour of the kind itself. An event that is
 * not named here has the last shade.
 */
const shadesOf: Partial<Record<TimeKind, readonly string[]>> = {
  walFlush: ['LWLock:WALWrite', 'IO:WalSync', 'IO:WalWrite'],
  walInsert: ['LWLock:WALInsert', 'LWLock:WALBufMapping'],
  walFiles: ['IO:WalInitSync', 'IO:WalInitWrite'],
  syncRep: ['IPC:SyncRep'],
  locks: ['Lock:transactionid', 'Lock:tuple', 'Lock:relation'],
  dataRead: ['IO:DataFileRead', 'LWLock:BufferMapping', 'IO:DataFilePrefetch'],
  dataWrite: ['IO:DataFileWrite', 'IO:DataFileExtend', 'Lock:extend'],
  temporaryFiles: ['IO:BuffileWrite', 'IO:BuffileRead'],
  internalLocks: ['LWLock:BufferContent', 'LWLock:LockManager', 'LWLock:ProcArray'],
  sleep: ['Timeout:PgSleep'],
  cpu: ['CPU'],
  client: ['Client:ClientRead', 'Client:ClientWrite'],
};

/** How much of a kind's colour each shade has; the rest is that of the page. */
const strengths = [100, 68, 30, 18] as const;

/** Which kind's colour a wait event has, and how much of it. It depends on nothing but the name of the event. */
export function shadeOf(event: string): { kind: TimeKind; strength: number } {
  const kind = timeKindOf(event);
  const known = shadesOf[kind] ?? [];
  const place = known.indexOf(event);
  return { kind, strength: strengths[place < 0 ? Math.min(known.length, strengths.length - 1) : place] ?? 100 };
}

/**
 * The colour of a wait event, the same in every picture, at every level and on every page: the hue of its kind, as in the
 * bars of where the time of a transaction goes, in a shade of its own.
 */
export function waitColour(event: string): string {
  const { kind, strength } = shadeOf(event);
  const colour = timeColour(kind);
  return strength === 100 ? colour : `color-mix(in oklab, ${colour} ${strength}%, var(--paper))`;
}

import { knownMajors } from '../postgres/versions/known.ts';

/**
 * The name of a wait event in the newest version that has it, with its type, such as `IO:WalSync` for `IO:WALSync`. An
 * event that no version has, because it is an extension's or newer, keeps its name.
 */
export function eventOf(spelling: string): string {
  const folded = foldedEvent(spelling);
  return renamed[folded] ?? canonical.get(folded) ?? spelling;
}

/** Whether a version that pgduet knows has the event. */
export function isKnownEvent(spelling: string): boolean {
  const folded = foldedEvent(spelling);
  return folded in renamed || canonical.has(folded);
}

/** The server's names of events, by their canonical names; only those that differ. */
export function spellingsOf(spellings: Iterable<string>): Record<string, string> {
  return Object.fromEntries(
    [...spellings].flatMap((spelling) => (eventOf(spelling) === spelling ? [] : [[eventOf(spelling), spelling]])),
  );
}

/** Versions, and Performance Insights, differ in capitals and in underscores. */
function foldedEvent(spelling: string): string {
  return spelling.toLowerCase().replaceAll('_', '');
}

/**
 * Events that got another name, which no table says. Of BufferContent, 19 has three, one for each kind of lock, so that
 * it keeps its name.
 *
 * Source: src/backend/utils/activity/wait_event_names.txt of PostgreSQL 17 to 19, and wait_event.c of 14 to 16.
 */
const renamed: Readonly<Record<string, string>> = {
  'bufferpin:bufferpin': 'Buffer:BufferCleanup',
  'ipc:hashgrowbatchesallocate': 'IPC:HashGrowBatchesReallocate',
  'ipc:hashgrowbucketsallocate': 'IPC:HashGrowBucketsReallocate',
};

const canonical: ReadonlyMap<string, string> = new Map(
  knownMajors.flatMap(({ waitEvents }) => [...waitEvents].map((name) => [foldedEvent(name), name] as const)),
);

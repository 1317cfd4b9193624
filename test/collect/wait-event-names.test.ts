import { describe, expect, it } from 'vitest';
import { eventOf, spellingsOf } from '../../runner/collect/wait-event-names.ts';
import { timeKindOf } from '../../runner/metrics/transaction-time.ts';
import { knownMajors } from '../../runner/postgres/versions/known.ts';

describe('the name of a wait event', () => {
  it.each([
    // As pg_stat_activity of 14 to 16, and 17 and newer has them, and as Performance Insights does.
    ['IO:WalSync', ['IO:WALSync', 'IO:WalSync']],
    ['IO:WalWrite', ['IO:WALWrite', 'IO:WalWrite']],
    ['IO:BuffileRead', ['IO:BufFileRead', 'IO:BuffileRead']],
    ['IO:SlruRead', ['IO:SLRURead', 'IO:SlruRead']],
    ['IO:DataFileRead', ['IO:DataFileRead']],
    ['LWLock:WALInsert', ['LWLock:wal_insert', 'LWLock:WALInsert']],
    ['LWLock:BufferContent', ['LWLock:buffer_content', 'LWLock:BufferContent']],
    ['IPC:BufferIo', ['IPC:BufferIO', 'IPC:BufferIo']],
    ['LWLock:LockManager', ['LWLock:lock_manager', 'LWLock:LockManager']],
    ['LWLock:CommitTsBuffer', ['LWLock:CommitTSBuffer', 'LWLock:CommitTsBuffer']],
    ['IPC:ProcarrayGroupUpdate', ['IPC:ProcArrayGroupUpdate', 'IPC:ProcarrayGroupUpdate']],
    ['IPC:HashGrowBatchesReallocate', ['IPC:HashGrowBatchesAllocate', 'IPC:HashGrowBatchesReallocate']],
    ['Buffer:BufferCleanup', ['BufferPin:BufferPin', 'Buffer:BufferCleanup']],
    ['Client:ClientRead', ['Client:ClientRead']],
  ])('is %s, whatever the version of the server', (name, spellings) => {
    expect(spellings.map(eventOf)).toEqual(spellings.map(() => name));
    expect(spellings.map((spelling) => timeKindOf(eventOf(spelling)))).toEqual(spellings.map(() => timeKindOf(name)));
  });

  it('is one that the newest version has, for every event of every version but those that have gone', () => {
    const newest = knownMajors.at(-1)?.waitEvents ?? new Set();
    const others = knownMajors.flatMap(({ waitEvents }) => [...waitEvents].map(eventOf));
    expect([...new Set(others)].filter((event) => !newest.has(event)).sort()).toEqual([
      'Activity:PgStatMain',
      'LWLock:BufferContent',
      'LWLock:OldSnapshotTimeMap',
    ]);
  });

  it('tells waits that differ in their type apart', () => {
    expect(eventOf('LWLock:WalWrite')).toBe('LWLock:WALWrite');
    expect(eventOf('IO:WALWrite')).toBe('IO:WalWrite');
  });

  it('stays what it is, if no version of PostgreSQL has it', () => {
    const unknown = ['CPU', 'Extension:MyWait', 'LWLock:my_lock', 'IO:XactSync'];
    expect(unknown.map(eventOf)).toEqual(unknown);
  });

  it('is kept with what the server calls it, where that differs', () => {
    expect(spellingsOf(['IO:WALSync', 'IO:DataFileRead', 'CPU'])).toEqual({ 'IO:WalSync': 'IO:WALSync' });
  });
});

import { describe, expect, it } from 'vitest';
import { eventOf, spellingsOf } from '../../runner/collect/wait-event-names.ts';
import { timeKindOf } from '../../runner/metrics/transaction-time.ts';

describe('the name of a wait event', () => {
  it.each([
    // As pg_stat_activity of 10 to 12, 13, 14 to 16, and 17 and newer has them.
    ['IO:WalSync', ['IO:WALSync', 'IO:WalSync']],
    ['IO:WalWrite', ['IO:WALWrite', 'IO:WalWrite']],
    ['IO:BuffileRead', ['IO:BufFileRead', 'IO:BuffileRead']],
    ['IO:SlruRead', ['IO:SLRURead', 'IO:SlruRead']],
    ['IO:DataFileRead', ['IO:DataFileRead']],
    ['LWLock:WALWrite', ['LWLock:WALWriteLock', 'LWLock:WALWrite']],
    ['LWLock:WALInsert', ['LWLock:wal_insert', 'LWLock:WALInsert']],
    ['LWLock:WALBufMapping', ['LWLock:WALBufMappingLock', 'LWLock:WALBufMapping']],
    ['LWLock:BufferContent', ['LWLock:buffer_content', 'LWLock:BufferContent']],
    ['IPC:BufferIo', ['LWLock:buffer_io', 'LWLock:BufferIO', 'IPC:BufferIO', 'IPC:BufferIo']],
    ['LWLock:LockManager', ['LWLock:lock_manager', 'LWLock:LockManager']],
    ['LWLock:LockFastPath', ['LWLock:proc', 'LWLock:LockFastPath']],
    ['LWLock:ProcArray', ['LWLock:ProcArrayLock', 'LWLock:ProcArray']],
    ['LWLock:XactSLRU', ['LWLock:CLogControlLock', 'LWLock:XactSLRU']],
    ['LWLock:XactBuffer', ['LWLock:clog', 'LWLock:XactBuffer']],
    ['LWLock:CommitTsBuffer', ['LWLock:commit_timestamp', 'LWLock:CommitTSBuffer', 'LWLock:CommitTsBuffer']],
    ['IPC:XactGroupUpdate', ['IPC:ClogGroupUpdate', 'IPC:XactGroupUpdate']],
    ['IPC:ProcarrayGroupUpdate', ['IPC:ProcArrayGroupUpdate', 'IPC:ProcarrayGroupUpdate']],
    ['IPC:HashGrowBatchesReallocate', ['IPC:Hash/GrowBatches/Allocating', 'IPC:HashGrowBatchesAllocate']],
    ['Lock:spectoken', ['Lock:speculative token', 'Lock:spectoken']],
    ['Client:ClientRead', ['Client:ClientRead']],
  ])('is %s, whatever the version of the server', (name, spellings) => {
    expect(spellings.map(eventOf)).toEqual(spellings.map(() => name));
    expect(spellings.map((spelling) => timeKindOf(eventOf(spelling)))).toEqual(spellings.map(() => timeKindOf(name)));
  });

  it('tells waits that differ in their type or their lock apart', () => {
    expect(eventOf('LWLock:WalWrite')).toBe('LWLock:WALWrite');
    expect(eventOf('IO:WALWrite')).toBe('IO:WalWrite');
    expect(eventOf('LWLock:replication_origin')).toBe('LWLock:ReplicationOriginState');
    expect(eventOf('LWLock:ReplicationOriginLock')).toBe('LWLock:ReplicationOrigin');
    expect(eventOf('LWLock:CommitTsLock')).toBe('LWLock:CommitTs');
  });

  it('stays what it is, if no version of PostgreSQL has it', () => {
    expect(['CPU', 'Extension:MyWait', 'LWLock:my_lock', 'IO:XactSync'].map(eventOf)).toEqual([
      'CPU',
      'Extension:MyWait',
      'LWLock:my_lock',
      'IO:XactSync',
    ]);
  });

  it('is kept with what the server calls it, where that differs', () => {
    expect(spellingsOf(['IO:WALSync', 'IO:DataFileRead', 'CPU'])).toEqual({ 'IO:WalSync': 'IO:WALSync' });
  });
});

/**
 * The name of a wait event in the newest version, with its type, such as `IO:WalSync` for `IO:WALSync`. An event that
 * is unknown there, because it is an extension's or no longer exists, keeps its name.
 */
export function eventOf(spelling: string): string {
  return renamed[spelling] ?? canonical.get(folded(spelling)) ?? spelling;
}

/** The server's names of events, by their canonical names; only those that differ. */
export function spellingsOf(spellings: Iterable<string>): Record<string, string> {
  return Object.fromEntries(
    [...spellings].flatMap((spelling) => (eventOf(spelling) === spelling ? [] : [[eventOf(spelling), spelling]])),
  );
}

/**
 * The wait events of PostgreSQL 18 by type, as named in its pg_wait_events:
 * `SELECT type, string_agg(name, ' ' ORDER BY name) FROM pg_wait_events GROUP BY type`.
 */
const newest = {
  Activity: `
    ArchiverMain AutovacuumMain BgwriterHibernate BgwriterMain CheckpointerMain CheckpointerShutdown IoWorkerMain
    LogicalApplyMain LogicalLauncherMain LogicalParallelApplyMain RecoveryWalStream ReplicationSlotsyncMain
    ReplicationSlotsyncShutdown SysloggerMain WalReceiverMain WalSenderMain WalSummarizerWal WalWriterMain`,
  BufferPin: 'BufferPin',
  Client: `
    ClientRead ClientWrite GssOpenServer LibpqwalreceiverConnect LibpqwalreceiverReceive SslOpenServer
    WaitForStandbyConfirmation WalSenderWaitForWal WalSenderWriteData`,
  Extension: 'Extension',
  IO: `
    AioIoCompletion AioIoUringExecution AioIoUringSubmit BasebackupRead BasebackupSync BasebackupWrite BuffileRead
    BuffileTruncate BuffileWrite ControlFileRead ControlFileSync ControlFileSyncUpdate ControlFileWrite
    ControlFileWriteUpdate CopyFileCopy CopyFileRead CopyFileWrite DataFileExtend DataFileFlush
    DataFileImmediateSync DataFilePrefetch DataFileRead DataFileSync DataFileTruncate DataFileWrite DsmAllocate
    DsmFillZeroWrite LockFileAddtodatadirRead LockFileAddtodatadirSync LockFileAddtodatadirWrite LockFileCreateRead
    LockFileCreateSync LockFileCreateWrite LockFileRecheckdatadirRead LogicalRewriteCheckpointSync
    LogicalRewriteMappingSync LogicalRewriteMappingWrite LogicalRewriteSync LogicalRewriteTruncate
    LogicalRewriteWrite RelationMapRead RelationMapReplace RelationMapWrite ReorderBufferRead ReorderBufferWrite
    ReorderLogicalMappingRead ReplicationSlotRead ReplicationSlotRestoreSync ReplicationSlotSync
    ReplicationSlotWrite SlruFlushSync SlruRead SlruSync SlruWrite SnapbuildRead SnapbuildSync SnapbuildWrite
    TimelineHistoryFileSync TimelineHistoryFileWrite TimelineHistoryRead TimelineHistorySync TimelineHistoryWrite
    TwophaseFileRead TwophaseFileSync TwophaseFileWrite VersionFileSync VersionFileWrite WalBootstrapSync
    WalBootstrapWrite WalCopyRead WalCopySync WalCopyWrite WalInitSync WalInitWrite WalRead WalSummaryRead
    WalSummaryWrite WalSync WalSyncMethodAssign WalWrite WalsenderTimelineHistoryRead`,
  IPC: `
    AppendReady ArchiveCleanupCommand ArchiveCommand BackendTermination BackupWaitWalArchive BgworkerShutdown
    BgworkerStartup BtreePage BufferIo CheckpointDelayComplete CheckpointDelayStart CheckpointDone CheckpointStart
    ExecuteGather HashBatchAllocate HashBatchElect HashBatchLoad HashBuildAllocate HashBuildElect HashBuildHashInner
    HashBuildHashOuter HashGrowBatchesDecide HashGrowBatchesElect HashGrowBatchesFinish HashGrowBatchesReallocate
    HashGrowBatchesRepartition HashGrowBucketsElect HashGrowBucketsReallocate HashGrowBucketsReinsert
    LogicalApplySendData LogicalParallelApplyStateChange LogicalSyncData LogicalSyncStateChange MessageQueueInternal
    MessageQueuePutMessage MessageQueueReceive MessageQueueSend MultixactCreation ParallelBitmapScan
    ParallelCreateIndexScan ParallelFinish ProcSignalBarrier ProcarrayGroupUpdate Promote RecoveryConflictSnapshot
    RecoveryConflictTablespace RecoveryEndCommand RecoveryPause ReplicationOriginDrop ReplicationSlotDrop
    RestoreCommand SafeSnapshot SyncRep WalReceiverExit WalReceiverUpstreamCatchup WalReceiverWaitStart
    WalSummaryReady XactGroupUpdate`,
  LWLock: `
    AddinShmemInit AioUringCompletion AioWorkerSubmissionQueue AutoFile Autovacuum AutovacuumSchedule
    BackgroundWorker BtreeVacuum BufferContent BufferMapping CheckpointerComm CommitTs CommitTsBuffer CommitTsSLRU
    ControlFile DSMRegistry DSMRegistryDSA DSMRegistryHash DynamicSharedMemoryControl InjectionPoint LockFastPath
    LockManager LogicalRepLauncherDSA LogicalRepLauncherHash LogicalRepWorker MultiXactGen MultiXactMemberBuffer
    MultiXactMemberSLRU MultiXactOffsetBuffer MultiXactOffsetSLRU MultiXactTruncation NotifyBuffer NotifyQueue
    NotifyQueueTail NotifySLRU OidGen ParallelAppend ParallelBtreeScan ParallelHashJoin ParallelQueryDSA
    ParallelVacuumDSA PerSessionDSA PerSessionRecordType PerSessionRecordTypmod PerXactPredicateList PgStatsDSA
    PgStatsData PgStatsHash PredicateLockManager ProcArray RelCacheInit RelationMapping ReplicationOrigin
    ReplicationOriginState ReplicationSlotAllocation ReplicationSlotControl ReplicationSlotIO SInvalRead SInvalWrite
    SerialBuffer SerialControl SerialSLRU SerializableFinishedList SerializablePredicateList SerializableXactHash
    SharedTidBitmap SharedTupleStore ShmemIndex SubtransBuffer SubtransSLRU SyncRep SyncScan TablespaceCreate
    TwoPhaseState WALBufMapping WALInsert WALSummarizer WALWrite WaitEventCustom WrapLimitsVacuum XactBuffer
    XactSLRU XactTruncation XidGen`,
  Lock: `
    advisory applytransaction extend frozenid object page relation spectoken transactionid tuple userlock virtualxid`,
  Timeout: `
    BaseBackupThrottle CheckpointWriteDelay PgSleep RecoveryApplyDelay RecoveryRetrieveRetryInterval
    RegisterSyncRequest SpinDelay VacuumDelay VacuumTruncate WalSummarizerError`,
};

/**
 * Older names that differ by more than spelling. Most changed in 13, which gave locks and tranches one style. In 14,
 * the wait for another session's I/O on a buffer became an IPC event.
 *
 * Sources: the tables of wait events in the manuals of 10 to 18, and the names in the binaries of 11, 13, 14, 15 and
 * 16.
 */
const renamed: Readonly<Record<string, string>> = {
  'LWLock:async': 'LWLock:NotifyBuffer',
  'LWLock:AsyncCtlLock': 'LWLock:NotifySLRU',
  'LWLock:AsyncQueueLock': 'LWLock:NotifyQueue',
  'LWLock:buffer_io': 'IPC:BufferIo',
  'LWLock:BufferIO': 'IPC:BufferIo',
  'LWLock:clog': 'LWLock:XactBuffer',
  'LWLock:CLogControlLock': 'LWLock:XactSLRU',
  'LWLock:CLogTruncationLock': 'LWLock:XactTruncation',
  'LWLock:commit_timestamp': 'LWLock:CommitTsBuffer',
  'LWLock:CommitTsControlLock': 'LWLock:CommitTsSLRU',
  'LWLock:multixact_member': 'LWLock:MultiXactMemberBuffer',
  'LWLock:MultiXactMemberControlLock': 'LWLock:MultiXactMemberSLRU',
  'LWLock:multixact_offset': 'LWLock:MultiXactOffsetBuffer',
  'LWLock:MultiXactOffsetControlLock': 'LWLock:MultiXactOffsetSLRU',
  'LWLock:oldserxid': 'LWLock:SerialBuffer',
  'LWLock:OldSerXidLock': 'LWLock:SerialSLRU',
  'LWLock:proc': 'LWLock:LockFastPath',
  'LWLock:replication_origin': 'LWLock:ReplicationOriginState',
  'LWLock:SerializablePredicateLockListLock': 'LWLock:SerializablePredicateList',
  'LWLock:serializable_xact': 'LWLock:PerXactPredicateList',
  'LWLock:session_dsa': 'LWLock:PerSessionDSA',
  'LWLock:session_record_table': 'LWLock:PerSessionRecordType',
  'LWLock:session_typmod_table': 'LWLock:PerSessionRecordTypmod',
  'LWLock:subtrans': 'LWLock:SubtransBuffer',
  'LWLock:SubtransControlLock': 'LWLock:SubtransSLRU',
  'LWLock:tbm': 'LWLock:SharedTidBitmap',
  'Lock:speculative token': 'Lock:spectoken',
  'IPC:ClogGroupUpdate': 'IPC:XactGroupUpdate',
  'IPC:Hash/Batch/Allocating': 'IPC:HashBatchAllocate',
  'IPC:Hash/Batch/Electing': 'IPC:HashBatchElect',
  'IPC:Hash/Batch/Loading': 'IPC:HashBatchLoad',
  'IPC:Hash/Build/Allocating': 'IPC:HashBuildAllocate',
  'IPC:Hash/Build/Electing': 'IPC:HashBuildElect',
  'IPC:Hash/Build/HashingInner': 'IPC:HashBuildHashInner',
  'IPC:Hash/Build/HashingOuter': 'IPC:HashBuildHashOuter',
  'IPC:Hash/GrowBatches/Allocating': 'IPC:HashGrowBatchesReallocate',
  'IPC:Hash/GrowBatches/Deciding': 'IPC:HashGrowBatchesDecide',
  'IPC:Hash/GrowBatches/Electing': 'IPC:HashGrowBatchesElect',
  'IPC:Hash/GrowBatches/Finishing': 'IPC:HashGrowBatchesFinish',
  'IPC:Hash/GrowBatches/Repartitioning': 'IPC:HashGrowBatchesRepartition',
  'IPC:Hash/GrowBuckets/Allocating': 'IPC:HashGrowBucketsReallocate',
  'IPC:Hash/GrowBuckets/Electing': 'IPC:HashGrowBucketsElect',
  'IPC:Hash/GrowBuckets/Reinserting': 'IPC:HashGrowBucketsReinsert',
  'IPC:HashGrowBatchesAllocate': 'IPC:HashGrowBatchesReallocate',
  'IPC:HashGrowBucketsAllocate': 'IPC:HashGrowBucketsReallocate',
};

const canonical = new Map(
  Object.entries(newest)
    .flatMap(([type, names]) =>
      names
        .trim()
        .split(/\s+/)
        .map((name) => `${type}:${name}`),
    )
    .map((name) => [folded(name), name]),
);

/** Versions differ in capitals, in underscores and, up to 12, in whether names of locks end in `Lock`. */
function folded(spelling: string): string {
  return spelling
    .toLowerCase()
    .replaceAll('_', '')
    .replace(/^(lwlock:.+)lock$/, '$1');
}

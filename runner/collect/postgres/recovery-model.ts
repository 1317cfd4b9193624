/** Bytes of WAL that a server replays in a second: 73 MB took 0.23 s on two cores (test/integration/recovery.test.ts). */
const replayBytesPerSecond = 300e6;

/**
 * How long a server that crashes would take until it lets clients in again. It replays the WAL since the start of the last
 * checkpoint that ended, and then writes all changed pages, as a checkpoint at the end of recovery.
 *
 * The model counts one I/O for each page that is dirty now. The volume may merge neighbouring pages, so that it takes half of
 * that; pages that were written since the checkpoint, and that replay changes again, take more. WAL is read from memory, as
 * after the crash of a server whose machine goes on.
 *
 * @param dataIops limit of the volume of the data
 * @returns seconds
 * @see StartupXLOG in src/backend/access/transam/xlog.c of PostgreSQL
 */
export function recoverySeconds(debt: { walBytes: number; dirtyBuffers: number; dataIops: number }): number {
  return debt.walBytes / replayBytesPerSecond + debt.dirtyBuffers / debt.dataIops;
}

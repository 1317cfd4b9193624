import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import type { DiskOperation, WriteLog } from './write-log.ts';

type DiskWrite = Extract<DiskOperation, { kind: 'write' }>;

/** So many zeros in a row make a hole. */
const holeBytes = 64 * 1024;

/**
 * What a disk holds after power cuts, one moment after another. What it was told to flush is there. Of what was written
 * since then, it has any part: it may have kept the rest in its own memory, and written the last of it first.
 */
export class DiskAfterCuts {
  private readonly log: WriteLog;
  private readonly disk: Buffer;
  private done = 0;
  private unflushed: DiskWrite[] = [];

  constructor(log: WriteLog, sizeBytes: number) {
    this.log = log;
    this.disk = Buffer.alloc(sizeBytes);
  }

  /**
   * @param operations how many the disk had carried out; no fewer than the last time
   * @param isKept draws whether a write that was not flushed is there
   * @param file receives the content of the disk
   */
  writeImage(operations: number, isKept: () => boolean, file: string): void {
    for (; this.done < operations; this.done += 1) {
      const operation = this.log.operations[this.done];
      if (operation?.kind === 'write') this.unflushed.push(operation);
      if (operation?.kind !== 'flush') continue;
      for (const write of this.unflushed) this.dataOf(write).copy(this.disk, write.at);
      this.unflushed = [];
    }
    const image = openSync(file, 'wx', 0o600);
    try {
      ftruncateSync(image, this.disk.length);
      for (let at = 0; at < this.disk.length; at += holeBytes) {
        const part = this.disk.subarray(at, at + holeBytes);
        if (part.some((byte) => byte !== 0)) writeSync(image, part, 0, part.length, at);
      }
      for (const write of this.unflushed) {
        if (isKept()) writeSync(image, this.dataOf(write), 0, write.bytes, write.at);
      }
    } finally {
      closeSync(image);
    }
  }

  private dataOf({ dataAt, bytes }: DiskWrite): Buffer {
    return this.log.read(dataAt, bytes);
  }
}

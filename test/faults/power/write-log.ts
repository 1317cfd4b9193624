import { closeSync, openSync, readSync } from 'node:fs';

/** One operation of a disk, as it was recorded. */
export type DiskOperation =
  { kind: 'write'; at: number; bytes: number; dataAt: number } | { kind: 'flush' } | { kind: 'discard' };

const sectorBytes = 512;
const magic = 0x6a736677736872n;
/** Linux: Documentation/admin-guide/device-mapper/log-writes.rst. QEMU writes the same. */
const flag = { flush: 1n, discard: 4n };

/** Reads what QEMU's `blklogwrites` has recorded so far: every write of a disk with its data, and every flush, in order. */
export class WriteLog {
  readonly operations: DiskOperation[] = [];
  private readonly descriptor: number;
  private next = sectorBytes;

  constructor(file: string) {
    this.descriptor = openSync(file, 'r');
  }

  /** Reads what was added since the last time. @returns how many operations there are */
  readOn(): number {
    const [head] = [this.read(0, sectorBytes)];
    if (head.readBigUInt64LE(0) !== magic) throw new Error('there is no log of writes');
    for (;;) {
      const entry = this.read(this.next, sectorBytes);
      const [sector = 0n, sectors = 0n, flags = 0n] = [0, 8, 16].map((at) => entry.readBigUInt64LE(at));
      // An entry that is not there yet is a hole.
      if (sectors === 0n && flags === 0n) return this.operations.length;
      this.next += sectorBytes;
      if ((flags & flag.discard) !== 0n) {
        this.operations.push({ kind: 'discard' });
        continue;
      }
      if (sectors > 0n) {
        const [at, bytes] = [Number(sector) * sectorBytes, Number(sectors) * sectorBytes];
        this.operations.push({ kind: 'write', at, bytes, dataAt: this.next });
        this.next += bytes;
      }
      if ((flags & flag.flush) !== 0n) this.operations.push({ kind: 'flush' });
    }
  }

  read(at: number, bytes: number): Buffer {
    const data = Buffer.alloc(bytes);
    readSync(this.descriptor, data, 0, bytes, at);
    return data;
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

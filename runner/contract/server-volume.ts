/** A volume that a server works on, as the machine that counts its I/O sees it. */
export interface ServerVolume {
  /** What the server keeps there: `data` (with the WAL, if that has no volume of its own) `log`, or `standby1` for all of a standby. */
  name: string;
  /** Its block device, as MAJ:MIN below /sys/dev/block; null for a plain folder, whose disk others use, too. */
  device: string | null;
  /** I/Os per second; null if they are not limited. */
  iopsLimit: number | null;
  /** Bytes per second; null if they are not limited. */
  throughputLimit: number | null;
}

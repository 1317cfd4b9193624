/** The volumes of a variant as it declares them, in the same form at every place. Absent IOPS have no limit. */
export interface DeclaredVolumes {
  /** Type of the volumes in the words of AWS; null on other disks. */
  type: string | null;
  /** null where nobody says it. */
  sizeGib: number | null;
  iops?: number | undefined;
  /** The volume of the WAL alone; null if it shares that of the data. */
  log: { iops?: number | undefined } | null;
  /** Standbys that are declared with the storage, without those that a deployment has by itself; null for none. */
  standbys: { count: number; iops?: number | undefined } | null;
}

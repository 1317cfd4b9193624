/** What a variant asks of a volume. Without limits the volume is as fast as the disk below it. */
export interface VolumeRequest {
  /** Unique in one run; lower-case letters, digits and hyphens, such as `with-dlv-log`. */
  name: string;
  sizeGib: number;
  iops?: number | undefined;
  throughputMibps?: number | undefined;
}

/** A mounted folder of its own, made without limits: they hold from the first `limit(true)`. */
export interface Volume {
  request: VolumeRequest;
  /** An empty folder, owned by the user that the servers run as. */
  path: string;
  /** Limits on (trials) or off (loading), live; a no-op where there is no limit. */
  limit(on: boolean): Promise<void>;
  /**
   * A short direct-write test with the limit on, at queue depth 1 and 16; null where nothing is limited. Leaves the limit
   * as it was.
   */
  verify(signal: AbortSignal): Promise<VolumeCheck | null>;
  /** Aborts, with the reason, when the volume breaks under its server: every I/O on it fails from then on. */
  failed: AbortSignal;
  /** By which the limits of a volume that was kept can be changed later; null where nothing is limited. */
  qmpSocket: string | null;
}

export interface VolumeCheck {
  volume: string;
  /** What the limits come to in writes of `writeBytes` per second: throughput may be the tighter one. */
  requestedIops: number;
  writeBytes: number;
  /** Queue depth -> writes per second that were measured. */
  measuredIops: Record<number, number>;
}

export type VolumesKind = 'limited' | 'folders';

/** Makes the volumes of one run inside the run's folder, and takes them away again. */
export interface Volumes {
  kind: VolumesKind;
  /** What such volumes cannot show, in a sentence for plan, terminal and report; null where there is nothing to say. */
  caveat: string | null;
  create(request: VolumeRequest, signal: AbortSignal): Promise<Volume>;
  /** Unmounts, detaches and ends all that `create` made; may be called again; the servers on them must be stopped. */
  remove(): Promise<void>;
}

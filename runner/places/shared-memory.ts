import type { ParameterValue } from '../contract/experiment/variant.ts';
import { bytesOf } from '../postgres/parameters/judge.ts';

/** The rest is for everything else: connections, the kernel and its cache and, on this machine, the load generator. */
export const maxBufferShare = 0.9;

/** Whether a machine with this memory can start servers that have these shared buffers. PostgreSQL takes all of them at once. */
export function holdsBuffers(bufferBytes: number, memoryBytes: number): boolean {
  return bufferBytes <= memoryBytes * maxBufferShare;
}

/** shared_buffers in bytes, in pages if it names no unit; null for what is not a size, such as a formula of RDS. */
export function bufferBytes(sharedBuffers: ParameterValue): number | null {
  return bytesOf(sharedBuffers, pageUnit);
}

const pageUnit = '8kB';

/** Size of a page, in which servers count shared buffers. */
export const pageBytes = 8192;

export function gibText(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}

import { createHash } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { openFile } from './read.ts';

type Algorithm = 'sha1' | 'sha256';

/**
 * Hash of the content of a file, in hexadecimal digits. It blocks this process, so use it only for files that are not
 * large.
 */
export function hashOfFile(file: string, algorithm: Algorithm = 'sha256'): string {
  const hashing = hashByParts(file, algorithm);
  for (;;) {
    const { done, value } = hashing.next();
    if (done) return value;
  }
}

/**
 * The same for a file of any size.
 *
 * @param signal aborts it; the signal's reason is thrown
 */
export async function hashOfLargeFile(
  file: string,
  signal: AbortSignal,
  algorithm: Algorithm = 'sha256',
): Promise<string> {
  const hashing = hashByParts(file, algorithm);
  try {
    for (;;) {
      const { done, value } = hashing.next();
      if (done) return value;
      // Yields, so that a Ctrl-C is handled between two parts.
      await setImmediate();
      signal.throwIfAborted();
    }
  } finally {
    hashing.return('');
  }
}

/** Reads part by part, since a file may be larger than the memory. */
function* hashByParts(file: string, algorithm: Algorithm): Generator<void, string> {
  const { descriptor } = openFile(file);
  try {
    const hash = createHash(algorithm);
    const part = Buffer.allocUnsafe(2 ** 20);
    for (;;) {
      const count = readSync(descriptor, part, 0, part.length, null);
      if (count === 0) return hash.digest('hex');
      hash.update(part.subarray(0, count));
      yield;
    }
  } finally {
    closeSync(descriptor);
  }
}

import { createHash } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import { openFile } from './read.ts';

/** Hash of what is in a file, in hexadecimal digits. It is read part by part: it may be larger than the memory. */
export function hashOfFile(file: string, algorithm: 'sha1' | 'sha256' = 'sha256'): string {
  const { descriptor } = openFile(file);
  try {
    const hash = createHash(algorithm);
    const part = Buffer.allocUnsafe(2 ** 20);
    for (let count = 1; count > 0;) {
      count = readSync(descriptor, part, 0, part.length, null);
      hash.update(part.subarray(0, count));
    }
    return hash.digest('hex');
  } finally {
    closeSync(descriptor);
  }
}

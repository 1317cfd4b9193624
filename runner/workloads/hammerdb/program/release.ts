import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UserError } from '../../../contract/errors.ts';
import { hashOfLargeFile } from '../../../files/hash.ts';
import { writeStream } from '../../../files/stream.ts';

export interface Release {
  url: string;
  /** As the project publishes it. */
  sha1: string;
}

/** The release for Amazon Linux 2023 that a driver takes if the experiment brings none. */
export const pinnedRelease: Release = {
  url: 'https://github.com/TPC-Council/HammerDB/releases/download/v6.1.1/HammerDB-6.1.1-Prod-Lin-RHEL9-x64.tar.gz',
  sha1: '65cf7c3f46910e751e95bd221254642b19566ac5',
};

const remedy =
  'Download a release for Linux from https://github.com/TPC-Council/HammerDB/releases yourself, and name it in workload.archive.';
const mostMinutes = 10;

/**
 * Downloads a release into a file.
 *
 * @param signal ends it with its reason
 * @throws {UserError} if it cannot be had, or is not what was published
 */
export async function downloadRelease({ url, sha1 }: Release, file: string, signal: AbortSignal): Promise<void> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(mostMinutes * 60_000)]) });
    if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
    await pipeline(Readable.fromWeb(response.body), writeStream(file, { mode: 0o600 }));
  } catch (error) {
    signal.throwIfAborted();
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? cause.message : message;
    throw new UserError(`HammerDB could not be downloaded from ${url} (${why}). ${remedy}`, { cause: error });
  }
  const found = await hashOfLargeFile(file, signal, 'sha1');
  if (found !== sha1) {
    throw new UserError(
      `The file from ${url} is not the published release: its SHA-1 is ${found}, expected ${sha1}. It was not used. ${remedy}`,
    );
  }
}

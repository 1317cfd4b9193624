import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, vi } from 'vitest';

/** A folder for all tests of the file that calls this, which goes with them. */
export function folderForAll(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'tests-'));
  // Programs in it may run as another user.
  chmodSync(folder, 0o711);
  afterAll(() => rmSync(folder, { recursive: true, maxRetries: 10 }));
  return folder;
}

/**
 * A TMPDIR of its own for each test of the file that calls this: what our code makes there is nobody else's, and goes with it.
 *
 * @returns gives its path while a test runs
 */
export function ownTemporaryFolder(): () => string {
  let temporary: string;
  beforeEach(() => {
    temporary = realpathSync(mkdtempSync(path.join(tmpdir(), 'test-')));
    // Programs in it may run as another user.
    chmodSync(temporary, 0o711);
    vi.stubEnv('TMPDIR', temporary);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(temporary, { recursive: true });
  });
  return () => temporary;
}

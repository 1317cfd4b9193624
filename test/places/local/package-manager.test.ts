import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { aptCommands, carryOutInstallation } from '../../../runner/places/local/package-manager.ts';

let folder: string;
const done = (name: string): string => path.join(folder, `${name} is done`);
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'package-manager-test-'));
  // It takes longer than what a program gets that is stopped, and never comes to its end when it is.
  const program = path.join(folder, 'apt-get');
  writeFileSync(
    program,
    `#!/bin/sh
for word; do case "$word" in update | install) verb=$word ;; esac; done
: > "${folder}/$verb has begun"
[ $verb = update ] || sleep 5
: > "${folder}/$verb is done"
`,
  );
  chmodSync(program, 0o755);
  vi.stubEnv('PATH', `${folder}:${process.env['PATH'] ?? ''}`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

describe('an installation that is interrupted', () => {
  it('lets the package manager that has begun come to its end, says so, and is interrupted then', async () => {
    const printed: string[] = [];
    const interruption = new AbortController();
    const installing = carryOutInstallation(aptCommands(['x']), (line) => printed.push(line), interruption.signal);
    const outcome = expect(installing).rejects.toThrow('interrupted by SIGINT');
    await vi.waitFor(() => expect(existsSync(path.join(folder, 'install has begun'))).toBe(true), 10_000);
    interruption.abort(new Error('interrupted by SIGINT'));
    await outcome;
    expect(existsSync(done('install'))).toBe(true);
    expect(printed).toEqual([expect.stringMatching(/^pgduet exits as soon as this finishes: apt-get .* x$/)]);
  });

  it('begins no further command', async () => {
    const interruption = new AbortController();
    interruption.abort(new Error('interrupted by SIGINT'));
    await expect(carryOutInstallation(aptCommands(['x']), () => undefined, interruption.signal)).rejects.toThrow();
    expect(existsSync(path.join(folder, 'update has begun'))).toBe(false);
  });
});

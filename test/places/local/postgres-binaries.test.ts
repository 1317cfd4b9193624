import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPostgresBinaries } from '../../../runner/places/local/choose-binaries.ts';
import { hasStatementsLibrary } from '../../../runner/places/local/start-server.ts';
import { pgbenchVersion } from '../../../runner/workloads/pgbench/driver.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'binaries-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function provide(version: string, ...programs: string[]): void {
  for (const program of programs) {
    writeFileSync(path.join(folder, program), `#!/bin/sh\necho '${program} (PostgreSQL) ${version}'\n`, {
      mode: 0o755,
    });
  }
}

const find = (environment: Record<string, string> = {}) =>
  findPostgresBinaries({ explicit: [folder], environment, signal: new AbortController().signal });

describe('a folder of PostgreSQL that was named', () => {
  it.each(['14.0', '15.18', '17.10 (Debian 17.10-1.pgdg12+1)', '18beta1'])('is used: %s', async (version) => {
    provide(version, 'postgres', 'initdb', 'pgbench');
    expect(await find()).toEqual({
      folder,
      version: version.split(' ')[0],
      major: Number.parseInt(version),
    });
  });

  it('is refused without pgbench, with the command to install it', async () => {
    provide('15.18', 'postgres', 'initdb');
    await expect(find()).rejects.toThrow(/has no pgbench\. Name the folder .*, or install it: .*(postgres|package)/);
  });

  it.each([
    ['13.22', /PostgreSQL 13\.22 is too old; expected PostgreSQL 14 to 19/],
    ['9.6.24', /PostgreSQL 9\.6\.24 is too old/],
  ])('is refused when it holds %s', async (version, message) => {
    provide(version, 'postgres', 'initdb', 'pgbench');
    await expect(find()).rejects.toThrow(message);
  });

  it('is refused, not passed over, when it comes from the environment', async () => {
    const named = findPostgresBinaries({
      environment: { PGDUET_PG_BINDIR: folder, PATH: process.env['PATH'] },
      signal: new AbortController().signal,
    });
    await expect(named).rejects.toThrow(`PGDUET_PG_BINDIR is ${folder}: has no postgres, no initdb, no pgbench`);
  });
});

describe('a folder in PATH', () => {
  const witness = (): string => path.join(folder, 'was-run');
  beforeEach(() => {
    for (const program of ['postgres', 'initdb', 'pgbench', 'pg_config']) {
      const script = `#!/bin/sh\ntouch '${witness()}'\necho '${program} (PostgreSQL) 15.18'\n`;
      writeFileSync(path.join(folder, program), script, { mode: 0o755 });
    }
  });
  const search = (PATH: string) =>
    findPostgresBinaries({ environment: { PATH }, signal: new AbortController().signal, versioned: [] });

  it('is used', async () => {
    expect(await search(folder)).toMatchObject({ folder });
  });

  it('is not run where everybody may write to it, but named', async () => {
    chmodSync(folder, 0o777);
    await expect(search(folder)).rejects.toThrow(
      `${folder}: its postgres is reached through ${folder}, which can be written by other users; if you trust it, name the folder (--pg-bindir)`,
    );
    expect(existsSync(witness())).toBe(false);
  });

  it('is not run where it is relative to the working folder', async () => {
    await expect(search(path.relative(process.cwd(), folder))).rejects.toThrow('was not found');
    expect(existsSync(witness())).toBe(false);
  });
});

describe('a program that does not answer', () => {
  const environment = { PGDUET_PG_BINDIR: undefined, PATH: '' };
  beforeEach(() => {
    for (const program of ['postgres', 'initdb', 'pgbench', 'pg_config']) {
      writeFileSync(path.join(folder, program), '#!/bin/sh\nexec sleep 300\n', { mode: 0o755 });
    }
    environment.PATH = `${folder}:${process.env['PATH'] ?? ''}`;
  });

  it.each([
    [
      'a program of PostgreSQL',
      (signal: AbortSignal) => findPostgresBinaries({ explicit: [folder], environment, signal }),
    ],
    ['pg_config', (signal: AbortSignal) => findPostgresBinaries({ environment, signal, versioned: [] })],
    ['pg_config of a server', (signal: AbortSignal) => hasStatementsLibrary({ folder }, signal)],
    ['pgbench', (signal: AbortSignal) => pgbenchVersion(folder, { signal })],
  ])('keeps nobody from hearing Ctrl-C: %s', async (_, ask) => {
    const interruption = new AbortController();
    setTimeout(() => interruption.abort(new Error('interrupted')), 300);
    await expect(ask(interruption.signal)).rejects.toThrow('interrupted');
  });

  it('is waited for ten seconds, and named', async () => {
    await expect(find()).rejects.toThrow(
      `--pg-bindir is ${folder}: ${folder}/postgres --version did not answer within 10 s`,
    );
  }, 20_000);
});

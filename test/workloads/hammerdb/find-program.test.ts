import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { UserError } from '../../../runner/contract/errors.ts';
import { findProgram, type ProgramRequest } from '../../../runner/workloads/hammerdb/program/find-program.ts';
import { standIn } from '../../helpers/hammerdb/stand-in.ts';
import { ownTemporaryFolder } from '../../helpers/own-temporary-folder.ts';

const never = new AbortController().signal;
const temporary = ownTemporaryFolder();
let server: Server;
let archive: string;
let asked: number;
beforeEach(async () => {
  asked = 0;
  const install = path.join(temporary(), 'HammerDB-6.1.1');
  renameSync(standIn({}), install);
  archive = path.join(temporary(), 'release.tar.gz');
  execFileSync('tar', ['--create', '--gzip', `--file=${archive}`, `--directory=${temporary()}`, 'HammerDB-6.1.1']);
  server = createServer((request, response) => {
    asked += 1;
    if (request.url === '/gone') response.writeHead(404).end();
    else if (request.url === '/busy' && asked === 1) response.writeHead(503).end();
    else if (request.url === '/broken' && asked === 1) {
      response.writeHead(200, { 'Content-Length': 1000 }).write('beginning', () => response.destroy());
    } else if (request.url !== '/silent') response.end(readFileSync(archive));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

function find(changes: Partial<ProgramRequest> & { url?: string; sha1?: string } = {}): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const sha1 = createHash('sha1').update(readFileSync(archive)).digest('hex');
  return findProgram({
    archive: undefined,
    environment: { XDG_CACHE_HOME: path.join(temporary(), 'cache'), ...changes.environment },
    downloadUntil: changes.downloadUntil,
    signal: changes.signal ?? new AbortController().signal,
    installs: changes.installs ?? path.join(temporary(), 'none'),
    release: { url: `http://127.0.0.1:${port}${changes.url ?? '/release'}`, sha1: changes.sha1 ?? sha1 },
    ...(changes.archive === undefined ? {} : { archive: changes.archive }),
  });
}

it('takes what the experiment brings before anything else', async () => {
  const found = await find({ archive, environment: { PGDUET_HAMMERDB: '/elsewhere' } });
  expect(path.basename(found)).toBe('HammerDB-6.1.1');
  // As root, HammerDB runs as another user.
  expect(statSync(path.dirname(found)).mode & 0o777).toBe(process.getuid?.() === 0 ? 0o755 : 0o700);
  expect(await find({ archive })).toBe(found);
});

it('takes what the environment names, and refuses what is no HammerDB', async () => {
  const install = path.join(temporary(), 'HammerDB-6.1.1');
  expect(await find({ environment: { PGDUET_HAMMERDB: install }, installs: '/none' })).toBe(install);
  await expect(find({ environment: { PGDUET_HAMMERDB: '/elsewhere' } })).rejects.toThrow(
    'PGDUET_HAMMERDB is /elsewhere, which does not contain hammerdbcli',
  );
});

it('takes the newest install of this machine', async () => {
  const installs = path.join(temporary(), 'opt');
  for (const version of ['4.9', '4.12', '4.10']) {
    mkdirSync(path.join(installs, `HammerDB-${version}`), { recursive: true });
    writeFileSync(path.join(installs, `HammerDB-${version}`, 'hammerdbcli'), '');
  }
  mkdirSync(path.join(installs, 'HammerDB-9'));
  expect(await find({ installs })).toBe(path.join(installs, 'HammerDB-4.12'));
});

it('downloads nothing unless it may, and says what to do', async () => {
  await expect(find()).rejects.toThrow(UserError);
  await expect(find()).rejects.toThrow(/was not found\. Download .* PGDUET_HAMMERDB, or name the archive/);
  expect(asked).toBe(0);
});

it('downloads the release that it knows, once', async () => {
  const found = await find({ downloadUntil: never });
  expect(path.basename(found)).toBe('HammerDB-6.1.1');
  expect(await find({ downloadUntil: never })).toBe(found);
  expect(asked).toBe(1);
});

it.each(['/busy', '/broken'])('downloads it again after a failure that may pass (%s)', async (url) => {
  expect(path.basename(await find({ downloadUntil: never, url }))).toBe('HammerDB-6.1.1');
  expect(asked).toBe(2);
});

it('uses nothing that is not the published release', async () => {
  const wrong = '0'.repeat(40);
  await expect(find({ downloadUntil: never, sha1: wrong })).rejects.toThrow(
    new RegExp(`is not the published release: its SHA-1 is [0-9a-f]{40}, expected ${wrong}`),
  );
  await expect(find({ downloadUntil: never, sha1: wrong })).rejects.toThrow(UserError);
  expect(asked).toBe(2);
});

it('says what to do if there is no path to the release', async () => {
  await expect(find({ downloadUntil: never, url: '/gone' })).rejects.toThrow(
    /Could not download HammerDB from .*HTTP 404.* name it in workload.archive/,
  );
});

it('ends a download that nobody answers when the run ends, with the reason of its end', async () => {
  const run = new AbortController();
  const found = find({ downloadUntil: run.signal, url: '/silent' });
  await expect.poll(() => asked).toBe(1);
  run.abort(new Error('interrupted by SIGINT'));
  await expect(found).rejects.toThrow('interrupted by SIGINT');
  server.closeAllConnections();
});

it.each([
  ['text', 'not an archive'],
  ['empty', ''],
])('refuses an archive that is none (%s)', async (_, text) => {
  const file = path.join(temporary(), 'other.tar.gz');
  writeFileSync(file, text);
  await expect(find({ archive: file })).rejects.toThrow(UserError);
});

it('refuses an archive without HammerDB in it', async () => {
  const file = path.join(temporary(), 'other.tar.gz');
  execFileSync('tar', ['--create', '--gzip', `--file=${file}`, `--directory=${temporary()}`, 'release.tar.gz']);
  await expect(find({ archive: file })).rejects.toThrow(/does not contain hammerdbcli/);
});

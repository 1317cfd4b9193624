import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { createGzip } from 'node:zlib';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readTransactionLogs } from '../../../runner/workloads/pgbench/log/digest-log.ts';

vi.mock('node:zlib', { spy: true });

function folderWithLog(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'logs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, 'pgbench_log.7'), '0 1 2500 0 1760000000 1000\n0 2 1500 0 1760000000 3000\n');
  return folder;
}

it('the logs of a trial are compressed once they are read', async () => {
  const folder = folderWithLog();
  expect(await readTransactionLogs(folder, { hasLag: false })).toMatchObject({ transactions: 2 });
  expect(readdirSync(folder)).toEqual(['pgbench_log.7.gz']);
});

it('a log that cannot be compressed, such as on a full disk, stays, and no part of a file beside it', async () => {
  const folder = folderWithLog();
  const broken = new PassThrough({ transform: (_, __, done) => done(new Error('no space left')) });
  vi.mocked(createGzip).mockReturnValueOnce(broken as never);
  await expect(readTransactionLogs(folder, { hasLag: false })).rejects.toThrow('no space left');
  expect(readdirSync(folder)).toEqual(['pgbench_log.7']);
});

import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { followLog } from '../../../runner/places/local/local-variant.ts';

function logWith(text: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'follow-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, 'log'), text);
  return path.join(folder, 'log');
}

it('gives the wanted lines of what is written from then on, and shortly before', async () => {
  const file = logWith(`old checkpoint\n${'x\n'.repeat(200_000)}recent checkpoint\n`);
  const log = await followLog(file);
  appendFileSync(file, 'other\nnew checkpoint\nnot yet whole check');
  expect(await log.lines((line) => line.includes('checkpoint'))).toEqual(['recent checkpoint', 'new checkpoint']);
});

it('of a log that is gone says so', async () => {
  const file = logWith('');
  const log = await followLog(file);
  rmSync(file);
  await expect(log.lines(() => true)).rejects.toThrow(`${file} cannot be read: it does not exist.`);
  await expect(followLog(file)).rejects.toThrow(`${file} cannot be read: it does not exist.`);
});

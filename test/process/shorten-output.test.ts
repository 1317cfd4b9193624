import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { keptBytes, shortenOutput } from '../../runner/process/shorten-output.ts';
import { ownTemporaryFolder } from '../helpers/own-temporary-folder.ts';

const temporary = ownTemporaryFolder();
const isProgress = (line: string): boolean => line.startsWith('progress: ');
const progressIn = (line: string): string | null => /progress: \d+$/.exec(line)?.[0] ?? null;

it('leaves out the middle of a long output, but for the lines that must stay, and says how much', async () => {
  const file = path.join(temporary(), 'stderr.log');
  const lines = Array.from({ length: 300_000 }, (_, index) =>
    index % 10_000 === 0 ? `progress: ${index}` : `NOTICE:  nöthing ${index} of it`,
  );
  const whole = `${lines.join('\n')}\n`;
  writeFileSync(file, whole);
  const bytes = Buffer.byteLength(whole);
  expect(await shortenOutput(file, progressIn)).toBe(bytes);

  const left = readFileSync(file, 'utf8').split('\n');
  const place = left.findIndex((line) => line.endsWith(' bytes omitted)'));
  const claimed = Number(left[place]?.replace(/\D/g, ''));
  expect(left.slice(0, place)).toEqual(lines.slice(0, place));
  const tail = left.slice(place + 1).filter((line) => !isProgress(line));
  expect(tail).toEqual([...lines.filter((line) => !isProgress(line)).slice(-tail.length + 1), '']);
  expect(left.filter(isProgress)).toEqual(lines.filter(isProgress));
  expect(Buffer.byteLength(left.join('\n')) - Buffer.byteLength(`${left[place]}\n`) + claimed).toBe(bytes);
  expect(claimed).toBeGreaterThan(bytes - 2 * keptBytes.each - 100_000);

  expect(await shortenOutput(file, progressIn)).toBeLessThan(bytes);
  expect(readFileSync(file, 'utf8')).toBe(left.join('\n'));
});

it('leaves a short output as it is', async () => {
  const file = path.join(temporary(), 'stderr.log');
  writeFileSync(file, 'a\nb\n');
  expect(await shortenOutput(file, () => null)).toBe(4);
  expect(readFileSync(file, 'utf8')).toBe('a\nb\n');
});

it('keeps the part of a line that must stay, however much stands in front of it', async () => {
  const file = path.join(temporary(), 'stderr.log');
  const second = (number: number): string => `${'x'.repeat(1_500_000)}progress: ${number}`;
  writeFileSync(file, `${[1, 2, 3, 4, 5, 6].map(second).join('\n')}\n`);
  await shortenOutput(file, progressIn);
  const left = readFileSync(file, 'utf8').split('\n');
  expect(left.map(progressIn).filter((part) => part !== null)).toEqual([1, 2, 3, 4, 5, 6].map((n) => `progress: ${n}`));
  expect(left.filter(isProgress).length).toBeGreaterThanOrEqual(2);
});

import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { removeCoreDumps } from '../../runner/files/core-dumps.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';

const type = { executable: 2, core: 4 };

function elf(of: number, endian: 'little' | 'big' = 'little'): Buffer {
  const head = Buffer.alloc(64);
  head.write('\x7fELF', 'latin1');
  head[5] = endian === 'little' ? 1 : 2;
  if (endian === 'little') head.writeUInt16LE(of, 16);
  else head.writeUInt16BE(of, 16);
  return head;
}

it('a core dump is removed and named, whatever its name, and nothing else', () => {
  const folder = temporaryFolder();
  const files = {
    core: elf(type.core),
    'pgbench-4711-SIGSEGV': elf(type.core, 'big'),
    'core.txt': 'not one',
    program: elf(type.executable),
    swapped: elf(type.core * 256),
    short: '\x7fELF',
    empty: '',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), content);
  symlinkSync('nowhere', path.join(folder, 'link'));
  expect(removeCoreDumps(folder)).toEqual([
    'A program crashed and left the core dump core. pgduet removed it, because it can contain passwords.',
    'A program crashed and left the core dump pgbench-4711-SIGSEGV. pgduet removed it, because it can contain passwords.',
  ]);
  expect(readdirSync(folder)).toEqual(['core.txt', 'empty', 'link', 'program', 'short', 'swapped']);
});

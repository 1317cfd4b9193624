import path from 'node:path';
import { namesIn } from './look.ts';
import { readPart } from './read.ts';
import { removeFile } from './write.ts';

/**
 * Removes what the system has left of the memory of programs that crashed in a folder, whatever its name
 * (kernel.core_pattern). It holds the password of the database, and results are passed on.
 *
 * @returns a warning for each
 */
export function removeCoreDumps(folder: string): string[] {
  const dumps = namesIn(folder).filter((name) => isCoreDump(path.join(folder, name)));
  return dumps.map((name) => {
    removeFile(path.join(folder, name));
    return `A program crashed and left the core dump ${name}. pgduet removed it, because it can contain passwords.`;
  });
}

/** @see Elf64_Ehdr in elf(5): an ELF file of the type ET_CORE */
function isCoreDump(file: string): boolean {
  let head: Buffer;
  try {
    head = readPart(file, { from: 0, bytes: 18 });
  } catch {
    return false;
  }
  if (head.length < 18 || head.toString('latin1', 0, 4) !== '\x7fELF') return false;
  const isLittleEndian = head[5] === 1;
  return (isLittleEndian ? head.readUInt16LE(16) : head.readUInt16BE(16)) === 4;
}

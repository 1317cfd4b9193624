import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** Folders in which programs are looked for: those of PATH, and the system's own, which not every root has on its PATH. */
export function searchPath(): string[] {
  return [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/sbin', '/sbin'];
}

/** Absolute path of a program; null if this machine does not have it. */
export function pathOfProgram(program: string): string | null {
  const files = searchPath()
    // Others may write to a working folder, so a relative folder in PATH is none to look at.
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, program));
  return files.find(isExecutable) ?? null;
}

/** Whether this user may run a file. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { keepEnd } from './kept-output.ts';

/** Paths of the files that get what a program prints. Both may be the same file. */
export interface OutputFiles {
  stdout: string;
  stderr: string;
}

/** Files that a program writes to, while we look at their ends. */
export interface OpenOutputFiles {
  /** File descriptors for the program. */
  stdout: number;
  stderr: number;
  /** To be called when the program has ended. */
  end(): { stdout: string; stderr: string; printedForSeconds: number };
  /** May be called twice. */
  close(): void;
}

/** How often we look at what is new, and how much of it is read at most: of more than that, the last part. */
const [lookMs, mostRead] = [100, 64 * 1024];

/** Makes the files anew. */
export function openOutputFiles(
  files: OutputFiles,
  lines: { onStdoutLine?: (line: string) => void; onStderrLine?: (line: string) => void },
): OpenOutputFiles {
  const stdout = follow(files.stdout, lines.onStdoutLine);
  const stderr = files.stderr === files.stdout ? stdout : follow(files.stderr, lines.onStderrLine);
  const both = [...new Set([stdout, stderr])];
  const timer = setInterval(() => {
    try {
      for (const one of both) one.look();
    } catch {
      // A disk that fails now is found out at the end.
    }
  }, lookMs).unref();
  let isOpen = true;
  return {
    stdout: stdout.descriptor,
    stderr: stderr.descriptor,
    end() {
      for (const one of both) one.look();
      const printedForSeconds = Math.max(...both.map((one) => one.writtenForSeconds()));
      return { stdout: stdout.text(), stderr: stderr.text(), printedForSeconds };
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      clearInterval(timer);
      for (const { descriptor } of both) closeSync(descriptor);
    },
  };
}

function follow(file: string, onLine?: (line: string) => void) {
  // The program shares the place at which this descriptor writes; we read at places of our own.
  const descriptor = openSync(file, 'w+');
  const began = fstatSync(descriptor).mtimeMs;
  const buffer = Buffer.alloc(mostRead);
  const kept = keepEnd(mostRead, onLine);
  let decoder = new StringDecoder('utf8');
  let position = 0;
  return {
    descriptor,
    look() {
      const { size } = fstatSync(descriptor);
      if (size - position > mostRead) {
        position = size - mostRead;
        decoder = new StringDecoder('utf8');
        kept.skip();
      }
      const read = readSync(descriptor, buffer, 0, Math.min(mostRead, Math.max(0, size - position)), position);
      position += read;
      if (read > 0) kept.take(decoder.write(buffer.subarray(0, read)));
    },
    text: () => kept.text(),
    writtenForSeconds: () => (fstatSync(descriptor).mtimeMs - began) / 1000,
  };
}

import { closeSync, constants, fchmodSync, fchownSync, fstatSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { hasCode, nameFile } from '../contract/errors.ts';
import { removeFile } from '../files/write.ts';

/** Paths of the files that get what a program prints. Both may be the same file. */
export interface OutputFiles {
  stdout: string;
  stderr: string;
  /** Who owns them while the program runs: what it starts may open its output again. @default this user */
  owner?: { uid: number; gid: number };
}

/** What the files of a program have shown when it has ended. */
export interface Printed {
  /** What it printed; of a long output only its end. */
  stdout: string;
  stderr: string;
  /** From its start to its last output, by the clock of the file system: our own process may have been suspended. */
  printedForSeconds: number;
  /** When that last output came, as a Unix time in milliseconds by the same clock. */
  lastPrintedAt: number;
  /** Bytes that were seen to arrive, including those that are no longer in the files. */
  printedBytes: number;
  /** At how many looks each file had lost its content, because something that the program started had emptied it. */
  emptied: { stdout: number; stderr: number };
}

/** Files that a program writes to, while we follow their ends. */
export interface OpenOutputFiles {
  /** File descriptors for the program. */
  stdout: number;
  stderr: number;
  /** To be called when the program has ended. */
  end(): Printed;
  /** May be called twice. */
  close(): void;
}

/** How often we look for new output, and how much of it we read at most. */
const [lookMs, maxRead] = [100, 64 * 1024];
/** If there is more, we read only this much of its end, since reading takes processor time from the load. */
const readOfFlood = 4 * 1024;
/**
 * A look compares this much with what the previous look read. A line of progress, which is never the same twice, is
 * shorter.
 */
const maxCompared = 256;

/** Creates the files anew. */
export function openOutputFiles(
  files: OutputFiles,
  lines: { onStdoutLine?: (line: string) => void; onStderrLine?: (line: string) => void },
): OpenOutputFiles {
  const stdout = follow(files.stdout, lines.onStdoutLine);
  const stderr = files.stderr === files.stdout ? stdout : follow(files.stderr, lines.onStderrLine);
  const both = [...new Set([stdout, stderr])];
  const lent = both.map(({ descriptor }) => lend(descriptor, files.owner));
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
      try {
        for (const one of both) one.look();
        return {
          stdout: stdout.text(),
          stderr: stderr.text(),
          printedForSeconds: Math.max(...both.map((one) => one.writtenForSeconds())),
          lastPrintedAt: Math.max(...both.map((one) => one.writtenAt())),
          printedBytes: both.reduce((sum, one) => sum + one.printedBytes(), 0),
          emptied: { stdout: stdout.emptied(), stderr: stderr.emptied() },
        };
      } catch (error) {
        throw nameFile(error, files.stdout);
      }
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      clearInterval(timer);
      for (const takeBack of lent) takeBack();
      for (const { descriptor } of both) closeSync(descriptor);
    },
  };
}

/** Gives a file to another user. @returns what makes it ours again, as it was */
function lend(descriptor: number, owner: OutputFiles['owner']): () => void {
  if (!owner) return () => undefined;
  const { uid, gid, mode } = fstatSync(descriptor);
  try {
    fchownSync(descriptor, owner.uid, owner.gid);
  } catch (error) {
    // A file system without owners. The program can write all the same, since the file is open already.
    if (hasCode(error, 'EPERM')) return () => undefined;
    throw error;
  }
  return () => {
    fchownSync(descriptor, uid, gid);
    fchmodSync(descriptor, mode & 0o777);
  };
}

/**
 * Programs that it starts may open its output again, as /dev/stderr. Each writer then has a position of its own, so all
 * append.
 */
const anew = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW | constants.O_APPEND;

function follow(file: string, onLine?: (line: string) => void) {
  // If someone has put a link, a pipe or a second name of another file there, we would write through it.
  removeFile(file);
  const descriptor = openSync(file, anew);
  const began = fstatSync(descriptor).mtimeMs;
  const buffer = Buffer.alloc(maxRead);
  const kept = keepEnd(maxRead, onLine);
  let decoder = new StringDecoder('utf8');
  let position = 0;
  let [printed, emptied] = [0, 0];
  let last = { size: 0, mtimeMs: began };
  let isRewritten = false;
  /** Whether parts were skipped, so that what is kept is less than the end of the file. */
  let isFlooded = false;
  /** What is just before `position`. */
  let before = Buffer.alloc(0);
  function continueAt(place: number): void {
    position = place;
    isFlooded = place > 0;
    before = Buffer.alloc(0);
    decoder = new StringDecoder('utf8');
    kept.skip();
  }
  /** Whether the file was emptied since the previous look. By now it may be as long as it was, or longer. */
  function wasEmptied({ size, mtimeMs }: typeof last): boolean {
    // A write changes the time before the size, so only the next look shows that the file did not grow.
    const wasRewritten = isRewritten && size === last.size;
    isRewritten = size === last.size && mtimeMs !== last.mtimeMs;
    if (size < last.size || wasRewritten) return true;
    const there = Buffer.alloc(before.length);
    readSync(descriptor, there, 0, before.length, position - before.length);
    return !there.equals(before);
  }
  function endOfFile(): string {
    const { size } = fstatSync(descriptor);
    const length = Math.min(size, maxRead);
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, length, size - length));
  }
  return {
    descriptor,
    look() {
      const now = fstatSync(descriptor);
      if (wasEmptied(now)) {
        emptied += 1;
        continueAt(0);
      }
      last = now;
      printed += Math.max(0, now.size - position);
      if (now.size - position > maxRead) continueAt(now.size - readOfFlood);
      const read = readSync(descriptor, buffer, 0, Math.min(maxRead, Math.max(0, now.size - position)), position);
      position += read;
      if (read === 0) return;
      before = Buffer.concat([before, buffer.subarray(0, read)]).subarray(-maxCompared);
      kept.take(decoder.write(buffer.subarray(0, read)));
    },
    text: () => (isFlooded ? endOfFile() : kept.text()),
    printedBytes: () => printed,
    emptied: () => emptied,
    writtenForSeconds: () => (fstatSync(descriptor).mtimeMs - began) / 1000,
    writtenAt: () => fstatSync(descriptor).mtimeMs,
  };
}

/** The end of an output, in bounded memory, whatever a program prints. */
export interface KeptOutput {
  take(text: string): void;
  /** The next text does not directly follow the last one. */
  skip(): void;
  text(): string;
}

/** Longer than any line that means something to us. */
const longestLine = 64 * 1024;

/**
 * Keeps the last characters of an output, at least half of `most` and at most all of it, and passes its lines on.
 *
 * @param onLine receives each line that is not empty, as soon as it is complete
 */
export function keepEnd(max: number, onLine?: (line: string) => void): KeptOutput {
  let [older, newer] = ['', ''];
  let unfinished = '';
  return {
    take(text) {
      newer += text;
      if (newer.length > max / 2) [older, newer] = [newer.slice(-max / 2), ''];
      if (!onLine) return;
      // pgbench ends a progress line with a carriage return if it will overwrite the line.
      const lines = (unfinished + text).split(/[\n\r]/);
      unfinished = (lines.pop() ?? '').slice(-longestLine);
      for (const line of lines) if (line !== '') onLine(line);
    },
    skip() {
      [older, newer, unfinished] = ['', '', ''];
    },
    text: () => older + newer,
  };
}

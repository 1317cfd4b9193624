import { type FileHandle, open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { nameFile } from '../contract/errors.ts';

/**
 * How much of the beginning and of the end of a long output stays, and at most how much of the lines between that must
 * stay.
 */
export const keptBytes = { each: 2 * 1024 ** 2, between: 16 * 1024 ** 2 } as const;

const chunkBytes = 1024 ** 2;
const longestLine = 64 * 1024;

/**
 * Cuts the file of an output to its beginning and its end, with the lines between that must stay, so that results stay
 * small and are saved quickly. A line in between says how many bytes were left out. A shorter file stays whole. This
 * needs little memory, however long the file is.
 *
 * @param neededOf returns what must stay of a line of the part between; null for nothing
 * @returns size of the file before, in bytes
 */
export async function shortenOutput(file: string, neededOf: (line: string) => string | null): Promise<number> {
  const handle = await open(file, 'r+');
  try {
    const { size } = await handle.stat();
    if (size <= 2 * keptBytes.each + longestLine) return size;
    const from = await endOfLine(handle, keptBytes.each);
    const to = Math.max(from, await endOfLine(handle, size - keptBytes.each));
    const kept = await linesBetween(handle, { from, to }, neededOf);
    const end = await readAt(handle, to, size - to);
    const leftOut = `(${(to - from - kept.bytes).toLocaleString('en')} bytes omitted)\n`;
    await handle.truncate(from);
    await handle.write(Buffer.concat([Buffer.from(leftOut + kept.text), end]), 0, null, from);
    return size;
  } catch (error) {
    throw nameFile(error, file);
  } finally {
    await handle.close();
  }
}

async function linesBetween(
  handle: FileHandle,
  { from, to }: { from: number; to: number },
  neededOf: (line: string) => string | null,
): Promise<{ text: string; bytes: number }> {
  const decoder = new StringDecoder('utf8');
  const needed: string[] = [];
  let bytes = 0;
  let unfinished = '';
  for (let at = from; at < to; at += chunkBytes) {
    const lines = (unfinished + decoder.write(await readAt(handle, at, Math.min(chunkBytes, to - at)))).split('\n');
    // A program's own line may end what others printed without a newline.
    unfinished = (lines.pop() ?? '').slice(-longestLine);
    for (const line of lines) {
      const part = neededOf(line);
      if (part === null || bytes >= keptBytes.between) continue;
      needed.push(`${part}\n`);
      bytes += Buffer.byteLength(part) + 1;
    }
  }
  return { text: needed.join(''), bytes };
}

/** The end of the line at this place; the place itself if the line is very long. */
async function endOfLine(handle: FileHandle, at: number): Promise<number> {
  const newline = (await readAt(handle, at, longestLine)).indexOf('\n');
  return newline < 0 ? at : at + newline + 1;
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let read = 0;
  for (let more = 1; more > 0 && read < length; read += more) {
    more = (await handle.read(buffer, read, length - read, position + read)).bytesRead;
  }
  return buffer.subarray(0, read);
}

import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { executeQmp, qmpMessages } from '../../../../runner/places/local/volumes/storage-daemon.ts';

/** The greeting of QEMU 7.2. */
const greeting =
  '{"QMP": {"version": {"qemu": {"micro": 22, "minor": 2, "major": 7}, "package": "Debian"}, "capabilities": ["oob"]}}\r\n';

async function messagesOf(chunks: readonly string[]): Promise<unknown[]> {
  const messages = [];
  for await (const message of qmpMessages(Readable.from(chunks))) messages.push(message);
  return messages;
}

describe('qmpMessages', () => {
  it('finds the same messages wherever the chunks end', async () => {
    const text = `${greeting}{"return": {}}\r\n{"event": "BLOCK_IO_ERROR", "data": {"text": "ä\\n"}}\r\n{"id": "x", "return": [1]}\r\n`;
    const whole = await messagesOf([text]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: text.length })), async (cuts) => {
        const ends = [0, ...cuts.sort((a, b) => a - b), text.length];
        const chunks = ends.slice(1).map((end, index) => text.slice(ends[index], end));
        expect(await messagesOf(chunks)).toEqual(whole);
      }),
    );
    expect(whole).toHaveLength(4);
  });
});

describe('executeQmp', () => {
  let folder: string;
  let server: Server;
  let answer: string;

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'qmp-'));
    server = createServer((socket) => {
      socket.write(greeting);
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk.toString();
        if (received.split('\n').length > 2) socket.end(answer);
      });
    });
    await new Promise<void>((resolve) => server.listen(path.join(folder, 's'), resolve));
  });
  afterEach(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  it('gives what the command returned, past greeting and events', async () => {
    answer = '{"return": {}}\r\n{"event": "STOP"}\r\n{"id": "query-version", "return": {"major": 7}}\r\n';
    expect(await executeQmp(path.join(folder, 's'), 'query-version')).toEqual({ major: 7 });
  });

  it('fails with the words of a refusal', async () => {
    answer = '{"return": {}}\r\n{"id": "qom-set", "error": {"class": "GenericError", "desc": "no such object"}}\r\n';
    await expect(executeQmp(path.join(folder, 's'), 'qom-set')).rejects.toThrow(
      'QEMU rejected qom-set: no such object',
    );
  });

  it('fails where the connection closes before the answer', async () => {
    answer = '{"return": {}}\r\n';
    await expect(executeQmp(path.join(folder, 's'), 'quit')).rejects.toThrow('closed the connection');
  });

  it('fails where nobody listens', async () => {
    await expect(executeQmp(path.join(folder, 'none'), 'quit')).rejects.toThrow('ENOENT');
  });
});

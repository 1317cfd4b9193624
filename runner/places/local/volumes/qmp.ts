import { connect } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { z } from 'zod';

const timeoutMilliseconds = 5000;

/**
 * Sends one command to a QEMU process over its QMP socket, and returns QEMU's answer. Each command gets a connection of its
 * own: the monitor serves one client at a time, and an open connection would keep out a later clean-up.
 *
 * @throws the system's error if nobody listens; an Error with QEMU's message if it refuses the command
 */
export async function executeQmp(
  socketPath: string,
  command: string,
  commandArguments: Record<string, unknown> = {},
): Promise<unknown> {
  const socket = connect(socketPath);
  addAbortSignal(AbortSignal.timeout(timeoutMilliseconds), socket);
  socket.setEncoding('utf8');
  try {
    // QEMU reads one command after another, so there is no need to wait for its greeting.
    socket.write('{"execute":"qmp_capabilities"}\n');
    socket.write(`${JSON.stringify({ execute: command, arguments: commandArguments, id: command })}\n`);
    for await (const message of qmpMessages(socket)) {
      if (message.error) throw new Error(`QEMU refused ${command}: ${message.error.desc}`);
      if (message.id === command) return message.return;
    }
    throw new Error(`QEMU closed the connection before it answered ${command}`);
  } finally {
    socket.destroy();
  }
}

/** A message of QEMU. Greeting and events have neither id nor error. */
const messageSchema = z.object({
  id: z.string().optional(),
  return: z.unknown().optional(),
  error: z.object({ desc: z.string() }).optional(),
});
type QmpMessage = z.output<typeof messageSchema>;

/** Splits the stream into messages: QMP writes one JSON object on each line, and chunks may end anywhere. */
export async function* qmpMessages(chunks: AsyncIterable<string>): AsyncGenerator<QmpMessage> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.trim() !== '') yield messageSchema.parse(JSON.parse(line));
    }
  }
}

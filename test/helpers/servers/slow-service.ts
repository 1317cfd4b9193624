import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What a service does when it is asked. `busy` says so at once, each time. */
export type Slowness = 'silent' | 'drips headers' | 'drips content' | 'busy' | 'answers';

export interface SlowService {
  endpoint: string;
  /** How many requests have begun so far. */
  asked(): number;
  become(how: Slowness): void;
}

const contentHeaders = 'HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: 100000\r\n\r\n';
const whole: Partial<Record<Slowness, string>> = {
  busy: 'HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\n\r\n',
  answers: 'HTTP/1.1 200 OK\r\nETag: "1"\r\nContent-Length: 2\r\n\r\nok',
};

/** Serves at a free port of this machine until the test ends. What drips comes by a byte every 50 ms. */
export async function slowService(how: Slowness): Promise<SlowService> {
  let asked = 0;
  const open = new Set<Socket>();
  const answer = (socket: Socket): void => {
    asked += 1;
    if (how === 'silent') return;
    const text = whole[how];
    if (text !== undefined) {
      socket.write(text);
      return;
    }
    socket.write(how === 'drips headers' ? 'HTTP/1.1 200 OK\r\nX-Drip: ' : contentHeaders);
    const drip = setInterval(() => socket.write('a'), 50);
    socket.once('close', () => clearInterval(drip));
  };
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
    socket.on('data', (data) => {
      if (/^(GET|PUT|POST|HEAD) /.test(data.toString('latin1'))) answer(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    become(next) {
      how = next;
    },
  };
}

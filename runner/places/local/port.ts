import { once } from 'node:events';
import { createServer } from 'node:net';

const host = '127.0.0.1';

/** A port of 127.0.0.1 that nobody listens at now. Somebody else may take it before its server does. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}

/** Whether somebody listens at this port of 127.0.0.1. */
export async function isTaken(port: number): Promise<boolean> {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return true;
    throw error;
  }
  await new Promise((resolve) => server.close(resolve));
  return false;
}

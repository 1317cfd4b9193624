import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a page that is open receives: its whole text, a line about the progress, or that nothing more comes. */
export type LiveEvent = 'page' | 'progress' | 'end';

export interface LiveServer {
  /** Address of the page, with the token. Whoever knows it can read the page. */
  address: string;
  /** Whether a browser has the page open. */
  isWatched: () => boolean;
  /** Sends it to every open page, and the latest of each kind to one that is opened later. */
  send: (event: LiveEvent, text: string) => void;
  /** Sends what is under way, for at most two seconds, and frees the port. */
  close: () => Promise<void>;
}

/** What others can make this process hold: connections, open pages, and bytes that a page does not take. */
const maxConnections = 16;
const maxPages = 4;
const maxWaitingBytes = 16 * 2 ** 20;
const requestSeconds = 5;
const closingSeconds = 2;

/**
 * Serves one page on 127.0.0.1, at a port that is free. Its path is a new secret of 128 bits. Any other request gets 403
 * and nothing else: with another path or method, or through another name of this machine, as in DNS rebinding.
 *
 * A cookie would not do: browsers send it to every port of 127.0.0.1, and so to servers of other users.
 *
 * @param page its text, which listens at `PATH/events`
 * @param policy its Content-Security-Policy
 * @throws if no port is free
 */
export async function serveLive(page: string, policy: string): Promise<LiveServer> {
  const token = randomBytes(16).toString('base64url');
  const pages = new Set<ServerResponse>();
  const latest = new Map<LiveEvent, string>();
  const headers = { ...commonHeaders, 'Content-Security-Policy': policy };

  const server = createServer(
    { requestTimeout: requestSeconds * 1000, headersTimeout: requestSeconds * 1000, connectionsCheckingInterval: 5000 },
    (request, response) => {
      const asked = isForUs(request, server) ? knownPath(request.url ?? '', token) : null;
      if (asked === 'page') {
        response.writeHead(200, { ...headers, 'Content-Type': 'text/html; charset=utf-8' }).end(page);
      } else if (asked === 'events' && pages.size < maxPages) {
        pages.add(response.on('close', () => pages.delete(response)));
        response.writeHead(200, { ...headers, 'Content-Type': 'text/event-stream' }).flushHeaders();
        for (const message of latest.values()) response.write(message);
      } else response.writeHead(asked === null ? 403 : 503, commonHeaders).end();
    },
  );
  server.on('checkExpectation', (_request, response) => response.writeHead(403, commonHeaders).end());
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    // Later, it cannot accept a connection if too many files are open. That must not end the run.
    server.on('error', reject).listen({ host: '127.0.0.1', port: 0 }, resolve);
  });
  // It ends with the run, and does not keep the process from ending.
  server.unref();

  return {
    address: `http://${hostOf(server)}/${token}`,
    isWatched: () => pages.size > 0,
    send(event, text) {
      const message = messageOf(event, text);
      latest.set(event, message);
      for (const response of pages) {
        if (response.writableLength > maxWaitingBytes) response.destroy();
        else response.write(message);
      }
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const response of pages) response.end();
      await Promise.race([closed, sleep(closingSeconds * 1000, undefined, { ref: false })]);
      server.closeAllConnections();
    },
  };
}

const commonHeaders = {
  Connection: 'close',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

function isForUs({ method, headers, headersDistinct }: IncomingMessage, server: Server): boolean {
  const { host: hosts = [] } = headersDistinct;
  return method === 'GET' && headers.upgrade === undefined && hosts.length === 1 && hosts[0] === hostOf(server);
}

/** Such as `127.0.0.1:40123`. */
function hostOf(server: Server): string {
  const address = server.address();
  return typeof address === 'object' && address ? `${address.address}:${address.port}` : '';
}

/** What is asked for; null without the token. A comparison takes as long for every token. */
function knownPath(url: string, token: string): 'page' | 'events' | null {
  const [, offered = '', events] = /^\/([\w-]{22})(\/events)?$/.exec(url) ?? [];
  if (offered.length !== token.length || !timingSafeEqual(Buffer.from(offered), Buffer.from(token))) return null;
  return events === undefined ? 'page' : 'events';
}

/** A server-sent event: https://html.spec.whatwg.org/multipage/server-sent-events.html */
function messageOf(event: LiveEvent, text: string): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `event: ${event}\n${lines.join('')}\n`;
}

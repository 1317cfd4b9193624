import { request, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type LiveServer, serveLive } from '../../../runner/report/live/server.ts';
import { type OpenPage, openPage } from '../../helpers/open-page.ts';

let server: LiveServer | undefined;
const pages: OpenPage[] = [];
afterEach(async () => {
  for (const page of pages.splice(0)) page.leave();
  await server?.close();
});

async function served(): Promise<LiveServer> {
  server = await serveLive('<p>the page</p>', "default-src 'none'");
  return server;
}

/** A page that listens, as the script of the frame does. */
async function open(address: string): Promise<OpenPage> {
  const page = await openPage(address);
  pages.push(page);
  return page;
}

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

function ask(address: string, options: { method?: string; host?: string } = {}): Promise<Answer> {
  const { method = 'GET', host } = options;
  return new Promise((resolve, reject) => {
    request(address, { method, ...(host !== undefined && { headers: { host } }) }, (response) => {
      void text(response).then((body) => resolve({ status: response.statusCode, headers: response.headers, body }));
    })
      .once('error', reject)
      .end();
  });
}

describe('the server of a live page', () => {
  it('serves the page at its address, to be kept nowhere and named to nobody', async () => {
    const { address } = await served();
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}$/);
    const { status, headers, body } = await ask(address);
    expect([status, body]).toEqual([200, '<p>the page</p>']);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'content-security-policy': "default-src 'none'",
    });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(headers).not.toHaveProperty('set-cookie');
  });

  const changed: [string, (address: string) => string][] = [
    ['no token', (address) => new URL('/', address).href],
    ['another token', (address) => `${address.slice(0, -1)}${address.endsWith('A') ? 'B' : 'A'}`],
    ['the beginning of the token', (address) => address.slice(0, -1)],
    ['more than the token', (address) => `${address}A`],
    ['the token as a parameter', (address) => address.replace(/\/([\w-]+)$/, '/?token=$1')],
    ['another path', (address) => `${address}/result.json`],
    ['events without a token', (address) => new URL('/events', address).href],
  ];
  it.each(changed)('refuses a request with %s, and says nothing', async (_, change) => {
    const { address } = await served();
    const { status, headers, body } = await ask(change(address));
    expect([status, body]).toEqual([403, '']);
    expect(headers).not.toHaveProperty('content-security-policy');
  });

  it.each(['localhost', 'rebound.example.com', '127.0.0.1'])('refuses a request to the host %s', async (name) => {
    const { address } = await served();
    const host = name === '127.0.0.1' ? name : `${name}:${new URL(address).port}`;
    expect(await ask(address, { host })).toMatchObject({ status: 403, body: '' });
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'])('refuses the method %s', async (method) => {
    expect(await ask((await served()).address, { method })).toMatchObject({ status: 403, body: '' });
  });

  it('listens at 127.0.0.1 and nowhere else, with a new token each time', async () => {
    const first = await served();
    const second = await serveLive('', '');
    try {
      const other = first.address.replace('127.0.0.1', '127.0.0.2');
      await expect(ask(other)).rejects.toThrow('ECONNREFUSED');
      expect(new URL(second.address).pathname).not.toBe(new URL(first.address).pathname);
    } finally {
      await second.close();
    }
  });

  it('sends each open page what comes, and one that opens later the latest of each kind', async () => {
    const { address, send, isWatched } = await served();
    expect(isWatched()).toBe(false);
    send('page', 'first');
    const early = await open(address);
    await expect.poll(() => early.received()).toEqual([['page', 'first']]);
    expect(isWatched()).toBe(true);
    send('page', 'second');
    send('progress', 'trial 2');
    await expect.poll(() => early.received()).toHaveLength(3);
    const late = await open(address);
    await expect
      .poll(() => late.received())
      .toEqual([
        ['page', 'second'],
        ['progress', 'trial 2'],
      ]);
    early.leave();
    late.leave();
    await expect.poll(() => isWatched()).toBe(false);
  });

  it('sends any text whole, whatever its lines are', async () => {
    const { address, send } = await served();
    const page = await open(address);
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.oneof(fc.constantFrom('\n', '\r', ':', ' ', '€'), fc.string({ maxLength: 1 })) }),
        async (sent) => {
          send('page', sent);
          const line = sent.replaceAll(/\r\n?/g, '\n');
          await expect.poll(() => page.received().at(-1), { interval: 1 }).toEqual(['page', line]);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('has four pages open at most', async () => {
    const { address } = await served();
    const four = [await open(address), await open(address), await open(address), await open(address)];
    expect(await ask(`${address}/events`)).toMatchObject({ status: 503, body: '' });
    four[0]?.leave();
    await expect.poll(async () => (await open(address)).status).toBe(200);
  });

  it('lets a page go that takes nothing', async () => {
    const { address, send, isWatched } = await served();
    const { port, pathname } = new URL(address);
    const socket = connect(Number(port), '127.0.0.1');
    socket.pause().write(`GET ${pathname}/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    await expect.poll(() => isWatched()).toBe(true);
    const large = 'x'.repeat(8 * 2 ** 20);
    for (let times = 0; times < 5; times++) send('page', large);
    await expect.poll(() => isWatched()).toBe(false);
    socket.destroy();
  });

  it('lets a connection go that asks for nothing', { timeout: 20_000 }, async () => {
    const { port } = new URL((await served()).address);
    const socket = connect(Number(port), '127.0.0.1');
    await new Promise((resolve) => socket.once('close', resolve).resume());
    expect(socket.bytesWritten).toBe(0);
  });

  it('sends what is under way before it ends, and frees its port', async () => {
    const { address, send, close } = await served();
    const page = await open(address);
    send('page', 'x'.repeat(2 ** 20));
    send('end', '');
    await close();
    await expect.poll(() => page.received().at(-1)).toEqual(['end', '']);
    expect(page.received()).toHaveLength(2);
    await expect(ask(address)).rejects.toThrow('ECONNREFUSED');
  });
});

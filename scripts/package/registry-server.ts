import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// node bin/run.mjs scripts/package/registry-server.ts UPSTREAM LOG: the registry of npm without a package of our name. It
// leads everything else to the registry UPSTREAM, writes the path of each request into LOG, and prints its address.
const [, , upstream = '', log = ''] = process.argv;

const server = createServer(({ url = '/' }, response) => {
  appendFileSync(log, `${url}\n`);
  const isOurs = /^\/pgduet(\/|$)/.test(url);
  if (isOurs) response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"error":"Not found"}');
  else response.writeHead(302, { Location: new URL(url, upstream).href }).end();
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/\n`);
});

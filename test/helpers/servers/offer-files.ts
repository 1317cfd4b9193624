import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { onTestFinished } from 'vitest';

const folder = path.resolve(import.meta.dirname, '../../fixtures/offers');

/**
 * Serves excerpts of AWS's offer files until the test ends, those of eu-west-1 as they are.
 *
 * @param change what a file of a service holds instead
 * @returns the address, and the paths that were asked for
 */
export async function serveOfferFiles(
  change: (text: string, service: string) => string = (text) => text,
): Promise<{ address: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { url = '' } = request;
    asked.push(url);
    const [, service] = /^\/offers\/v1\.0\/aws\/(\w+)\/current\/eu-west-1\/index\.csv$/.exec(url) ?? [];
    if (service === undefined) {
      // As S3 does for a file that does not exist.
      response.writeHead(403, { 'content-type': 'application/xml' }).end('<Error><Code>AccessDenied</Code></Error>');
      return;
    }
    const bytes = Buffer.from(change(readFileSync(path.join(folder, `${service}.csv`), 'utf8'), service));
    response.writeHead(200, { 'content-type': 'text/csv' });
    // In small parts, which end within lines and characters.
    for (let at = 0; at < bytes.length; at += 997) response.write(bytes.subarray(at, at + 997));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

import type { Client } from 'pg';
import { expect, it } from 'vitest';
import { settings } from '../../../runner/collect/postgres/settings.ts';

/** A server on which the database brings a setting. */
function serverWith(inForce: Record<string, string>, brought: readonly string[]): Client {
  return {
    query: (_: string, [names]: [string[]?] = []) =>
      Promise.resolve({
        rows: (names ?? brought).flatMap((name) => (name in inForce ? [{ name, value: inForce[name] }] : [])),
      }),
  } as unknown as Client;
}

it('the settings of a server have how it reads, and what the database or the role brings', async () => {
  const inForce = { io_method: 'worker', io_workers: '3', shared_buffers: '16384 (8kB)', enable_seqscan: 'off' };
  const client = serverWith(inForce, ['enable_seqscan']);
  const found = await settings.describe?.({ variant: 'a', parameters: [], database: (use) => use(client) });
  expect(found).toEqual({ settings: inForce });
});

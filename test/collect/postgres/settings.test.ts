import type { Client } from 'pg';
import { expect, it } from 'vitest';
import { settings } from '../../../runner/collect/postgres/settings.ts';

it('the settings of a server have how it reads, with its number of workers, since PostgreSQL 18', async () => {
  const inForce: Record<string, string> = { io_method: 'worker', io_workers: '3', shared_buffers: '16384 (8kB)' };
  const client = {
    query: (_: string, [names]: [string[]]) =>
      Promise.resolve({
        rows: names.flatMap((name) => (name in inForce ? [{ name, value: inForce[name] }] : [])),
      }),
  } as unknown as Client;
  const found = await settings.describe?.({ variant: 'a', parameters: [], database: (use) => use(client) });
  expect(found).toEqual({ settings: inForce });
});

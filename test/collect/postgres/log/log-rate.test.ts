import type { Client } from 'pg';
import { expect, it } from 'vitest';
import type { CollectedTrial } from '../../../../runner/collect/collector.ts';
import { logRate } from '../../../../runner/collect/postgres/log/log-rate.ts';
import { UserError } from '../../../../runner/contract/errors.ts';
import type { ReadServerLog } from '../../../../runner/contract/server.ts';
import { measuredSince } from '../../../helpers/samples/measured-part.ts';

async function found(serverLog: ReadServerLog | undefined, row = { destination: 'stderr', collected: false }) {
  const query = () => Promise.resolve({ rows: [row] });
  const collection = await logRate.start?.({
    serverLog,
    database: (use: (client: Client) => Promise<unknown>) => use({ query } as unknown as Client),
  } as unknown as CollectedTrial);
  return collection?.stop?.(measuredSince(new Date('2026-11-25T12:00:00Z'), new Date('2026-11-25T12:00:10Z')));
}
const logOf =
  (bytes: number): ReadServerLog =>
  () =>
    Promise.resolve({ bytes: () => Promise.resolve(bytes), lines: () => Promise.resolve([]) });

it('measures how fast the log grows, and names a log that slows the server', async () => {
  expect(await found(logOf(40_000))).toEqual({ measures: { 'server.logged': 4000 }, warnings: [] });
  expect(await found(logOf(230 * 2 ** 20))).toEqual({
    measures: { 'server.logged': 23 * 2 ** 20 },
    warnings: [expect.stringMatching(/^The server wrote 23 MiB per second into its log/)],
  });
});

it('tells nothing where the log is out of reach', async () => {
  expect(await found(undefined)).toBeUndefined();
  const unreadable = await found(() => Promise.reject(new UserError('server.log cannot be read: gone')));
  expect(unreadable?.facts?.absent).toEqual({ 'server-log': expect.stringContaining('gone') as string });
});

it.each([
  ['logging_collector', { destination: 'stderr', collected: true }],
  ['log_destination', { destination: 'syslog', collected: false }],
])('tells nothing, rather than that nothing was logged, where %s keeps the log elsewhere', async (name, row) => {
  const elsewhere = await found(logOf(0), row);
  expect(elsewhere?.measures).toBeUndefined();
  expect(elsewhere?.facts?.absent).toEqual({ 'server-log': expect.stringContaining(`${name} `) as string });
});

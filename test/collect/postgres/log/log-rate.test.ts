import { expect, it } from 'vitest';
import type { CollectedTrial } from '../../../../runner/collect/collector.ts';
import { logRate } from '../../../../runner/collect/postgres/log/log-rate.ts';
import { UserError } from '../../../../runner/contract/errors.ts';
import type { ReadServerLog } from '../../../../runner/contract/server-log.ts';
import { measuredSince } from '../../../helpers/samples/measured-part.ts';

async function found(serverLog: ReadServerLog | undefined) {
  const collection = await logRate.start?.({ serverLog } as unknown as CollectedTrial);
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
    warnings: [expect.stringMatching(/^The server wrote 23 MiB a second into its log/)],
  });
});

it('tells nothing where the log is out of reach', async () => {
  expect(await found(undefined)).toBeUndefined();
  const unreadable = await found(() => Promise.reject(new UserError('server.log cannot be read: gone')));
  expect(unreadable?.facts?.absent).toEqual({ 'server-log': expect.stringContaining('gone') as string });
});

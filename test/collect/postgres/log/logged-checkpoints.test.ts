import type { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import type { CollectedTrial } from '../../../../runner/collect/collector.ts';
import { loggedCheckpoints } from '../../../../runner/collect/postgres/log/logged-checkpoints.ts';
import { UserError } from '../../../../runner/contract/errors.ts';
import type { ReadServerLog } from '../../../../runner/contract/server-log.ts';

const startedAt = new Date('2026-11-22T15:00:00Z');

async function found(serverLog: ReadServerLog | undefined, on = true) {
  const query = () => Promise.resolve({ rows: [{ on }] });
  const collection = await loggedCheckpoints.start?.({
    ...{ startedAt, serverLog, now: () => new Date('2026-11-22T15:00:20Z') },
    database: (use: (client: Client) => Promise<unknown>) => use({ query } as unknown as Client),
  } as unknown as CollectedTrial);
  const stopped = await collection?.stop?.();
  return (await collection?.finish?.({}))?.facts ?? stopped?.facts;
}

const logOf =
  (...lines: string[]): ReadServerLog =>
  () =>
    Promise.resolve({ lines: (isWanted) => Promise.resolve(lines.filter(isWanted)) });

describe('checkpoints of the server’s log', () => {
  it('are told in seconds since the trial started', async () => {
    const log = logOf('x', '2026-11-22 15:00:07.5 UTC [1] LOG:  checkpoint starting: wal', 'y');
    expect((await found(log))?.checkpoints).toMatchObject([{ startedAt: 7.5, endedAt: null, reason: 'wal' }]);
    expect((await found(logOf()))?.checkpoints).toEqual([]);
  });

  it.each([
    ['the log is out of reach', undefined, true, 'out of reach'],
    ['they are not logged', logOf(), false, 'log_checkpoints is off'],
    ['the log cannot be read', () => Promise.reject(new UserError('x cannot be read: gone')), true, 'x cannot be read'],
    ['lines have no time', logOf('LOG:  checkpoint starting: wal'), true, 'put %m first in log_line_prefix'],
  ])('are absent if %s, and this is said', async (_, log, on, reason) => {
    expect((await found(log, on))?.absent).toEqual({ 'logged-checkpoints': expect.stringContaining(reason) as string });
  });
});

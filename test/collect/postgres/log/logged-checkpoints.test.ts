import type { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import type { CollectedTrial } from '../../../../runner/collect/collector.ts';
import { loggedCheckpoints } from '../../../../runner/collect/postgres/log/logged-checkpoints.ts';
import { UserError } from '../../../../runner/contract/errors.ts';
import type { ReadServerLog } from '../../../../runner/contract/server.ts';
import type { Trial } from '../../../../runner/contract/trial.ts';
import { xmlAnswer, xmlError } from '../../../helpers/fakes/fake-aws.ts';
import { askedSources } from '../../../helpers/fakes/fake-sources.ts';
import { measuredSince } from '../../../helpers/samples/measured-part.ts';

const startedAt = new Date('2026-11-22T15:00:00Z');

async function found(serverLog: ReadServerLog | undefined) {
  return (await findings(serverLog))?.facts;
}

async function findings(serverLog: ReadServerLog | undefined) {
  const query = () => Promise.resolve({ rows: [] });
  const collection = await loggedCheckpoints.start?.({
    serverLog,
    database: (use: (client: Client) => Promise<unknown>) => use({ query } as unknown as Client),
  } as unknown as CollectedTrial);
  const part = measuredSince(startedAt, new Date('2026-11-22T15:00:20Z'));
  const stopped = await collection?.stop?.(part);
  return (await collection?.finish?.(part, {})) ?? stopped;
}

const logOf =
  (...lines: string[]): ReadServerLog =>
  () =>
    Promise.resolve({ bytes: () => Promise.resolve(0), lines: (isWanted) => Promise.resolve(lines.filter(isWanted)) });

describe('checkpoints of the server’s log', () => {
  it('are told in seconds since the trial started', async () => {
    const log = logOf('x', '2026-11-22 15:00:07.5 UTC [1] LOG:  checkpoint starting: wal', 'y');
    expect((await found(log))?.checkpoints).toMatchObject([{ startedAt: 7.5, endedAt: null, reason: 'wal' }]);
    expect((await found(logOf()))?.checkpoints).toEqual([]);
  });

  it('have a cycle from start to start, if the trial holds two starts', async () => {
    const starts = (...seconds: string[]): ReadServerLog =>
      logOf(
        ...seconds.flatMap((second) => [
          `2026-11-22 ${second} UTC [1] LOG:  checkpoint starting: wal`,
          `2026-11-22 ${second}9 UTC [1] LOG:  checkpoint complete: wrote 1 buffers`,
        ]),
      );
    const cycleOf = async (log: ReadServerLog) => (await findings(log))?.measures?.['checkpoints.cycle'];
    expect(await cycleOf(starts('15:00:02.0', '15:00:07.0', '15:00:14.0'))).toBe(6);
    // How long ago the one before the trial began is a matter of the phase.
    expect(await cycleOf(starts('14:59:58.0', '15:00:07.0'))).toBeNull();
    expect(await cycleOf(logOf())).toBeNull();
  });

  it.each([
    ['the log is out of reach', undefined, 'out of reach'],
    ['the log cannot be read', () => Promise.reject(new UserError('x cannot be read: gone')), 'x cannot be read'],
    ['lines have no time', logOf('LOG:  checkpoint starting: wal'), 'put %m first in log_line_prefix'],
  ])('are absent if %s, and this is said', async (_, log, reason) => {
    expect((await found(log))?.absent).toEqual({ 'logged-checkpoints': expect.stringContaining(reason) as string });
  });
});

describe('checkpoints of a server of RDS', () => {
  const trial = {
    id: 'block-01-1-with-dlv',
    series: [],
    facts: {},
    measures: {},
    conditions: { variant: 'with-dlv' },
    startedAt: '2026-11-21T11:58:00Z',
    endedAt: '2026-11-21T11:59:00Z',
  } as unknown as Trial;
  const line = (time: string, text: string): string => `2026-11-21 ${time} UTC::@:[1263]:LOG:  checkpoint ${text}`;
  const logOfRds = (lines: readonly string[]) =>
    askedSources(({ action }) =>
      action === 'DescribeDBLogFiles'
        ? xmlAnswer(action, { DescribeDBLogFiles: [{ LogFileName: 'error/postgresql.log', LastWritten: 2e12 }] })
        : xmlAnswer(action, { LogFileData: lines.join('\n'), AdditionalDataPending: false }),
    );

  it('are read from its log files after the run, with those that were under way when the trial began or ended', async () => {
    const log = logOfRds([
      line('11:57:50', 'starting: time'),
      line('11:58:10', 'complete: wrote 9 buffers (0.1%); write=19.5 s, sync=0.1 s, total=20.1 s'),
      line('11:58:50', 'starting: wal'),
      line('11:59:20', 'complete: wrote 3 buffers (0.1%); write=29.5 s, sync=0.1 s, total=30.1 s'),
      line('12:03:00', 'starting: time'),
    ]);
    const found = await loggedCheckpoints.collectAfterRun?.([trial], log.context);
    expect(found?.get(trial.id)?.facts?.checkpoints).toMatchObject([
      { startedAt: -10, endedAt: 10, reason: 'time', buffers: 9 },
      { startedAt: 50, endedAt: 80, reason: 'wal' },
    ]);
  });

  it('are absent where the log is refused, and where it was known from the start that none are logged', async () => {
    const why = 'rds:DescribeDBLogFiles of alice-dlv-with-dlv was denied: User: driver is not authorized';
    const { context } = askedSources(() => xmlError('AccessDenied', 'User: driver is not authorized', 403));
    const silent = { ...trial, id: 'off', facts: { absent: { 'logged-checkpoints': 'log_checkpoints is off' } } };
    const found = await loggedCheckpoints.collectAfterRun?.([trial, silent], context);
    expect([...(found ?? [])]).toEqual([
      [
        trial.id,
        {
          facts: { absent: { 'logged-checkpoints': why } },
          warnings: [`logged-checkpoints returned no data: ${why}.`],
        },
      ],
    ]);
  });
});

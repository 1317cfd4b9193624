import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readServerLog, timeOf } from '../../../runner/rds/collect/server-log.ts';
import { type FakeRequest, xmlAnswer, xmlError } from '../../helpers/fakes/fake-aws.ts';
import { fakeRds } from '../../helpers/fakes/fake-rds.ts';

const [from, to] = [new Date('2026-11-21T11:58:00Z'), new Date('2026-11-21T12:02:00Z')];
const line = (time: string, text: string): string => `2026-11-21 ${time} UTC::@:[1263]:LOG:  ${text}`;
const begin = line('11:59:30', 'checkpoint starting: time');
const end = line('12:00:20', 'checkpoint complete: wrote 9 buffers (0.1%)');

interface Logged {
  lastWritten: string;
  lines: string[];
}
/** Files in two pages; a portion holds `size` characters, and its marker is where the next one begins. */
function logsOf(files: Record<string, Logged>, size = 1e6) {
  return fakeRds(({ action, input }: FakeRequest) => {
    if (action === 'DescribeDBLogFiles') {
      const all = Object.entries(files).map(([LogFileName, { lastWritten }]) => ({
        LogFileName,
        Size: 1,
        LastWritten: Date.parse(lastWritten),
      }));
      const half = Math.ceil(all.length / 2);
      return xmlAnswer(action, {
        DescribeDBLogFiles: input['Marker'] === undefined ? all.slice(0, half) : all.slice(half),
        ...(input['Marker'] === undefined ? { Marker: 'more' } : {}),
      });
    }
    const text = (files[String(input['LogFileName'])]?.lines ?? []).map((one) => `${one}\n`).join('');
    const at = Number(input['Marker']);
    return xmlAnswer(action, {
      LogFileData: text.slice(at, at + size),
      Marker: at + size,
      AdditionalDataPending: at + size < text.length,
    });
  });
}
async function linesOf({ client }: ReturnType<typeof logsOf>): Promise<string[]> {
  const lines: string[] = [];
  for await (const one of readServerLog(client, 'alice-dlv-with-dlv', from, to)) lines.push(one);
  return lines;
}

describe('the log of a server', () => {
  const files = {
    'error/postgresql.log.2026-11-21-1200': {
      lastWritten: '2026-11-21T12:59:00Z',
      lines: [end, '\tof several lines', line('12:30:00', 'after it'), '\tof that'],
    },
    'error/postgresql.log.2026-11-21-1300': { lastWritten: '2026-11-21T13:59:00Z', lines: [line('13:00:00', 'later')] },
    'error/postgresql.log.2026-11-21-1100': {
      lastWritten: '2026-11-21T11:59:59Z',
      lines: [line('11:10:00', 'before it'), '\tof that', begin],
    },
  };

  it('is that of the window alone, in order of time, from the files that reach into it', async () => {
    const rds = logsOf(files);
    expect(await linesOf(rds)).toEqual([begin, end, '\tof several lines']);
    const asked = rds.aws.requests.map(({ action, input }) => `${action} ${input['LogFileName'] as string}`);
    expect(asked.filter((one) => one.startsWith('Download'))).toEqual([
      'DownloadDBLogFilePortion error/postgresql.log.2026-11-21-1100',
      'DownloadDBLogFilePortion error/postgresql.log.2026-11-21-1200',
    ]);
    expect(rds.aws.requests[0]?.input).toMatchObject({ FileLastWritten: `${from.getTime()}` });
  });

  it('is put together from portions, wherever they end', async () => {
    await fc.assert(
      // The client of AWS drops an answer of nothing but a line's end and a tab.
      fc.asyncProperty(fc.integer({ min: 3, max: 200 }), async (size) => {
        expect(await linesOf(logsOf(files, size))).toEqual([begin, end, '\tof several lines']);
      }),
      { numRuns: 20 },
    );
  });

  it('cannot be read without the permission', async () => {
    const rds = fakeRds(() => xmlError('AccessDenied', 'User: driver is not authorized', 403));
    await expect(linesOf(rds)).rejects.toThrow('rds:DescribeDBLogFiles of alice-dlv-with-dlv was denied');
  });
});

it('the time of a line is null for any text without one', () => {
  expect(timeOf(line('11:59:30.123', 'checkpoint starting: time'))).toBe(Date.parse('2026-11-21T11:59:30.123Z'));
  expect(timeOf('2026-13-41 11:59:30 UTC')).toBeNull();
  fc.assert(fc.property(fc.string(), (text) => timeOf(`\t${text}`) === null));
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkpointsBetween,
  parseCheckpointLine,
  isAboutCheckpoint,
} from '../../../../runner/collect/postgres/log/logged-checkpoints.ts';

/** As servers of these versions wrote them. */
const captured = {
  '14.1, a standby': `2026-11-22 15:41:45 UTC::@:[2751]:LOG:  restartpoint complete: wrote 446 buffers (10.9%); 0 WAL file(s) added, 0 removed, 0 recycled; write=0.004 s, sync=0.002 s, total=0.010 s; sync files=3, longest=0.002 s, average=0.001 s; distance=6274 kB, estimate=15373 kB`,
  '15.18': `2026-11-22 15:41:53.696 UTC::@:[3063]:LOG:  checkpoint complete: wrote 2321 buffers (56.7%); 0 WAL file(s) added, 2 removed, 0 recycled; write=0.440 s, sync=0.001 s, total=0.522 s; sync files=0, longest=0.000 s, average=0.000 s; distance=33099 kB, estimate=33099 kB`,
  '17.10': `2026-11-22 15:42:31.322 UTC::@:[4608]:LOG:  checkpoint complete: wrote 1192 buffers (29.1%); 0 WAL file(s) added, 1 removed, 0 recycled; write=0.245 s, sync=0.001 s, total=0.259 s; sync files=0, longest=0.000 s, average=0.000 s; distance=16670 kB, estimate=16670 kB; lsn=0/4122FF0, redo lsn=0/3147A88`,
};
const none = { buffers: null, writeSeconds: null, syncSeconds: null, distanceBytes: null, totalSeconds: null };

describe('a line of a server’s log', () => {
  it.each([
    ['14.1, a standby', '2026-11-22T15:41:45Z', true, 446, 0.004, 0.002, 0.01, 6274],
    ['15.18', '2026-11-22T15:41:53.696Z', false, 2321, 0.44, 0.001, 0.522, 33099],
    ['17.10', '2026-11-22T15:42:31.322Z', false, 1192, 0.245, 0.001, 0.259, 16670],
  ] as const)(
    'of %s tells the end of a checkpoint',
    (name, at, restartpoint, buffers, write, sync, total, distance) => {
      expect(parseCheckpointLine(captured[name])).toEqual({
        at: Date.parse(at),
        what: 'complete',
        restartpoint,
        reason: null,
        buffers,
        writeSeconds: write,
        syncSeconds: sync,
        totalSeconds: total,
        distanceBytes: 1024 * distance,
      });
    },
  );

  it.each([
    [
      '2026-11-22 15:41:36.667 UTC::@:[1770]:LOG:  checkpoint starting: immediate force wait wal',
      'immediate force wait wal',
    ],
    ['2026-11-22 15:41:36 UTC:10.0.0.1(5432):a@b:[17]:LOG:  checkpoint starting: time', 'time'],
    ['2026-11-22 17:41:36.1 +02 [1] LOG:  checkpoint starting: wal', 'wal'],
    // With log_error_verbosity: verbose.
    ['2026-11-22 15:41:36.667 UTC::@:[1770]:LOG:  00000: checkpoint starting: time', 'time'],
    ['[1] user=,db= 1795362096.000 LOG:  checkpoint starting: time', 'time'],
  ])('%s tells its start and why', (line, reason) => {
    expect(parseCheckpointLine(line)).toEqual({
      at: expect.any(Number) as number,
      what: 'starting',
      restartpoint: false,
      reason,
      ...none,
    });
    expect(Math.floor((parseCheckpointLine(line)?.at ?? 0) / 1000)).toBe(Date.parse('2026-11-22T15:41:36Z') / 1000);
  });

  it.each(['LOG:  checkpoint starting: wal', '2026-11-22 15:41:36 CET LOG:  checkpoint starting: wal'])(
    '%s has no time that is known',
    (line) => {
      expect(parseCheckpointLine(line)?.at).toBeNull();
    },
  );

  it.each([
    '2026-11-22 15:41:40 UTC::@:[2735]:LOG:  could not signal for checkpoint: checkpointer is not running',
    '2026-11-22 15:41:33.566 UTC::@:[1770]:LOG:  checkpoints are occurring too frequently (3 seconds apart)',
    "2026-11-22 15:41:33.566 UTC:[local]:a@b:[1]:LOG:  statement: SELECT 'LOG:  checkpoint starting: wal'",
    '',
  ])('%s is about something else', (line) => {
    expect([parseCheckpointLine(line), isAboutCheckpoint(line)]).toEqual([null, false]);
  });

  it('is read whatever else is in its prefix, and whatever the line is', () => {
    const prefix = fc.string().filter((text) => !/LOG:|\d\d:\d\d|\d{10}\.|[\n\r\u2028\u2029]/.test(text));
    fc.assert(
      fc.property(
        prefix,
        prefix,
        fc.date({ min: new Date(0), noInvalidDate: true, max: new Date('9000-01-01') }),
        (a, b, time) => {
          const written = time.toISOString().replace('T', ' ').replace('Z', ' UTC');
          const line = `${a}:${written}:${b}LOG:  checkpoint starting: wal`;
          expect(parseCheckpointLine(line)?.at).toBe(time.getTime());
        },
      ),
    );
    fc.assert(fc.property(fc.string(), (line) => isAboutCheckpoint(line) === (parseCheckpointLine(line) !== null)));
  });
});

const startedAt = new Date('2026-11-22T15:00:00Z');
const endedAt = new Date('2026-11-22T15:01:00Z');
const line = (time: string, text: string) => {
  const found = parseCheckpointLine(`2026-11-22 ${time} UTC [1] LOG:  ${text}`);
  if (!found) throw new Error(text);
  return found;
};
const ended = 'checkpoint complete: wrote 5 buffers (0.1%); write=4.000 s, sync=0.500 s, total=5.000 s; sync files=1';
const between = (...lines: ReturnType<typeof line>[]) =>
  checkpointsBetween(lines, { startedAt, endedAt })?.map((one) => [one.startedAt, one.endedAt, one.reason]);

describe('checkpoints of a trial', () => {
  it('are those that were under way in it', () => {
    const lines = [
      ...[line('14:58:00', 'checkpoint starting: immediate force wait'), line('14:58:01', ended)],
      ...[line('14:59:59', 'checkpoint starting: time'), line('15:00:04', ended)],
      ...[line('15:00:30', 'checkpoint starting: wal'), line('15:00:35.5', ended)],
      ...[line('15:00:58', 'checkpoint starting: wal'), line('15:01:03', ended)],
      line('15:01:05', 'checkpoint starting: wal'),
    ];
    expect(between(...lines)).toEqual([
      [-1, 4, 'time'],
      [30, 35.5, 'wal'],
      [58, 63, 'wal'],
    ]);
  });

  it('that are not done have no end, and what they wrote is not known', () => {
    expect(checkpointsBetween([line('15:00:30', 'restartpoint starting: time')], { startedAt, endedAt })).toEqual([
      {
        startedAt: 30,
        endedAt: null,
        reason: 'time',
        restartpoint: true,
        buffers: null,
        writeSeconds: null,
        syncSeconds: null,
        distanceBytes: null,
      },
    ]);
  });

  it('whose start is not in what was read began as long before as they say', () => {
    expect(between(line('15:00:02', ended))).toEqual([[-3, 2, null]]);
  });

  it('that were cut off with their server are not told', () => {
    expect(
      between(line('15:00:01', 'checkpoint starting: wal'), line('15:00:09', 'checkpoint starting: time')),
    ).toEqual([[9, null, 'time']]);
  });

  it('are not known where lines have no time', () => {
    const timeless = parseCheckpointLine('LOG:  checkpoint starting: wal');
    expect(between(...(timeless ? [timeless] : []))).toBeUndefined();
  });
});

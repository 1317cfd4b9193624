import { describe, expect, it } from 'vitest';
import {
  ownProgressIn,
  parseOwnProgress,
  parseProgressLine,
} from '../../../runner/workloads/pgbench/output/parse-progress.ts';
import { capturedOutput } from '../../helpers/samples/captured-output.ts';

describe('parseProgressLine', () => {
  it.each([
    ['2.0 s, 866.0 tps, lat 1.554 ms stddev 1.393, lag 0.556 ms, 1130 skipped', 2, 866, true],
    ['1.0 s, 302.9 tps, lat 6.412 ms stddev 4.699, 115 failed, 252 retried, 766 retries', 1, 302.9, true],
    ['1795244796.144 s, 404.9 tps, lat 4.805 ms stddev 4.929, 0 failed', 1_795_244_796.144, 404.9, true],
    ['2.0 s, 1.0 tps, lat 1402.177 ms stddev NaN, 0 failed', 2, 1, true],
    ['1.0 s, 0.0 tps, lat 0.000 ms stddev 0.000, 0 failed', 1, 0, false],
    ['1.0 s, 0.0 tps, lat 0.000 ms stddev 0.000, 10 failed', 1, 0, true],
    ['1.0 s, 0.0 tps, lat 0.000 ms stddev 0.000, 0 failed, lag 1.000 ms, 9 skipped', 1, 0, true],
  ])('reads progress: %s', (line, elapsedSeconds, tps, isActive) => {
    expect(parseProgressLine(`progress: ${line}`)).toEqual({ elapsedSeconds, tps, isActive });
  });

  it.each(['11.13', '13.4', '14.1', '15.18', '16.14', '17.10', '18.6'])('reads every line of pgbench %s', (version) => {
    const lines = [
      'progress',
      'progress-timestamp',
      'progress-rate',
      'progress-rate-limit',
      'progress-nothing',
    ].flatMap((name) => capturedOutput(`${version}/${name}`).stderr.trim().split('\n'));
    expect(lines.length).toBeGreaterThanOrEqual(13);
    expect(lines.filter((line) => parseProgressLine(line) === null)).toEqual([]);
  });

  it.each(['starting vacuum...end.', 'tps = 1.0 (without initial connection time)', 'progress: 1.0 s'])(
    'leaves "%s" alone',
    (line) => {
      expect(parseProgressLine(line)).toBeNull();
    },
  );
});

describe('progress of our own run', () => {
  const line = 'progress: 1795645570.8 s, 983.1 tps, lat 8.1 ms stddev 2.2, 0 failed';

  it.each([line, `xxx${line}`, `progress: of mine progress: 1.0 s${line}`])('is read in "%s"', (text) => {
    expect(ownProgressIn(text)).toBe(line);
    expect(parseOwnProgress(text)).toEqual(parseProgressLine(line));
  });

  it.each([
    '',
    'xxx',
    'progress: 5.0 s, 983.1 tps, lat 8.1 ms stddev 2.2, 0 failed',
    `${line}progress: of mine`,
    'xprogress: 1.0 s',
  ])('is not in "%s"', (text) => {
    expect(ownProgressIn(text)).toBeNull();
    expect(parseOwnProgress(text)).toBeNull();
  });

  it('is not looked for within a line of an output that somebody kept', () => {
    expect(parseProgressLine(`xxx${line}`)).toBeNull();
  });
});

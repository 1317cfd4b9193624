import { describe, expect, it } from 'vitest';
import { judgeVolumeCheck } from '../../../../runner/places/local/volumes/measure-volume.ts';

const judge = (atOnce: number, deep: number) =>
  judgeVolumeCheck({
    volume: 'with-dlv-log',
    requestedIops: 1000,
    writeBytes: 8192,
    measuredIops: { 16: deep, 1: atOnce },
  });

describe('judgeVolumeCheck', () => {
  it('accepts what is within a tenth of the limit', () => {
    expect(judge(1099, 1099).status).toBe('ok');
    expect(judge(901, 901).status).toBe('ok');
  });

  it('finds a limit that does not hold at any one depth', () => {
    expect(judge(1101, 1000).status).toBe('above');
    expect(judge(1000, 1101)).toEqual({
      status: 'above',
      message: expect.stringMatching(
        /^Volume with-dlv-log, limited to 1000 .* The volume exceeds its limit, so trials on it would/,
      ) as string,
    });
  });

  it('suggests a limit that a slow disk can reach', () => {
    expect(judge(300, 800)).toEqual({
      status: 'below',
      message: expect.stringMatching(/disk is too slow .* so that this one is 720 or less\.$/) as string,
    });
  });

  it('takes no offence at single writes that are slower than the limit, and says how fast they are', () => {
    expect(judge(400, 1000)).toEqual({
      status: 'ok',
      message:
        'Volume with-dlv-log, limited to 1000 writes of 8 KiB per second: measured 400 one at a time, 1000 at queue depth 16.',
    });
  });
});

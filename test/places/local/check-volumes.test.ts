import { describe, expect, it } from 'vitest';
import { PartError } from '../../../runner/contract/errors.ts';
import { checkVolumes } from '../../../runner/places/local/volumes/variant-volumes.ts';
import type { Volume } from '../../../runner/places/local/volumes/volume.ts';

const { signal } = new AbortController();

/** A volume of 1000 IOPS whose test measures these `iops`, one after another; null for a plain folder. */
function volume(...measured: (number | null)[]): Volume {
  let looks = 0;
  return {
    request: { name: 'a-data', sizeGib: 1, iops: 1000 },
    path: '/nowhere',
    limit: () => Promise.resolve(),
    verify() {
      const iops = measured[Math.min(looks++, measured.length - 1)] ?? null;
      return Promise.resolve(
        iops === null
          ? null
          : { volume: 'a-data', requestedIops: 1000, writeBytes: 8192, measuredIops: { 1: iops, 16: iops } },
      );
    },
    failed: signal,
    qmpSocket: null,
  };
}

describe('checkVolumes', () => {
  it('records what keeps to its limit, and passes over what has none', async () => {
    const { checks, caveats } = await checkVolumes([volume(1000), volume(null), volume(990)], signal);
    expect(checks.map(({ measuredIops }) => measuredIops[16])).toEqual([1000, 990]);
    expect(caveats).toEqual([]);
  });

  it('stops where a limit does not hold, which is no bug', async () => {
    const checking = checkVolumes([volume(1000), volume(1200)], signal);
    await expect(checking).rejects.toThrow('The volume exceeds its limit, so trials on it would');
    await expect(checking).rejects.toThrow(PartError);
  });

  it('looks once more where a limit seems not to hold: the machine may have been busy at that moment', async () => {
    const { checks } = await checkVolumes([volume(1200, 1000)], signal);
    expect(checks.map(({ measuredIops }) => measuredIops[16])).toEqual([1000]);
  });

  it('goes on with a disk that is too slow, and says so', async () => {
    const { checks, caveats } = await checkVolumes([volume(500)], signal);
    expect(checks).toHaveLength(1);
    expect(caveats).toEqual([expect.stringContaining('disk is too slow')]);
  });
});

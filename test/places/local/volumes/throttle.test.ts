import { describe, expect, it } from 'vitest';
import { isLimited, noLimits, throttleLimits } from '../../../../runner/places/local/volumes/storage-daemon.ts';

const request = { name: 'a', sizeGib: 1 };

describe('throttleLimits', () => {
  it('counts an I/O in units of 256 KiB, as the cloud does', () => {
    expect(throttleLimits({ ...request, iops: 1000 })).toEqual({
      'iops-total': 1000,
      'bps-total': 0,
      'iops-size': 262_144,
    });
  });

  it('turns MiB into bytes, and sets no I/O size without an IOPS limit, which QEMU would refuse', () => {
    expect(throttleLimits({ ...request, throughputMibps: 1.5 })).toEqual({
      'iops-total': 0,
      'bps-total': 1_572_864,
      'iops-size': 0,
    });
  });

  it('names the same keys with and without limits, so that none of the old ones stays', () => {
    expect(Object.keys(throttleLimits({ ...request, iops: 1 }))).toEqual(Object.keys(noLimits));
  });
});

describe('isLimited', () => {
  it('is true for either limit and false for none', () => {
    expect([{ iops: 1 }, { throughputMibps: 1 }, {}].map((limits) => isLimited({ ...request, ...limits }))).toEqual([
      true,
      true,
      false,
    ]);
  });
});

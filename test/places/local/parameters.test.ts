import { describe, expect, it } from 'vitest';
import { configurationText, walSegmentMegabytes } from '../../../runner/places/local/cluster-files.ts';

describe('the size of a WAL file', () => {
  it('goes to initdb in MB, in whatever unit it is written; bytes without one, as on RDS', () => {
    const sizes = ['1MB', '16384kB', '1GB', 67108864, '67108864'].map((size) =>
      walSegmentMegabytes('one', { wal_segment_size: size }),
    );
    expect(sizes).toEqual([1, 16, 1024, 64, 64]);
    expect(walSegmentMegabytes('one', {})).toBeNull();
  });

  it('is refused unless PostgreSQL can have it', () => {
    for (const size of ['3MB', '512kB', '2GB', '5min', 'large', true, -1]) {
      expect(() => walSegmentMegabytes('one', { wal_segment_size: size })).toThrow(
        `variants.one.engine.parameters: wal_segment_size is ${size}; it must be a power of two from 1MB to 1GB`,
      );
    }
  });

  it('is in no settings file: a server that reads it there does not start', () => {
    const text = configurationText({
      port: 5432,
      folder: '/tmp',
      major: 15,
      parameters: { wal_segment_size: '1MB', max_wal_size: '8MB' },
    });
    expect(text).toContain("max_wal_size = '8MB'");
    expect(text).not.toContain('wal_segment_size');
  });
});

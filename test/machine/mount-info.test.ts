import { describe, expect, it } from 'vitest';
import { parseMountInfo } from '../../runner/machine/mount-info.ts';

describe('parseMountInfo', () => {
  it('reads mount points with blanks and optional fields of any number', () => {
    const text = [
      '36 35 98:0 / /tmp/pgduet-a/v.vol rw,nosuid - fuse /dev/fuse rw,user_id=0',
      '37 35 7:0 / /tmp/with\\040blank/v rw,noatime shared:1 master:2 - ext4 /dev/loop0 rw',
      '',
    ].join('\n');
    expect(parseMountInfo(text)).toEqual([
      { path: '/tmp/pgduet-a/v.vol', device: '98:0', fileSystem: 'fuse', root: '/', options: ['rw', 'user_id=0'] },
      { path: '/tmp/with blank/v', device: '7:0', fileSystem: 'ext4', root: '/', options: ['rw'] },
    ]);
  });
});

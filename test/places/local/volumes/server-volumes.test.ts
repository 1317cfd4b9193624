import { expect, it } from 'vitest';
import { serverVolumes } from '../../../../runner/places/local/local-variant.ts';

it('names what a server keeps on its volumes; a plain folder has neither device nor limit', () => {
  const volume = (name: string, iops?: number) => ({
    request: { name, sizeGib: 1, iops, throughputMibps: iops && 2 },
    path: `/nowhere/${name}`,
    qmpSocket: '/nowhere/1.qmp',
  });
  expect(serverVolumes([volume('one-data', 400), volume('one-log'), volume('one-standby1')])).toEqual([
    { name: 'data', device: null, iopsLimit: 400, throughputLimit: 2 * 2 ** 20 },
    { name: 'log', device: null, iopsLimit: null, throughputLimit: null },
    { name: 'standby1', device: null, iopsLimit: null, throughputLimit: null },
  ]);
  expect(serverVolumes([{ ...volume('one-data', 400), qmpSocket: null }])).toEqual([
    { name: 'data', device: null, iopsLimit: null, throughputLimit: null },
  ]);
});

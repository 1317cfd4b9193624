import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeMachine } from '../../runner/run/driver.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';

/** A system whose files have these texts. */
function rootWith(files: Record<string, string>, links: Record<string, string> = {}): string {
  const root = temporaryFolder();
  const inRoot = (name: string): string => {
    const file = path.join(root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    return file;
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(inRoot(name), text);
  for (const [name, to] of Object.entries(links)) symlinkSync(path.join(root, to), inRoot(name));
  return root;
}

const cpu = 'sys/devices/system/cpu';
const mounts = [
  '22 27 0:21 / /proc rw,relatime - proc proc rw',
  '27 1 259:1 / / rw,relatime - xfs /dev/nvme0n1p1 rw',
  '30 27 0:30 / /tmp rw - tmpfs tmpfs rw',
].join('\n');
const dmi = (vendor: string, product: string) => ({
  'sys/class/dmi/id/sys_vendor': `${vendor}\n`,
  'sys/class/dmi/id/product_name': `${product}\n`,
});

describe('the machine', () => {
  it('has the cores of its processors, and a file system on a disk', () => {
    const disk = 'sys/devices/pci/nvme0n1';
    const root = rootWith(
      {
        [`${cpu}/cpu0/topology/core_id`]: '0',
        [`${cpu}/cpu0/topology/physical_package_id`]: '0',
        [`${cpu}/cpu1/topology/core_id`]: '0',
        [`${cpu}/cpu1/topology/physical_package_id`]: '0',
        [`${cpu}/cpu2/topology/core_id`]: '0',
        [`${cpu}/cpu2/topology/physical_package_id`]: '1',
        [`${cpu}/cpufreq/x`]: '',
        'proc/self/mountinfo': mounts,
        [`${disk}/device/model`]: 'Amazon Elastic Block Store              \n',
        [`${disk}/queue/rotational`]: '0\n',
        [`${disk}/nvme0n1p1/partition`]: '1\n',
      },
      { 'sys/dev/block/259:1': `${disk}/nvme0n1p1` },
    );
    const { cores, fileSystem } = describeMachine('/home/one/results', root);
    expect(cores).toBe(2);
    expect(fileSystem).toEqual({
      type: 'xfs',
      disk: { device: 'nvme0n1', model: 'Amazon Elastic Block Store', rotational: false },
    });
    expect(describeMachine('/tmp', root).fileSystem).toEqual({ type: 'tmpfs' });
    expect(describeMachine('/tmpother', root).fileSystem?.type).toBe('xfs');
  });

  it.each([
    ['a hypervisor without a name', { 'proc/cpuinfo': 'flags\t\t: fpu hypervisor lm\n' }, 'a virtual machine'],
    ['a cloud', { ...dmi('Amazon EC2', 'm7g.large'), 'proc/cpuinfo': 'Features : fp\n' }, 'Amazon EC2 m7g.large'],
    ['a whole machine of a cloud', dmi('Amazon EC2', 'm7g.metal'), undefined],
    ['a machine of one’s own', dmi('Dell Inc.', 'PowerEdge'), undefined],
    ['nothing', {}, undefined],
  ])('of %s is virtual, or not', (_, files, virtualisation) => {
    expect(describeMachine('/', rootWith(files)).virtualisation).toBe(virtualisation);
  });

  it('that tells nothing has what every system tells', () => {
    const reported = describeMachine('/', rootWith({}));
    expect(Object.keys(reported)).toEqual(['name', 'system', 'processor', 'processors', 'memoryBytes']);
  });
});

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowedProcessors, capacity, memoryLeft } from '../../runner/machine/capacity.ts';
import { watchMemory } from '../../runner/machine/memory-kills.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';

const gib = 2 ** 30;
const whole = { memoryBytes: 64 * gib, processors: 16 };

/** A system whose files have these texts. */
function rootWith(files: Record<string, string>, root = temporaryFolder()): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  return root;
}

const version2 = (group: string, top = '/') => ({
  'proc/self/mountinfo': `31 23 0:26 ${top} /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n`,
  'proc/self/cgroup': `0::${group}\n`,
});
/** As on a machine that mounts each controller by itself, and counts processor time in another hierarchy. */
const version1 = (group: string, top = '/') => ({
  'proc/self/mountinfo': ['cpu', 'cpuacct', 'memory']
    .map(
      (name, index) => `${32 + index} 31 0:${29 + index} ${top} /sys/fs/cgroup/${name} rw - cgroup cgroup rw,${name}`,
    )
    .concat('41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw', '')
    .join('\n'),
  'proc/self/cgroup': `4:memory:${group}\n2:cpuacct:${group}\n1:cpu:${group}\n0::/\n`,
});
const at = (folder: string, files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`sys/fs/cgroup/${folder}/${name}`, text]));

describe('what this process may use', () => {
  it('is the smallest limit of its control groups, whichever of them has it', () => {
    const limit = fc.option(fc.integer({ min: 1, max: 100 * gib }));
    fc.assert(
      fc.property(
        fc.array(fc.record({ max: limit, high: limit, quota: limit }), { minLength: 1, maxLength: 4 }),
        (groups) => {
          const names = groups.map((_, depth) => Array.from({ length: depth }, (__, one) => `g${one}`).join('/'));
          const files = groups.map(({ max, high, quota }, depth) =>
            at(names[depth] ?? '', {
              'memory.max': `${max ?? 'max'}\n`,
              'memory.high': `${high ?? 'max'}\n`,
              'cpu.max': `${quota ?? 'max'} 100000\n`,
            }),
          );
          const found = capacity(rootWith(Object.assign(version2(`/${names.at(-1) ?? ''}`), ...files) as never), whole);
          const known = (limits: (number | null)[]): number[] => limits.filter((one) => one !== null);
          expect(found.memoryBytes).toBe(
            Math.min(whole.memoryBytes, ...known(groups.flatMap(({ max, high }) => [max, high]))),
          );
          expect(found.processors).toBe(
            Math.min(whole.processors, ...known(groups.map(({ quota }) => quota)).map((one) => one / 100_000)),
          );
        },
      ),
      { numRuns: 50 },
    );
  });

  it('leaves what the group that is nearest to its limit can still take', () => {
    const root = rootWith({
      ...version2('/a/b'),
      ...at('a', { 'memory.max': '1000\n', 'memory.current': '900\n', 'memory.stat': 'anon 1\ninactive_file 50\n' }),
      ...at('a/b', { 'memory.max': '400\n', 'memory.current': '100\n', 'memory.stat': 'inactive_file 0\n' }),
    });
    expect(memoryLeft(root)).toBe(150);
    expect(memoryLeft(rootWith({}))).toBe(Infinity);
  });

  it('is limited in version 1 of control groups also by groups that cannot be seen from here', () => {
    const root = rootWith({
      // A container that sees only its own group, which the kernel names from the root.
      ...version1('/docker/abc', '/docker/abc'),
      ...at('memory', {
        'memory.limit_in_bytes': '9223372036854771712\n',
        'memory.stat': `cache 0\nhierarchical_memory_limit ${gib / 2}\nhierarchical_memsw_limit 1\n`,
      }),
      ...at('cpu', { 'cpu.cfs_quota_us': '150000\n', 'cpu.cfs_period_us': '100000\n' }),
      ...at('cpuacct', { 'cpuacct.usage': '2500000000\n' }),
    });
    const { memoryBytes, processors, quota } = capacity(root, whole);
    expect({ memoryBytes, processors, used: quota?.usedSeconds() }).toEqual({
      memoryBytes: gib / 2,
      processors: 1.5,
      used: 2.5,
    });
  });

  it('is the whole machine where no group has a limit, or none can be seen', () => {
    const unlimited = rootWith({
      ...version1('/'),
      ...at('memory', { 'memory.stat': 'hierarchical_memory_limit 9223372036854771712\n' }),
      ...at('cpu', { 'cpu.cfs_quota_us': '-1\n', 'cpu.cfs_period_us': '100000\n' }),
    });
    for (const root of [unlimited, rootWith({}), rootWith(version2('/user.slice'))]) {
      expect(capacity(root, whole)).toEqual({ ...whole, quota: null });
      expect(allowedProcessors(root)).toBeNull();
    }
  });

  it('names the processors of its cpuset', () => {
    const root = rootWith({ 'proc/self/status': 'Name:\tnode\nCpus_allowed:\t13\nCpus_allowed_list:\t0-1,4\nx:\t1\n' });
    expect([...(allowedProcessors(root) ?? [])]).toEqual([0, 1, 4]);
  });

  it('knows what the group with the lowest quota has taken', () => {
    const root = rootWith({
      ...version2('/a/b'),
      ...at('a', { 'cpu.max': '50000 100000\n', 'cpu.stat': 'usage_usec 1500000\nuser_usec 1\n' }),
      ...at('a/b', { 'cpu.max': '200000 100000\n', 'cpu.stat': 'usage_usec 3\n' }),
    });
    const { quota } = capacity(root, whole);
    expect([quota?.processors, quota?.usedSeconds()]).toEqual([0.5, 1.5]);
  });
});

describe('that memory ran out', () => {
  it.each([
    ['version 2', version2('/a'), 'sys/fs/cgroup/a/memory.events', 'low 0\noom 3\noom_kill 2\n'],
    ['version 1', version1('/a'), 'sys/fs/cgroup/memory/a/memory.oom_control', 'under_oom 0\noom_kill 2\n'],
    ['no control groups', {}, 'proc/vmstat', 'nr_free_pages 1\noom_kill 2\n'],
  ])('is said with %s once the kernel has ended a process', (_, files, counter, text) => {
    const root = rootWith({ ...files, [counter]: text });
    const ranOut = watchMemory(root);
    expect(ranOut()).toBeNull();
    rootWith({ [counter]: text.replace('oom_kill 2', 'oom_kill 3') }, root);
    expect(ranOut()).toMatch(
      /^Memory ran out: the kernel killed 1 process\. pgduet and its servers may use [\d.]+ GiB\./,
    );
  });

  it('is not said where nothing counts that', () => {
    expect(watchMemory(rootWith({}))()).toBeNull();
  });
});

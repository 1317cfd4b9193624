import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  parseContextSwitches,
  parseMemory,
  parseNetwork,
  parseProcessorTimes,
  parseProcessStat,
} from '../../../runner/collect/driver/proc.ts';

/** As captured on Linux 6.18 with two processors; the line of interrupts is cut off. */
const stat = `cpu  167897 13187 99441 55758 967 0 10210 2138 0 0
cpu0 83419 6776 48688 30753 293 0 3915 907 0 0
cpu1 84477 6410 50753 25004 673 0 6294 1230 0 0
intr 6998298 0 0 0
ctxt 28392424
btime 1795356898
processes 59712
procs_running 22
procs_blocked 0
softirq 11646341 0 260462 170 7883341 2456344 0 3 184245 8484 853292
`;
const meminfo = `MemTotal:       24684096 kB
MemFree:        14699368 kB
MemAvailable:   18858240 kB
Buffers:          155048 kB
`;
const netdev = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 8423122  120313    0    0    0     0          0         0  8423122  120313    0    0    0     0       0          0
  eth0:1000      10    0    0    0     0          0         0     2000      20    0    0    0     0       0          0
  eth1: 1        1    0    0    0     0          0         0        2       1    0    0    0     0       0          0
`;
/** Of a shell, as captured; only the times of itself count, not those of its children. */
const shell =
  '25173 (bash) S 25172 25173 25173 0 -1 4194560 8837 698664 0 32 2 9 3870 511 20 0 1 0 170397 5378048 1011 18446744073709551615 94594531295232 94594532084637 140730477674432 0 0 0 65536 4 1132560123 1 0 0 17 1 0 0 0 0 0 94594532317936 94594532366180 94595258314752 140730477681503 140730477681518 140730477681518 140730477682666 0\n';
const status = 'Name:\tbash\nThreads:\t1\nvoluntary_ctxt_switches:\t187\nnonvoluntary_ctxt_switches:\t149\n';

describe('what Linux tells', () => {
  it('of processors is in seconds over all of them, with what runs now', () => {
    expect(parseProcessorTimes(stat, null)).toEqual({
      user: expect.closeTo(1678.97 + 131.87, 6) as number,
      system: expect.closeTo(994.41 + 102.1, 6) as number,
      ioWait: 9.67,
      steal: 21.38,
      processors: 2,
      areSome: false,
      contextSwitches: 28392424,
      runnable: 22,
    });
    expect(() => parseProcessorTimes('ctxt 1\n', null)).toThrow('no cpu');
  });

  it('of processors is of those that this process may use', () => {
    const line = (name: string, seconds: number): string => `${name} ${100 * seconds} 0 0 0 0 0 0 ${seconds} 0 0`;
    const text = [line('cpu ', 7), line('cpu0', 1), line('cpu1', 2), line('cpu2', 4), 'ctxt 1', 'procs_running 1'];
    const times = parseProcessorTimes(text.join('\n'), new Set([0, 2, 9]));
    expect(times).toMatchObject({ user: 5, steal: 0.05, processors: 2, areSome: true });
    expect(parseProcessorTimes(text.join('\n'), new Set([0, 1, 2]))).toMatchObject({ user: 7, areSome: false });
  });

  it('of memory is what is available, in bytes', () => {
    expect(parseMemory(meminfo)).toBe(18858240 * 1024);
    expect(() => parseMemory('MemTotal: 1 kB\n')).toThrow('no MemAvailable');
  });

  it('of networks is added up over all interfaces but lo, or is of lo alone', () => {
    expect(parseNetwork(netdev, false)).toEqual({ received: 1001, sent: 2002 });
    expect(parseNetwork(netdev, true)).toEqual({ received: 8423122, sent: 8423122 });
  });

  it('of a process is its own time and its threads', () => {
    expect(parseProcessStat(shell)).toEqual({ processorSeconds: 0.11, nice: 0, policy: 0, threads: 1 });
    expect(parseContextSwitches(status)).toEqual({ voluntary: 187, involuntary: 149 });
  });

  it('of a process is read behind its name, whatever that holds', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.nat(), (name, user, system) => {
        const line = shell.replace('(bash)', () => `(${name})`).replace(' 2 9 3870', () => ` ${user} ${system} 3870`);
        expect(parseProcessStat(line).processorSeconds).toBeCloseTo((user + system) / 100, 6);
      }),
    );
  });

  it('of processors is read with any numbers, also from kernels with fewer columns', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(), { minLength: 5, maxLength: 10 }),
        fc.nat(),
        fc.nat(),
        (ticks, switches, running) => {
          const times = parseProcessorTimes(
            `cpu  ${ticks.join(' ')}\ncpu0 ${ticks.join(' ')}\nctxt ${switches}\nprocs_running ${running}\n`,
            null,
          );
          const [user = 0, nice = 0] = ticks;
          expect(times).toMatchObject({ processors: 1, contextSwitches: switches, runnable: running });
          expect(times.user).toBeCloseTo((user + nice) / 100, 6);
          expect(times.steal).toBeCloseTo((ticks[7] ?? 0) / 100, 6);
        },
      ),
    );
  });
});

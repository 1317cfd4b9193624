import { describe, expect, it } from 'vitest';
import { describeOverhead, type Overhead } from '../../../bench/overhead/describe.ts';
import type { Arm, Measured } from '../../../bench/overhead/judge.ts';

function overhead(onTps: number, also: Partial<Overhead> = {}): Overhead {
  const arms: Arm[] = ['on', 'off', 'plain'];
  const measured = (arm: Arm): Measured => ({ tps: arm === 'on' ? onTps : 1000, p99Seconds: 0.001 });
  return {
    place: 'PostgreSQL 15.18 on this machine, in plain folders',
    workload: 'pgbench at scale 10',
    seconds: 10,
    arms,
    collectors: { on: ['processors', 'wait-events'], off: ['processors'] },
    rounds: Array.from({ length: 8 }, () => new Map(arms.map((arm) => [arm, measured(arm)]))),
    machine: { loadBefore: 0.1, loadAfter: 5, busyAtRest: [0.01, 0.02, 0.9] },
    ...also,
  };
}

describe('the text about the cost of collecting', () => {
  it('gives every ratio with its interval, and the verdict last', () => {
    const text = describeOverhead(overhead(998));
    expect(text).toContain('| throughput on/off | 0.9980 | 0.9980 to 0.9980 | 96.1% | 8 |');
    expect(text).toContain('| throughput off/plain | 1.0000 |');
    expect(text).toContain('| p99 latency on/off | 1.0000 |');
    expect(text).not.toContain('no-log |');
    expect(text).not.toContain('Warning');
    expect(text).toMatch(/\n\nshown: [^\n]*$/);
  });

  it('says that it is not shown, and why', () => {
    expect(describeOverhead(overhead(950))).toMatch(/not shown: The throughput of on\/off is 0\.9500, below 0\.99\./);
  });

  it('warns of what was running before and meanwhile', () => {
    const machine = { loadBefore: 2, loadAfter: 9, busyAtRest: [0.5, 0.6, 0.01] };
    const text = describeOverhead(overhead(998, { machine }));
    expect(text).toContain('Warning: something else was running before: the load average was 2.00.');
    expect(text).toContain('Warning: something else was running meanwhile: between the measurements, 50% of');
  });
});

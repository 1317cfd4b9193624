import { describe, expect, it } from 'vitest';
import type { ToolRun } from '../../../runner/contract/tool-output.ts';
import { runsIn } from '../../../runner/workloads/pgbench/output/parse-output.ts';

/** Output of pgbench 15 -T without -P, so that its latency follows from clients and tps. */
function timed(numbers: { transactions: number; tps: number; seconds: number; failed?: number }): ToolRun | undefined {
  const { transactions, tps, seconds, failed = 0 } = numbers;
  const all = transactions + failed;
  const latency = ((1000 * 2) / tps) * (transactions / all);
  const [run] = runsIn(`pgbench (15.18)
transaction type: <builtin: select only>
scaling factor: 1
query mode: simple
number of clients: 2
number of threads: 1
maximum number of tries: 1
duration: ${seconds} s
number of transactions actually processed: ${transactions}
number of failed transactions: ${failed} (${((100 * failed) / all).toFixed(3)}%)
latency average = ${latency.toFixed(3)} ms${failed > 0 ? ' (including failures)' : ''}
initial connection time = 9.186 ms
tps = ${tps.toFixed(6)} (without initial connection time)
`);
  return run;
}

/** Of pgbench 9.5 -T. */
function pgbench95Output(including: string, excluding: string): ToolRun | undefined {
  const [run] = runsIn(`transaction type: TPC-B (sort of)
scaling factor: 100
query mode: simple
number of clients: 10
number of threads: 2
duration: 60 s
number of transactions actually processed: 37870
latency average: 15.844 ms
tps = ${including} (including connections establishing)
tps = ${excluding} (excluding connections establishing)
`);
  return run;
}

const longer = 'by its transactions and tps, it took ';
const contradiction = 'its summary contradicts itself about its duration ';

describe('the time that a run took by its transactions and tps, if no deviation shows how long the last ones took', () => {
  it.each([
    ['as asked', { transactions: 6000, tps: 100, seconds: 60 }, null],
    ['a tenth longer', { transactions: 6600, tps: 100, seconds: 60 }, null],
    ['by a last transaction of 3 s', { transactions: 2, tps: 0.66, seconds: 1 }, null],
    ['a quarter longer', { transactions: 7500, tps: 100, seconds: 60 }, `${longer}75.0 s instead of 60 s`],
    ['a last one waiting for a lock', { transactions: 900, tps: 100, seconds: 2 }, `${longer}9.0 s instead of 2 s`],
    ['failures', { transactions: 7500, tps: 100, seconds: 60, failed: 9 }, `${longer}75.0 s instead of 60 s`],
    ['a digit more', { transactions: 9103, tps: 51.137461, seconds: 2 }, `${contradiction}(2 s) and speed (178.0 s,`],
    ['a digit less', { transactions: 103, tps: 5.1, seconds: 2 }, `${contradiction}(2 s) and speed (20.2 s,`],
    [
      'a digit more beside failures',
      { transactions: 50_123, tps: 254.0155, seconds: 40, failed: 37 },
      `${contradiction}(40 s) and speed (197.3 s,`,
    ],
  ])('%s: nothing to say, a note with both numbers, or damage', (_, numbers, said) => {
    const { complete, problems, notes } = timed(numbers) ?? {};
    const isDamaged = said?.startsWith(contradiction) ?? false;
    const words = said === null ? undefined : [expect.stringContaining(said)];
    expect({ complete, problems, notes }).toEqual({
      complete: !isDamaged,
      problems: isDamaged ? words : [],
      notes: isDamaged ? undefined : words,
    });
  });

  it('of versions with two speeds, too', () => {
    expect(pgbench95Output('631.061508', '631.377112')).toMatchObject({ complete: true });
    expect(pgbench95Output('631.061508', '631.377112')).not.toHaveProperty('notes');
    expect(pgbench95Output('468.669447', '468.955168')?.notes?.join()).toContain('80.8 s instead of 60 s');
    expect(pgbench95Output('31.553075', '31.568856')?.complete).toBe(false);
  });
});

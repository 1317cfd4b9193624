import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../helpers/fakes/fake-io.ts';
import { scriptOf, transactions } from '../../../runner/workloads/orders/scripts.ts';
import { folderWithExperiment, smallExperiment } from '../../helpers/samples/experiment-file.ts';

const workload = { tool: 'orders', warehouses: 10, clients: 4, threads: 2, durationSeconds: 10 };

async function plan(changes: Record<string, unknown>): ReturnType<typeof runCommandLine> {
  const folder = folderWithExperiment('small', { ...smallExperiment(), workload, ...changes });
  return runCommandLine(['plan', 'small'], { workingFolder: folder });
}

describe('an experiment with orders', () => {
  it('is planned with its own words, restored before every trial', async () => {
    const planned = await plan({ decision: { metric: 'newOrders' } });
    expect(planned).toMatchObject({ exitCode: 0, stderr: '' });
    expect(planned.stdout).toContain('the five transactions of TPC-C in its mix');
    expect(planned.stdout).toMatch(/restore .*, checkpoint/);
  });

  it('is refused with the metric of another tool, and that tool with its metric', async () => {
    const { workload: pgbench } = smallExperiment();
    const refused = await plan({ workload: pgbench, decision: { metric: 'newOrders' } });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('workload.tool orders measures it, but pgbench does not');
  });

  it('is refused with a latency as the metric that decides, if clients wait', async () => {
    const refused = await plan({ workload: { ...workload, waits: 0.5 }, decision: { metric: 'latency.p99' } });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr.replace(/\s+/g, ' ')).toContain(
      'latencies would include keying and thinking times; set waits to 0',
    );
    expect(await plan({ workload, decision: { metric: 'latency.p99' } })).toMatchObject({ exitCode: 0 });
  });

  it('takes numbers of clients as levels, each once, and no more threads than clients', async () => {
    expect(await plan({ workload: { ...workload, clients: [4, 8] } })).toMatchObject({ exitCode: 0 });
    const refused = await plan({ workload: { ...workload, clients: [1, 1] } });
    expect(refused.stderr).toContain('more threads than clients; expected at most 1');
    expect(refused.stderr).toContain('1 is listed twice');
  });
});

describe('its scripts', () => {
  it('are the standard mix', () => {
    expect(transactions.map(({ name, weight }) => [name, weight])).toEqual([
      ['new-order', 45],
      ['payment', 43],
      ['order-status', 4],
      ['delivery', 4],
      ['stock-level', 4],
    ]);
  });

  it('wait only if asked to: key in before, and think after', () => {
    for (const one of transactions) {
      expect(scriptOf(one, 0)).not.toContain('\\sleep');
      const lines = scriptOf(one, 0.5).trimEnd().split('\n');
      expect(lines[0]).toBe(`\\sleep ${one.keyingSeconds * 0.5e6} us`);
      expect(lines.at(-2)).toContain(`* ${one.thinkingSeconds * 0.5e6})`);
      expect(lines.at(-1)).toBe('\\sleep :think us');
    }
  });
});

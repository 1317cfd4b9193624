import { expect, it } from 'vitest';
import type { Finding } from '../../../runner/analysis/validity/check.ts';
import type { RunScript } from '../../../runner/contract/tool-output.ts';
import { commits } from '../../../runner/analysis/validity/invariant/commits.ts';
import { commitsOf } from '../../../runner/workloads/orders/generator.ts';

const script = (name: string, transactions: number): RunScript => ({
  name,
  weight: 1,
  transactions,
  tps: null,
  latencyAverageSeconds: null,
});

/** What the check says of a minute of 100,000 transactions, 45,000 of them new orders, of which 450 were rolled back. */
function judged({ foreign = 0, uncounted = 0 }): Finding | null {
  const run = {
    transactions: 100_000,
    scripts: [script('new-order', 45_000 - uncounted), script('payment', 55_000)],
  };
  const measures = {
    'load.commits': commitsOf(run, 45_000 - 450 + foreign),
    'database.commits': 100_000 - 450 + 8 + foreign,
    'collect.commits': 20,
    'database.autovacuums': 0,
    'database.autoanalyzes': 0,
    'load.seconds': 60,
  };
  const [trial, context] = [{ measures, facts: {} }, { shape: { clients: 8, durationSeconds: 60 } }];
  return commits.judge(trial as never, context as never);
}

it('counts what was carried out and not rolled back', () => {
  expect(judged({})).toMatchObject({ state: 'pass', finding: expect.stringContaining('the run 99,550') as string });
});

it('new orders of somebody else, which the declared metric holds, are no commits of the load', () => {
  expect(judged({ foreign: 5000 })).toMatchObject({ state: 'fail', outside: 'other-sessions' });
});

it('transactions that pgbench’s threads did not count by script were not invented', () => {
  expect(judged({ uncounted: 200 })?.state).toBe('pass');
});

import { expect, it } from 'vitest';
import { everyCheck } from '../../runner/analysis/validity/registry.ts';
import { checkSchema } from '../../runner/contract/check.ts';

/** Every name that a file without ids may have. Later names of the same checks do not change this list. */
const namesOfThen = [
  ...['restart or failover', 'backup, maintenance, storage', 'counters', 'clock', 'runner', 'driver’s processors'],
  ...['other programs', 'sleeping processors', 'transaction log', 'commits', 'silent seconds', 'length of the trial'],
  ...['offered transactions', 'size of the database', 'time of a transaction', 'client time', 'transactions'],
  ...['percentile', 'checkpoint cycle', 'autovacuum', 'steady state', 'server version', 'workload', 'deployment'],
  ...['zone', 'settings', 'log volume', 'size and history of tables', 'work', 'blocks', 'order', 'drift'],
  ...['checkpoints', 'checkpoint cycles', 'checkpoint pace', 'warm-up', 'outliers', 'totals', 'end of the trials'],
  ...['transactions of a client', 'control', 'against the control', 'without a partner', 'latency'],
];

it.each(namesOfThen)('a file that has only the name “%s” gives the id of that check', (name) => {
  const { id } = checkSchema.parse({ name, state: 'pass', finding: 'found' });
  expect(everyCheck.map((check) => check.id)).toContain(id);
});

it('a file keeps the id that it has, whatever the name', () => {
  const check = { id: 'clock', name: 'driver clock', state: 'pass', finding: 'not set' };
  expect(checkSchema.parse(check)).toEqual(check);
});

it('no two checks have one id, or one name', () => {
  for (const key of ['id', 'name'] as const) {
    expect(new Set(everyCheck.map((check) => check[key])).size).toBe(everyCheck.length);
  }
  for (const { id } of everyCheck) expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/);
});

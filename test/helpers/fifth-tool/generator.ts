import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { memberName } from '../../../runner/contract/metric.ts';
import { withConnection } from '../../../runner/postgres/connect.ts';
import type { Target } from '../../../runner/postgres/target.ts';
import type { LoadGenerator, OnProgress } from '../../../runner/workloads/tool.ts';
import { logName, rowMetric } from './increments.ts';
import { type CounterWorkload, secondsOf } from './schema.ts';

/** What clients did, each to a row of its own. */
interface Counted {
  perSecond: number[];
  perRow: number[];
}

export function counterGenerator(workload: CounterWorkload): LoadGenerator {
  const { rows, clients } = workload;
  async function count(target: Target, seconds: number, signal: AbortSignal, onProgress: OnProgress): Promise<Counted> {
    const begun = performance.now();
    const perSecond: number[] = [];
    const perRow = Array<number>(clients).fill(0);
    const client = (row: number): Promise<void> =>
      withConnection(
        target,
        async (connection) => {
          for (;;) {
            const elapsedSeconds = (performance.now() - begun) / 1000;
            if (elapsedSeconds >= seconds) return;
            await connection.query('UPDATE counters SET value = value + 1 WHERE id = $1', [row]);
            const second = Math.floor((performance.now() - begun) / 1000);
            perSecond[second] = (perSecond[second] ?? 0) + 1;
            perRow[row] = (perRow[row] ?? 0) + 1;
            onProgress({ elapsedSeconds, tps: perSecond[second] });
          }
        },
        signal,
      );
    await Promise.all(Array.from({ length: clients }, (_, row) => client(row)));
    return { perSecond: Array.from(perSecond, (value: number | undefined) => value ?? 0), perRow };
  }
  return {
    load: (target, { signal }) =>
      withConnection(
        target,
        async (client) => {
          await client.query('CREATE TABLE counters (id int PRIMARY KEY, value bigint NOT NULL)');
          await client.query('INSERT INTO counters SELECT id, 0 FROM generate_series(0, $1 - 1) AS id', [rows]);
        },
        signal,
      ),
    async missing(client) {
      const { rows: found } = await client.query<{ count: number }>('SELECT count(*)::int AS count FROM counters');
      return found[0]?.count === rows ? [] : ['rows of counters'];
    },
    async warmUp(target, { seconds, signal, onProgress }) {
      await count(target, seconds, signal, onProgress);
    },
    async measure(target, { folder, signal, onProgress }) {
      const seconds = secondsOf(workload);
      const { perSecond, perRow } = await count(target, seconds, signal, onProgress);
      writeFileSync(path.join(folder, logName), JSON.stringify(perSecond));
      const transactions = perSecond.reduce((sum, one) => sum + one, 0);
      const tps = transactions / seconds;
      const byRow = Object.fromEntries(perRow.map((value, row) => [memberName(rowMetric, String(row)), value]));
      return {
        measures: { tps, transactions, runtime: seconds, 'increments.perMinute': tps * 60, ...byRow },
        facts: { identity: { rows }, problems: [] },
      };
    },
  };
}

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { withConnection } from '../../../runner/postgres/connect.ts';
import type { Target } from '../../../runner/postgres/target.ts';
import type { LoadGenerator, OnProgress } from '../../../runner/workloads/tool.ts';
import type { CounterWorkload } from './definition.ts';
import { logName } from './increments.ts';

export function counterGenerator({ rows, clients, durationSeconds }: CounterWorkload): LoadGenerator {
  async function count(
    target: Target,
    seconds: number,
    signal: AbortSignal,
    onProgress: OnProgress,
  ): Promise<number[]> {
    const begun = performance.now();
    const perSecond: number[] = [];
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
            onProgress({ elapsedSeconds, tps: perSecond[second] });
          }
        },
        signal,
      );
    await Promise.all(Array.from({ length: clients }, (_, row) => client(row)));
    return Array.from(perSecond, (value: number | undefined) => value ?? 0);
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
      const perSecond = await count(target, durationSeconds, signal, onProgress);
      writeFileSync(path.join(folder, logName), JSON.stringify(perSecond));
      const transactions = perSecond.reduce((sum, one) => sum + one, 0);
      const tps = transactions / durationSeconds;
      return {
        measures: { tps, transactions, runtime: durationSeconds, 'increments.perMinute': tps * 60 },
        facts: { identity: { rows }, problems: [] },
      };
    },
  };
}

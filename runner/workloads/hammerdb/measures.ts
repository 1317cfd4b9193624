import type { Measures } from '../../contract/metric.ts';
import { memberName } from '../../contract/metric-family.ts';
import type { Run } from '../../contract/tool-output.ts';
import type { Facts } from '../../contract/trial.ts';
import { procedureMetrics } from './metrics.ts';

/** Words for the identity facts of a run. With another version of HammerDB, a new order is not the same work. */
export const identityWords = {
  clientVersion: 'the version of the client',
  database: 'the database',
  warehouses: 'the number of warehouses',
  users: 'the number of virtual users',
} as const;

export function measuresOfRun(run: Run): { measures: Measures; facts: Facts } {
  const ofProcedures = run.scripts.flatMap(({ name, latencyAverageSeconds, latencySeconds }) => [
    [memberName(procedureMetrics.average, name), latencyAverageSeconds],
    [memberName(procedureMetrics.p50, name), latencySeconds?.p50 ?? null],
    [memberName(procedureMetrics.p95, name), latencySeconds?.p95 ?? null],
    [memberName(procedureMetrics.p99, name), latencySeconds?.p99 ?? null],
  ]);
  return {
    measures: {
      runtime: run.durationSeconds,
      ...run.measures,
      ...(Object.fromEntries(ofProcedures) as Measures),
    },
    facts: {
      identity: {
        clientVersion: run.clientVersion,
        database: run.database ?? null,
        serverVersion: run.serverVersion,
        warehouses: run.scale,
        users: run.clients,
      },
      problems: run.problems,
    },
  };
}

import { type Measures, memberName, type MembersTable, type Metric } from '../../contract/metric.ts';
import { perMinute } from '../per-minute.ts';
import type { ToolRun } from '../../contract/tool-output.ts';
import type { Facts } from '../../contract/trial.ts';

const [average, p50, p95, p99] = (['average', 'p50', 'p95', 'p99'] as const).map((name): Metric => ({
  name: `procedures.<procedure>.${name}`,
  label: `<procedure> ${name}`,
  column: name,
  unit: 's',
  kind: 'latency',
  better: 'lower',
  compared: 'ratio',
  ofTheLoad: true,
  source: 'HammerDB’s time profile of each procedure, over ramp-up and measured part together',
})) as [Metric, Metric, Metric, Metric];

/** The times of one procedure, by statistic. */
export const procedureMetrics = { average, p50, p95, p99 };

export const proceduresTable: MembersTable = {
  id: 'procedures',
  title: 'Transactions, by HammerDB’s time profile',
  what: 'procedure',
  placeholder: '<procedure>',
  notes: ['Over ramp-up and measured part together.'],
};

export const hammerdbMetrics: readonly Metric[] = [
  {
    ...perMinute,
    name: 'nopm',
    label: 'NOPM',
    source: 'HammerDB: new orders per minute in the measured part, from the order numbers of the districts',
  },
  {
    ...perMinute,
    name: 'tpm',
    label: 'TPM',
    source:
      'HammerDB: commits and rollbacks per minute in the measured part, of all databases of the server; other work on it counts, too',
  },
  ...Object.values(procedureMetrics),
];

/** Words for the identity facts of a run. In another version of HammerDB, a new order is different work. */
export const identityWords = {
  clientVersion: 'the version of the client',
  database: 'the database',
  warehouses: 'the number of warehouses',
  users: 'the number of virtual users',
} as const;

export function measuresOfRun(run: ToolRun): { measures: Measures; facts: Facts } {
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

import { availableParallelism } from 'node:os';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import { oneServerExperiment } from '../../runner/experiment/schema.ts';
import { pgbench } from '../../runner/workloads/pgbench/definition.ts';
import { resolveLevel, pgbenchSchema, type PgbenchWorkload } from '../../runner/workloads/pgbench/schema.ts';
import type { OverheadOptions } from './options.ts';

/** The one variant. */
export const server = 'server';

/**
 * A load whose limit is the processor: all data fits into shared_buffers, and no commit waits for the disk. Any
 * processor time that collecting takes is missing from its throughput.
 */
export function overheadExperiment({ seconds, script }: Pick<OverheadOptions, 'seconds' | 'script'>): {
  experiment: Experiment;
  workload: PgbenchWorkload;
} {
  // One client on each processor, with its server process beside it. With more clients, the kernel sometimes places
  // some of them on other processors than their server processes. Such measurements are a third slower.
  const clients = availableParallelism();
  const workload = {
    tool: 'pgbench',
    scale: 10,
    clients,
    threads: clients,
    durationSeconds: seconds,
    scripts: [{ builtin: script }],
    queryMode: 'prepared',
  };
  const variant = {
    storage: { type: 'local' },
    engine: { parameters: { shared_buffers: '512MB', synchronous_commit: 'off' } },
  };
  const experiment = oneServerExperiment(server, {
    name: 'overhead',
    question: 'What does collecting evidence cost?',
    variant,
    workload,
    protocol: { warmUpSeconds: 0, reset: pgbench.defaultReset(), seed: 1 },
  });
  return { experiment, workload: resolveLevel(pgbenchSchema.parse(workload)) };
}

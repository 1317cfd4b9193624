import type { WrittenExperiment } from '../../contract/experiment/schema.ts';
import type { RuleProblem } from '../../contract/rule-problem.ts';
import { ownConnections } from '../../postgres/target.ts';
import { bytesOf } from '../../postgres/setting-units.ts';
import { toolOf } from '../../workloads/registry.ts';
import { mostClients } from '../plan/levels.ts';

/** What a file system keeps for itself, at most. */
const usableShare = 0.95;
/** Updated rows leave their old versions until they are vacuumed; building an index sorts on disk; a load writes WAL ahead of its checkpoints. */
const growth = 1.2;

/**
 * Foreseeable failures of an experiment whose values are all right by themselves: what will not fit, and would be found out
 * only after loading. The sizes are those that the plan expects.
 */
export function foreseenProblems(experiment: WrittenExperiment): RuleProblem[] {
  return [
    ...Object.keys(experiment.variants).flatMap((name) => roomProblems(experiment, name)),
    ...connectionProblems(experiment),
  ];
}

function roomProblems({ variants, protocol, workload }: WrittenExperiment, name: string): RuleProblem[] {
  const variant = variants[name];
  const { bytes, isExact = true } = toolOf(workload).durations(workload);
  // A size that is only roughly known must not refuse what may fit.
  const sizeGib = variant?.storage.sizeGib;
  if (!variant || sizeGib === undefined || bytes === null || !isExact) return [];
  const { dedicatedLogVolume, engine } = variant;
  const copies = protocol.reset.includes('restore') ? 2 : 1;
  const wal = bytesOf(engine.parameters['max_wal_size'] ?? 0, 'MB') ?? 0;
  const needed = bytes * copies * growth + (dedicatedLogVolume ? 0 : wal);
  if (needed <= sizeGib * 2 ** 30 * usableShare) return [];
  const parts = [
    `${gib(bytes)} of data${copies > 1 ? ', twice, since the reset step restore copies it back' : ''}`,
    ...(wal > 0 && !dedicatedLogVolume ? [`${gib(wal)} of WAL (max_wal_size)`] : []),
  ];
  return [
    {
      path: ['variants', name, 'storage', 'sizeGib'],
      message: `too small for ${parts.join(' and ')}; expected at least ${Math.ceil(needed / usableShare / 2 ** 30)}`,
    },
  ];
}

function connectionProblems(experiment: WrittenExperiment): RuleProblem[] {
  const needed = mostClients(experiment) + ownConnections;
  return Object.entries(experiment.variants).flatMap(([name, { engine }]) => {
    // On RDS it may be a formula.
    const asked = Number(engine.parameters['max_connections'] ?? NaN);
    if (!(asked < needed)) return [];
    return [
      {
        path: ['variants', name, 'engine', 'parameters', 'max_connections'],
        message: `too few for ${mostClients(experiment).toLocaleString('en')} clients and ${ownConnections} connections of our own; expected at least ${needed}`,
      },
    ];
  });
}

function gib(bytes: number): string {
  return `${(bytes / 2 ** 30).toLocaleString('en', { maximumSignificantDigits: 2 })} GiB`;
}

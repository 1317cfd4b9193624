import type { WrittenExperiment } from '../../contract/experiment/schema.ts';
import { type RuleProblem, unless } from '../../contract/rule-problem.ts';
import { type Needed, neededRoom } from '../../places/needed-room.ts';
import { placeOfStorage } from '../../places/registry.ts';
import { ownConnections } from '../../postgres/target.ts';
import { mostClients } from '../plan/levels.ts';

/** What a file system keeps for itself, at most. */
const usableShare = 0.95;
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

function roomProblems(experiment: WrittenExperiment, name: string): RuleProblem[] {
  const variant = experiment.variants[name];
  const sizeGib = variant?.storage.sizeGib;
  if (!variant || sizeGib === undefined) return [];
  const isOwn = placeOfStorage(variant.storage).sharesMachine;
  const room = neededRoom(experiment, variant, isOwn);
  if (!room) return [];
  const { data, wal } = room;
  const problem = (what: string, parts: readonly Needed[]): RuleProblem[] => {
    const needed = parts.reduce((sum, part) => sum + part.bytes, 0);
    if (needed <= sizeGib * 2 ** 30 * usableShare) return [];
    const words = parts.map((part) => part.words).join(' and ');
    return unless(
      false,
      ['variants', name, 'storage', 'sizeGib'],
      `${what}too small for ${words}; expected at least ${Math.ceil(needed / usableShare / 2 ** 30)}`,
    );
  };
  return variant.dedicatedLogVolume && isOwn
    ? [...problem('', [data]), ...problem('for the log volume ', wal)]
    : problem('', variant.dedicatedLogVolume ? [data] : [data, ...wal]);
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

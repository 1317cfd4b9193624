import type { WrittenExperiment } from '../../contract/experiment/schema.ts';
import { type RuleProblem, unless } from '../../contract/check.ts';
import { type Needed, neededRoom, usableBytes } from '../../places/needed-room.ts';
import { placeOfStorage } from '../../places/registry.ts';
import { ownConnections } from '../../postgres/target.ts';
import { mostClients } from '../plan/levels.ts';

/**
 * Foreseeable failures of an experiment whose values are each valid: things that will not fit, which would otherwise
 * show only after loading. The sizes are those that the plan expects.
 *
 * @param inFolders whether servers on this machine get plain folders, which have no size
 */
export function foreseenProblems(experiment: WrittenExperiment, inFolders: boolean): RuleProblem[] {
  return [
    ...Object.keys(experiment.variants).flatMap((name) => roomProblems(experiment, name, inFolders)),
    ...connectionProblems(experiment),
  ];
}

function roomProblems(experiment: WrittenExperiment, name: string, inFolders: boolean): RuleProblem[] {
  const variant = experiment.variants[name];
  const sizeGib = variant?.storage.sizeGib;
  if (!variant || sizeGib === undefined) return [];
  const isOwn = placeOfStorage(variant.storage).sharesMachine;
  const room = isOwn && inFolders ? null : neededRoom(experiment, variant, isOwn);
  if (!room) return [];
  const { data, wal } = room;
  const problem = (what: string, parts: readonly Needed[]): RuleProblem[] => {
    const needed = parts.reduce((sum, part) => sum + part.bytes, 0);
    if (needed <= usableBytes(sizeGib)) return [];
    let enough = Math.ceil(needed / 2 ** 30);
    while (usableBytes(enough) < needed) enough += 1;
    const words = parts.map((part) => part.words).join(' and ');
    return unless(
      false,
      ['variants', name, 'storage', 'sizeGib'],
      `${what}too small for ${words}; expected at least ${enough}`,
    );
  };
  return variant.dedicatedLogVolume && isOwn
    ? [...problem('', [data]), ...problem('the log volume would be ', [wal])]
    : problem('', variant.dedicatedLogVolume || wal.bytes === 0 ? [data] : [data, wal]);
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
        message: `too few for ${mostClients(experiment).toLocaleString('en')} clients and ${ownConnections} connections of pgduet; expected at least ${needed}`,
      },
    ];
  });
}

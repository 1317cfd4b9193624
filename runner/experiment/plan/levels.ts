import type { Experiment } from '../../contract/experiment/schema.ts';
import { replicaAxis } from '../../contract/server.ts';
import type { Level } from '../../contract/trial.ts';
import { toolOf } from '../../workloads/registry.ts';
import { type ContrastAt, type Grouped, groupsOf } from '../groups.ts';

/**
 * Every combination of the values of the axes; the first axis changes slowest. Without axes there is one empty level.
 */
export function levelsOf(axes: Record<string, readonly (string | number)[]>): Level[] {
  return Object.entries(axes).reduce<Level[]>(
    (levels, [name, values]) => levels.flatMap((level) => values.map((value) => ({ ...level, [name]: value }))),
    [{}],
  );
}

/**
 * The levels at which an experiment measures variants: on each of their replicas, at everything that its tool varies,
 * and in each group of a matrix. `variantsAt` says which variants are measured at a level.
 */
export function experimentLevels(experiment: Grouped & Pick<Experiment, 'protocol' | 'workload'>): Level[] {
  const { protocol, workload } = experiment;
  return inEachGroup(experiment, levelsOf({ ...replicaAxis(protocol.replicas), ...toolOf(workload).axes(workload) }));
}

/** All combinations of what the tool varies. */
export function toolLevels({ workload }: Pick<Experiment, 'workload'>): Level[] {
  return levelsOf(toolOf(workload).axes(workload));
}

/** The levels at which variants are compared: everything that the tool varies, in each group. Replicas are pooled. */
export function comparedLevels(experiment: Grouped & Pick<Experiment, 'workload'>): Level[] {
  return inEachGroup(experiment, toolLevels(experiment));
}

function inEachGroup(experiment: Grouped, levels: readonly Level[]): Level[] {
  return groupsOf(experiment).flatMap((group) => levels.map((level) => ({ ...group.level, ...level })));
}

/** Every candidate with the baseline of its group, at each level. */
export function plannedContrasts(experiment: Grouped & Pick<Experiment, 'workload'>): ContrastAt[] {
  const levels = toolLevels(experiment);
  return groupsOf(experiment).flatMap(({ baseline, variants, level: group }) =>
    variants
      .filter((variant) => variant !== baseline)
      .flatMap((candidate) => levels.map((level) => ({ baseline, candidate, level: { ...group, ...level } }))),
  );
}

/** Number of clients of the level that has the most. */
export function mostClients({ workload }: Pick<Experiment, 'workload'>): number {
  const tool = toolOf(workload);
  return Math.max(
    ...levelsOf(tool.axes(workload)).map((level) => tool.shape(tool.resolveLevel(workload, level)).clients),
  );
}

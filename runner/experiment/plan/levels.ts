import type { Experiment } from '../../contract/experiment/schema.ts';
import { replicaAxis } from '../../contract/server.ts';
import type { Level } from '../../contract/trial.ts';
import { toolOf } from '../../workloads/registry.ts';

/** Every combination of the values of the axes; the first axis changes slowest. Without axes there is one empty level. */
export function levelsOf(axes: Record<string, readonly (string | number)[]>): Level[] {
  return Object.entries(axes).reduce<Level[]>(
    (levels, [name, values]) => levels.flatMap((level) => values.map((value) => ({ ...level, [name]: value }))),
    [{}],
  );
}

/** The levels at which an experiment measures every variant: on each of its replicas, at all that its tool varies. */
export function experimentLevels({ protocol, workload }: Pick<Experiment, 'protocol' | 'workload'>): Level[] {
  return levelsOf({ ...replicaAxis(protocol.replicas), ...toolOf(workload).axes(workload) });
}

/** The levels at which variants are compared: all that the tool varies. Replicas are put together. */
export function comparedLevels({ workload }: Pick<Experiment, 'workload'>): Level[] {
  return levelsOf(toolOf(workload).axes(workload));
}

/** Number of clients of the level that has the most. */
export function mostClients({ workload }: Pick<Experiment, 'workload'>): number {
  const tool = toolOf(workload);
  return Math.max(...levelsOf(tool.axes(workload)).map((level) => tool.shape(tool.atLevel(workload, level)).clients));
}

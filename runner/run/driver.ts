import type { Experiment } from '../contract/experiment/schema.ts';
import { hashFiles } from '../workloads/loaded-with.ts';
import { toolOf } from '../workloads/registry.ts';
import { describeMachine } from './describe-machine.ts';
import type { Driver } from './execution.ts';

/**
 * The machine and the load generator of this start.
 *
 * @param where.programs folder with PostgreSQL's client programs
 * @param where.downloadUntil until when the tool may download its program; absent if it may not
 * @param where.folder in which the servers are, or else the results
 */
export async function describeDriver(
  experiment: Experiment,
  where: { programs: string; scriptFolder: string; folder: string; downloadUntil?: AbortSignal },
): Promise<Driver> {
  const tool = toolOf(experiment.workload);
  return {
    machine: describeMachine(where.folder),
    tool: {
      name: tool.name,
      version: await tool.version(where.programs, { ...where, workload: experiment.workload }),
      files: hashFiles(tool.files(experiment.workload), where.scriptFolder),
    },
  };
}

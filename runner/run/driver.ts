import type { Experiment } from '../contract/experiment/schema.ts';
import { hashFiles } from '../workloads/loaded-with.ts';
import { toolOf } from '../workloads/registry.ts';
import { describeMachine } from './describe-machine.ts';
import type { Driver } from './execution.ts';

/**
 * The machine and the load generator of this start, which reads once what it is to carry out. The run's copy of the files has the
 * hashes that are here (inputs.ts).
 *
 * @param where.programs folder with PostgreSQL's client programs
 * @param where.downloadUntil until when the tool may download its program; absent if it may not
 * @param where.folder in which the servers are, or else the results
 * @throws {UserError} if the load generator refuses a script or an option
 */
export async function describeDriver(
  experiment: Experiment,
  where: {
    programs: string;
    scriptFolder: string;
    folder: string;
    downloadUntil?: AbortSignal;
    signal: AbortSignal;
  },
): Promise<Driver> {
  const { workload } = experiment;
  const tool = toolOf(workload);
  const version = await tool.version(where.programs, { ...where, workload });
  const files = hashFiles(tool.files(workload), where.scriptFolder);
  await tool.foresee?.(where.programs, { ...where, workload });
  return { machine: describeMachine(where.folder), tool: { name: tool.name, version, files } };
}

import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import type { Experiment } from '../contract/experiment/schema.ts';
import { otherFileRemedy } from '../experiment/file/load.ts';
import { hashLargeFiles } from '../workloads/loaded-with.ts';
import { toolOf } from '../workloads/registry.ts';
import { describeMachine } from './describe-machine.ts';
import type { Driver } from './execution.ts';
import type { RunInputs } from './prepared-run.ts';

/**
 * The machine and the load generator of this start, which reads once what it is to carry out. The run's copy of the files has the
 * hashes that are here (inputs.ts).
 *
 * @param where.programs folder with PostgreSQL's client programs
 * @param where.downloadUntil until when the tool may download its program; absent if it may not
 * @param where.folder in which the servers are, or else the results
 * @param inputs what the run is made from
 * @param signal ends it, with its reason
 * @throws {UserError} if a file cannot be read, or is not that of the run that is repeated; if the load generator refuses a
 *   script or an option
 */
export async function describeDriver(
  experiment: Experiment,
  where: { programs: string; folder: string; downloadUntil?: AbortSignal },
  inputs: Pick<RunInputs, 'file' | 'filesOfRun'>,
  signal: AbortSignal,
): Promise<Driver> {
  const { workload } = experiment;
  const tool = toolOf(workload);
  const scriptFolder = path.dirname(inputs.file);
  const files = await hashLargeFiles(tool.files(workload), scriptFolder, signal);
  for (const [name, hash] of Object.entries(files)) {
    if (inputs.filesOfRun && inputs.filesOfRun[name] !== hash) {
      throw new UserError(`${path.resolve(scriptFolder, name)} is not the file that was run: ${otherFileRemedy}`);
    }
  }
  const version = await tool.version(where.programs, { ...where, scriptFolder, workload, signal });
  await tool.foresee?.(where.programs, { workload, scriptFolder, signal });
  return { machine: describeMachine(where.folder), tool: { name: tool.name, version, files } };
}

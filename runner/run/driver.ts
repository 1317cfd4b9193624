import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import type { Experiment } from '../contract/experiment/schema.ts';
import { toolOf } from '../workloads/registry.ts';
import { describeMachine } from './describe-machine.ts';
import type { Driver } from './execution.ts';

/**
 * The machine and the load generator of this start.
 *
 * @param where.programs folder with PostgreSQL's client programs
 * @param where.mayDownload whether the tool may download its program
 * @param where.folder in which the servers are, or else the results
 */
export async function describeDriver(
  experiment: Experiment,
  where: { programs: string; scriptFolder: string; folder: string; mayDownload?: boolean },
): Promise<Driver> {
  const tool = toolOf(experiment.workload);
  return {
    machine: describeMachine(where.folder),
    tool: {
      name: tool.name,
      version: await tool.version(where.programs, { ...where, workload: experiment.workload }),
      files: hashFiles(experiment, where.scriptFolder),
    },
  };
}

/**
 * SHA-256 of each file that the workload names.
 *
 * @throws {UserError} if one cannot be read
 */
export function hashFiles({ workload }: Pick<Experiment, 'workload'>, scriptFolder: string): Record<string, string> {
  const files = toolOf(workload).files(workload);
  return Object.fromEntries(files.map((file) => [file, hashOf(path.resolve(scriptFolder, file))]));
}

function hashOf(file: string): string {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex');
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

import type { Experiment } from '../../contract/experiment/schema.ts';
import { toolOf } from '../../workloads/registry.ts';
import { chooseClients } from './choose-binaries.ts';
import { findInstallations, lacks, type LookUp } from './installations.ts';

/**
 * Lets the load generator of this machine read what it would carry out, as each start of a run does.
 *
 * @returns the version of PostgreSQL that read it; null where none is installed, or only one older than that of the run would be
 * @throws {UserError} with the file and what the load generator says
 */
export async function foreseeLoad(
  { workload, variants }: Experiment,
  { scriptFolder, signal, ...lookUp }: LookUp & { scriptFolder: string; signal: AbortSignal },
): Promise<string | null> {
  const tool = toolOf(workload);
  if (!tool.foresee) return null;
  const found = await findInstallations({ ...lookUp, signal }, ['pgbench']);
  if (!found.installations.some((one) => lacks(one, ['pgbench']) === null)) return null;
  const { folder, version, major } = chooseClients(variants, found);
  // What a newer one reads, an older one may refuse.
  if (Object.values(variants).some(({ engine }) => Number.parseInt(engine.version ?? '', 10) > major)) return null;
  await tool.foresee(folder, { workload, scriptFolder, signal });
  return version;
}

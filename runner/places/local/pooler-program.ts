import { UserError } from '../../contract/errors.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { pathOfProgram } from '../../process/program-path.ts';
import { plainEnvironment } from '../../process/rights.ts';
import { askProgram } from '../../process/run-command.ts';
import { toolOf } from '../../workloads/registry.ts';
import type { LocalPooler } from './schema.ts';

const program = 'pgbouncer';
/** From here on, it keeps statements that clients prepared by the protocol, although their sessions change. */
const keepsStatements = { major: 1, minor: 21 };

export interface PoolerProgram {
  path: string;
  keepsStatements: boolean;
}

export interface PoolerRequest extends LocalPooler {
  program: PoolerProgram;
  /** The highest number of concurrent clients. */
  clients: number;
}

/**
 * Finds PgBouncer, before anything is made.
 *
 * @param find where a program is; null if it is not on this machine
 * @returns null if no variant has a pooler
 * @throws {UserError} if it is missing, or cannot carry the load
 */
export async function findPooler(
  { variants, workload }: Experiment,
  signal: AbortSignal,
  find = pathOfProgram,
): Promise<PoolerProgram | null> {
  const pooled = Object.entries(variants).filter(([, { pooler }]) => pooler !== undefined);
  const [[first] = []] = pooled;
  if (first === undefined) return null;
  const found = find(program);
  if (found === null) {
    throw new UserError(
      `variants.${first}.pooler: PgBouncer was not found on this machine. Install it, such as with: sudo apt-get install pgbouncer`,
    );
  }
  const { stdout } = await askProgram([found, '--version'], { environment: plainEnvironment, signal });
  const [, major = 0, minor = 0] = (/^PgBouncer (\d+)\.(\d+)/.exec(stdout) ?? []).map(Number);
  const keeps = major > keepsStatements.major || (major === keepsStatements.major && minor >= keepsStatements.minor);
  const prepares = toolOf(workload).prepares(workload);
  for (const [name, { pooler }] of pooled) {
    if (pooler?.mode !== 'transaction' || prepares === 'never') continue;
    const problem = `variants.${name}.pooler.mode is transaction, but the clients of this load prepare statements`;
    if (prepares === 'by-sql') throw new UserError(`${problem} by SQL, which belong to one session. Use session.`);
    if (keeps) continue;
    throw new UserError(
      `${problem}, and PgBouncer ${major}.${minor} does not keep them. Use 1.21 or newer, the mode session, or workload.queryMode: simple.`,
    );
  }
  return { path: found, keepsStatements: keeps };
}

import type { Client } from 'pg';
import type { ResetStep } from '../contract/experiment/schema.ts';
import { withConnection } from './connect.ts';
import type { Target } from './target.ts';
import { restoreLoadedCopy } from './loaded-copy.ts';
import { vacuumPermitted } from './vacuum.ts';

const statements: Record<Exclude<ResetStep, 'restore' | 'vacuum'>, string[]> = {
  'truncate-history': ['TRUNCATE pgbench_history'],
  checkpoint: ['CHECKPOINT'],
  'tool-default': ['VACUUM pgbench_branches', 'VACUUM pgbench_tellers', 'TRUNCATE pgbench_history'],
};

/** Brings the database to the state in which every trial starts. Returns what could not be done, in words. */
export async function resetDatabase(
  target: Target,
  steps: readonly ResetStep[],
  signal: AbortSignal,
): Promise<string[]> {
  if (steps.length === 0) return [];
  const warnings: string[] = [];
  // First whatever its place in the list: the other steps would be done to a database that goes away.
  if (steps.includes('restore')) await restoreLoadedCopy(target, signal);
  const carryOut = async (client: Client): Promise<void> => {
    for (const step of steps) {
      if (step === 'restore') continue;
      if (step === 'vacuum') {
        await vacuumPermitted(client);
        continue;
      }
      for (const statement of statements[step]) {
        try {
          await client.query(statement);
        } catch (error) {
          // On RDS the master user may not be allowed to; the trial is worth having all the same.
          if (step !== 'checkpoint' || !isPermissionError(error)) throw error;
          warnings.push(`${target.variant}: no CHECKPOINT before the trial (${error.message})`);
        }
      }
    }
  };
  await withConnection(target, carryOut, signal);
  return warnings;
}

function isPermissionError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === '42501';
}

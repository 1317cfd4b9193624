import type { Client } from 'pg';
import { withConnection } from './connect.ts';
import { restoreLoadedCopy } from './loaded-copy.ts';
import type { Target } from './target.ts';
import { vacuumPermitted } from './vacuum.ts';

/**
 * Brings the database to the state in which every trial starts.
 *
 * @param own the steps that only the tool has, by name: their statements, or what carries them out
 * @returns what could not be done, in words
 */
export async function resetDatabase(
  target: Target,
  steps: readonly string[],
  own: Readonly<Record<string, OwnStep>>,
  signal: AbortSignal,
): Promise<string[]> {
  if (steps.length === 0) return [];
  const warnings: string[] = [];
  // `restore` comes first, whatever its place in the list: it replaces the database, and what other steps did to it.
  if (steps.includes('restore')) await restoreLoadedCopy(target, signal);
  await withConnection(
    target,
    async (client) => {
      for (const step of steps.filter((one) => one !== 'restore')) {
        if (step === 'vacuum') await vacuumPermitted(client);
        else if (step === 'checkpoint') warnings.push(...(await checkpoint(client, target.server)));
        else await carryOut(client, own[step]?.statements ?? [], signal);
      }
    },
    signal,
    { long: true },
  );
  return warnings;
}

/** A step that only a tool has. */
export interface OwnStep {
  statements: readonly string[] | ((signal: AbortSignal) => Promise<void>);
}

async function carryOut(client: Client, statements: OwnStep['statements'], signal: AbortSignal): Promise<void> {
  if (typeof statements === 'function') await statements(signal);
  else for (const statement of statements) await client.query(statement);
}

/**
 * The next checkpoint begins after a number of whole WAL segments. So every trial should start at the start of one: else
 * some have most of a segment to go, others a few pages, and their checkpoints begin seconds apart.
 *
 * On RDS the master user may not be allowed to checkpoint. The trial is still useful, so this is only a warning. Nor may it
 * begin a segment there, which is left out then.
 */
async function checkpoint(client: Client, variant: string): Promise<string[]> {
  try {
    const may = "SELECT has_function_privilege('pg_switch_wal()', 'EXECUTE') AS may";
    if ((await client.query<{ may: boolean }>(may)).rows[0]?.may) await client.query('SELECT pg_switch_wal()');
    await client.query('CHECKPOINT');
    return [];
  } catch (error) {
    if (!isPermissionError(error)) throw error;
    return [`${variant}: no CHECKPOINT before the trial (${error.message})`];
  }
}

function isPermissionError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === '42501';
}

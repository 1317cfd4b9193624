import type { Client } from 'pg';
import { hasCode } from '../contract/errors.ts';
import { withConnection } from './connect.ts';
import { restoreLoadedCopy } from './loaded-copy.ts';
import type { Target } from './target.ts';
import { readDatabase } from './touch.ts';
import { vacuumPermitted } from './vacuum.ts';

export interface ResetRequest {
  steps: readonly string[];
  /** The steps that only the tool has, by name: their statements, or what carries them out. */
  own: Readonly<Record<string, OwnStep>>;
  /** Restarts the server; undefined where nobody can. */
  restart?: ((signal: AbortSignal) => Promise<void>) | undefined;
}

/** A step that only a tool has. */
export interface OwnStep {
  statements: readonly string[] | ((signal: AbortSignal) => Promise<void>);
}

/** What was done, with how long each step took, and what could not be done, in words. */
export interface ResetReport {
  done: { step: string; seconds: number }[];
  warnings: string[];
}

/**
 * Brings the database to the state in which every trial starts.
 */
export async function resetDatabase(target: Target, request: ResetRequest, signal: AbortSignal): Promise<ResetReport> {
  const report: ResetReport = { done: [], warnings: [] };
  for (const step of inOrder(request.steps)) {
    const start = performance.now();
    report.warnings.push(...(await carryOut(step, target, request, signal)));
    report.done.push({ step, seconds: (performance.now() - start) / 1000 });
  }
  return report;
}

/** `restore` comes first, whatever its place in the list: it replaces the database, and what other steps did to it. */
function inOrder(steps: readonly string[]): string[] {
  return [...steps.filter((step) => step === 'restore'), ...steps.filter((step) => step !== 'restore')];
}

async function carryOut(
  step: string,
  target: Target,
  { own, restart }: ResetRequest,
  signal: AbortSignal,
): Promise<string[]> {
  const connected = <T>(work: (client: Client) => Promise<T>): Promise<T> =>
    withConnection(target, work, signal, { long: true });
  switch (step) {
    case 'restore':
      await restoreLoadedCopy(target, signal);
      return [];
    case 'restart':
      if (!restart) throw new Error(`${target.server} cannot be restarted here`);
      await restart(signal);
      return [];
    case 'prewarm':
      await readDatabase(target, { into: 'cache', signal });
      return [];
    case 'vacuum':
      await connected(vacuumPermitted);
      return [];
    case 'checkpoint':
      return connected((client) => checkpoint(client, target.server));
    default: {
      const statements = own[step]?.statements ?? [];
      if (typeof statements === 'function') await statements(signal);
      else
        await connected(async (client) => {
          for (const statement of statements) await client.query(statement);
        });
      return [];
    }
  }
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
    if (!hasCode(error, insufficientPrivilege)) throw error;
    return [`${variant}: no CHECKPOINT before the trial (${error.message})`];
  }
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const insufficientPrivilege = '42501';

import path from 'node:path';
import { failureInOutput } from '../../../contract/printed.ts';
import { connectionString, type ServiceTarget, sessionOptions } from '../../../postgres/target.ts';
import { withClient } from '../../../process/client.ts';
import { CommandError } from '../../../process/run-command.ts';
import { errorLines } from '../../pgbench/script-mistakes.ts';
import { type Script, scriptText } from './script.ts';

/** How often each script draws its values. */
const tries = 3;

/** The server must plan a statement in this time, and wait no longer for a lock. */
const [planSeconds, lockSeconds] = [30, 2];

/**
 * Lets pgbench draw the values of a script, and the server plan its statement with them. Nothing is carried out: pgbench sends
 * EXPLAIN, in sessions that may only read.
 *
 * @returns what pgbench or the server says against it; null if nothing
 * @throws {CommandError} if the server is gone
 */
export async function attemptScript(
  target: ServiceTarget,
  script: Script,
  signal: AbortSignal,
): Promise<string | null> {
  const program = path.join(target.service.programs, 'pgbench');
  const bounds = sessionOptions([
    ['default_transaction_read_only', 'on'],
    ['statement_timeout', `${planSeconds}s`],
    ['lock_timeout', `${lockSeconds}s`],
  ]);
  const options = `${target.environment['PGOPTIONS'] ?? ''} ${bounds}`.trim();
  const name = 'script.sql';
  return withClient({ own: { [name]: scriptText(script, [], true) }, signal }, async ({ folder, run }) => {
    const arguments_ = ['--no-vacuum', '--client=1', `--transactions=${tries}`, `--file=${path.join(folder, name)}`];
    const command = [program, ...arguments_, connectionString(target)];
    const result = await run(command, { signal, environment: { ...target.environment, PGOPTIONS: options } });
    if (result.exitCode === 0) return null;
    const lines = errorLines(result.stderr);
    if (failureInOutput(lines.join('\n')) !== null) throw new CommandError(['pgbench'], result);
    return lines.slice(0, 2).join(' ').replaceAll(/\s+/g, ' ');
  });
}

import { UserError } from '../../../contract/errors.ts';
import { CommandError, type CommandResult } from '../../../process/run-command.ts';

/**
 * Judges a single transaction of a script of the user.
 *
 * pgbench says `pgbench: error: client 0 script 0 aborted in command 2 query 0: ERROR:  relation "x" does not exist` of what
 * the server refuses, and file and line of what it cannot read itself.
 *
 * @param name of the script as the experiment has it
 * @throws {UserError} if the script is wrong; {CommandError} if the server or the connection has trouble
 */
export function demandScriptRan(result: CommandResult, name: string, server: string): void {
  if (result.exitCode === 0) return;
  const errors = errorLines(result.stderr);
  if (/connection to server|server closed the connection|terminating connection|is (starting|shutting)/.test(errors)) {
    throw new CommandError(['pgbench', name], result);
  }
  throw new UserError(`The script ${name} does not run on ${server}: ${errors}`);
}

/** From the first error on, without the summary that pgbench closes with. */
function errorLines(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('progress:'));
  const first = Math.max(
    0,
    lines.findIndex((line) => /error|fatal/i.test(line)),
  );
  return lines
    .slice(first, first + 5)
    .filter((line) => !/Run was aborted/.test(line))
    .map((line) => line.replace(/^pgbench: (error|fatal): (client 0 script 0 )?/, ''))
    .join('\n');
}

import path from 'node:path';
import { KeyError, UserError } from '../../contract/errors.ts';
import { failureInOutput } from '../../contract/printed.ts';
import { readTextWhole } from '../../files/read.ts';
import { connectionString, type Target } from '../../postgres/target.ts';
import { withClient } from '../../process/client.ts';
import { CommandError, type CommandResult } from '../../process/run-command.ts';
import type { GeneratorOptions, TriedOut } from '../load-generator.ts';
import { ownScriptsOf, runArguments, scriptPaths } from './arguments.ts';
import { secondsToTry } from './durations.ts';
import { errorLines, lineOfCommand, semicolonHint, variableHint } from './script-mistakes.ts';
import { type PgbenchRun, type PgbenchScript, writeScripts } from './schema.ts';

/** In one session: some scripts work only the first time, such as one that makes a temporary table. */
const tries = 2;
/**
 * A transaction that takes so long is tried by all clients at once, too: they may share what makes it long. Beyond the second
 * number, it is long enough to know that trials cannot be.
 */
const triedTogether = { minSeconds: 0.2, maxSeconds: 20 };

/**
 * Runs two transactions of each script, by one client in one session, without any schedule. If each client of a trial
 * has only one transaction, it runs one. Of the script that takes longest, if it is long, each client then runs one at the
 * same time.
 *
 * @param request.secondsEach how long one transaction may take. @default secondsToTry
 * @throws {UserError} with the script and what the server or pgbench says, if the script does not run, or takes too
 *   long
 */
export async function tryScripts(
  target: Target,
  options: GeneratorOptions<PgbenchRun>,
  request: { folder: string; signal: AbortSignal; secondsEach?: number },
): Promise<TriedOut | null> {
  const { workload } = options;
  await writeScripts(request.folder, ownScriptsOf(workload));
  let longest: { script: PgbenchScript; seconds: number } | null = null;
  for (const script of workload.scripts) {
    const transactions = Math.min(tries, workload.transactions ?? tries);
    const alone = { clients: 1, threads: 1, scripts: [script], transactions };
    const { mean, deviation } = latencyIn(await tryScript(target, alone, options, request));
    // Of two, the faster one, which is the mean less the deviation: the first may have filled caches.
    const seconds = mean - deviation;
    if (seconds > (longest?.seconds ?? 0)) longest = { script, seconds };
  }
  if (!longest) return null;
  const { script, seconds } = longest;
  const isTriedTogether = seconds >= triedTogether.minSeconds && seconds <= triedTogether.maxSeconds;
  const together = isTriedTogether ? await tryTogether(target, script, options, request) : null;
  return { script: nameOf(script), seconds: together ?? seconds };
}

/** @returns mean seconds of a transaction; null if some failed, which says nothing against the script */
async function tryTogether(
  target: Target,
  script: PgbenchScript,
  options: GeneratorOptions<PgbenchRun>,
  request: Parameters<typeof tryScripts>[2],
): Promise<number | null> {
  const { clients, threads } = options.workload;
  if (clients === 1) return null;
  try {
    const together = { clients, threads, scripts: [script], transactions: 1 };
    return latencyIn(await tryScript(target, together, options, request)).mean;
  } catch (error) {
    request.signal.throwIfAborted();
    if (error instanceof UserError) return null;
    throw error;
  }
}

function nameOf(script: PgbenchScript): string {
  return 'file' in script ? script.file : script.builtin;
}

/** @returns what pgbench says of these transactions of a script */
async function tryScript(
  target: Target,
  what: Pick<PgbenchRun, 'clients' | 'threads' | 'scripts'> & { transactions: number },
  { workload, programs, scriptFolder }: GeneratorOptions<PgbenchRun>,
  { folder, signal, secondsEach = secondsToTry(workload) }: Parameters<typeof tryScripts>[2],
): Promise<CommandResult> {
  const { transactions, ...by } = what;
  const unpaced = { rate: undefined, latencyLimitMs: undefined };
  const how = { length: { transactions }, folder, scriptFolder, seed: 1 };
  const [script] = what.scripts;
  const name = script ? nameOf(script) : '';
  const seconds = transactions * secondsEach;
  const overdue = AbortSignal.timeout(seconds * 1000);
  try {
    const result = await withClient({ reads: scriptPaths(what, how), signal }, ({ pathOf, run }) => {
      const options = runArguments({ ...workload, ...unpaced, ...by }, { ...how, pathOf });
      return run([path.join(programs, 'pgbench'), ...options, connectionString(target)], {
        cwd: folder,
        environment: target.environment,
        signal: AbortSignal.any([signal, overdue]),
      });
    });
    const text = (): string =>
      script && 'file' in script ? readTextWhole(path.resolve(scriptFolder, script.file)) : '';
    requireScriptRan(result, { name, text }, target.server);
    return result;
  } catch (error) {
    if (!overdue.aborted || signal.aborted) throw error;
    throw new KeyError(
      `Script ${name} did not complete ${transactions === 1 ? 'a transaction' : `${transactions} transactions`} on ${target.server} within ${seconds} s. Shorten its transactions, or make workload.durationSeconds longer than one of them.`,
    );
  }
}

/** Seconds; 0 if pgbench does not print them. */
function latencyIn({ stdout }: CommandResult): { mean: number; deviation: number } {
  const mean = /^latency average = ([\d.]+) ms/m.exec(stdout)?.[1];
  const deviation = /^latency stddev = ([\d.]+) ms/m.exec(stdout)?.[1];
  return { mean: Number(mean ?? 0) / 1000, deviation: Number(deviation ?? 0) / 1000 };
}

/** How pgbench names the command that failed, in front of the error. */
const withCommand = /^(?:client 0 )?(?:aborted in )?command (\d+)(?: query \d+:| \(\w+\) of script 0;) /m;

/**
 * Judges the first transactions of a script.
 *
 * If the server refuses something, pgbench prints, for example, `pgbench: error: client 0 script 0 aborted in command 2
 * query 0: ERROR:  relation "x" does not exist`. If pgbench itself cannot read something, it prints file and line. From
 * version 15 on, transactions that fail with a serialization error or a deadlock are not errors to pgbench: it silently
 * counts them, and succeeds.
 *
 * @param script its name as the experiment has it, and what is in its file
 * @throws {UserError} if the script is wrong; {CommandError} if the server or the connection has trouble
 */
export function requireScriptRan(
  result: CommandResult,
  { name, text }: { name: string; text: () => string },
  server: string,
): void {
  const done = Number(/^number of transactions actually processed: (\d+)/m.exec(result.stdout)?.[1] ?? 0);
  const errors = errorLines(result.stderr).slice(0, 5).join('\n');
  if (result.exitCode === 0) {
    if (done > 0) return;
    const failed = /^number of failed transactions: .*$/m.exec(result.stdout)?.[0] ?? 'none was done';
    throw new KeyError(
      `The script ${name} does not run on ${server}: none of its transactions succeeded, although nothing else was running (${failed}). Set workload.verboseErrors: true to see what the server says.${/error/i.test(errors) ? `\n${errors}` : ''}`,
      { printed: errors },
    );
  }
  if (failureInOutput(errors) === 'connection-lost') throw new CommandError(['pgbench', name], result, 'load-failed');
  const when = done > 0 ? ' a second time in the same session' : '';
  const script = text();
  const withLine = errors.replace(withCommand, (whole, number) => {
    const line = lineOfCommand(script, Number(number));
    return line === null ? whole : `line ${line}: `;
  });
  const hint = semicolonHint(errors) ?? variableHint(errors, script);
  throw new UserError(
    `The script ${name} does not run${when} on ${server}: ${withLine}${hint === null ? '' : `\n${hint}`}`,
    { printed: errors },
  );
}

import { Command, CommanderError } from 'commander';
import { passingProblem, systemProblem, UserError } from '../contract/errors.ts';
import { toolVersion } from '../contract/tool-version.ts';
import { registerClean } from './commands/clean.ts';
import { registerConclude } from './commands/conclude.ts';
import { registerDigest } from './commands/digest.ts';
import { registerDoctor } from './commands/doctor.ts';
import { registerCompare } from './commands/compare.ts';
import { registerInit } from './commands/init.ts';
import type { Io } from './io.ts';
import { registerParse } from './commands/parse.ts';
import { registerPlan } from './commands/plan.ts';
import { registerPreflight } from './commands/preflight.ts';
import { registerPrices } from './commands/prices.ts';
import { registerReport } from './commands/report.ts';
import { registerVerify } from './commands/verify.ts';
import { registerVerbs } from './commands/verbs.ts';
import { registerWatch } from './commands/watch.ts';
import { helpItem } from './help-item.ts';
import { wrapLines } from '../report/terminal/wrap.ts';

/**
 * Runs one command line. Never throws: errors go to stderr. Sets the exit code (io.ts).
 */
export async function main(args: readonly string[], io: Io): Promise<void> {
  const say = (text: string): void => void io.stderr.write(`${wrapLines(`pgduet: ${text}`, io.columns)}\n`);
  const program = new Command('pgduet')
    .description('Measure PostgreSQL configurations side by side: is it faster, by how much, how sure, and why.')
    .version(toolVersion)
    .exitOverride()
    .configureOutput({
      // commander does not wrap the text that a command adds to its help.
      writeOut: (text) => io.stdout.write(wrapLines(text, io.columns)),
      writeErr: (text) => io.stderr.write(wrapLines(text, io.columns)),
      getOutHelpWidth: () => io.columns,
      getErrHelpWidth: () => io.columns,
    })
    .configureHelp({ formatItem: helpItem })
    .showSuggestionAfterError()
    .showHelpAfterError('(see --help)');
  for (const register of [
    registerInit,
    registerPlan,
    registerPrices,
    registerDoctor,
    registerVerbs,
    registerWatch,
    registerCompare,
    registerReport,
    registerVerify,
    registerPreflight,
    registerConclude,
    registerParse,
    registerDigest,
    registerClean,
  ]) {
    register(program, io);
  }
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (io.signal.aborted) {
      say(messageOf(io.signal.reason));
      io.setExitCode(130);
      return;
    }
    if (error instanceof CommanderError) {
      // commander has printed the help or the error itself.
      io.setExitCode(error.exitCode === 0 ? 0 : 2);
      return;
    }
    const problem = error instanceof UserError ? error : (systemProblem(error) ?? passingProblem(error));
    if (problem) {
      say(problem.message);
      io.setExitCode(problem.passing ? 3 : 2);
    } else {
      io.stderr.write(`pgduet: this is a bug, please report it.\n${stackOf(error)}\n`);
      io.setExitCode(70);
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

import { Command, CommanderError, Help } from 'commander';
import { problemOf, wordsOf } from '../contract/errors.ts';
import { toolVersion } from '../contract/tool-version.ts';
import { registerAwaitDatabases, registerConclude, registerPreflight } from './commands/driver.ts';
import {
  registerClean,
  registerDoctor,
  registerInit,
  registerList,
  registerPlan,
  registerPolicy,
  registerTry,
  registerVerbs,
  registerWatch,
} from './commands/experiments.ts';
import {
  registerCompare,
  registerDigest,
  registerParse,
  registerPrices,
  registerReport,
  registerVerify,
} from './commands/results.ts';
import { registerCompletion, registerHelp } from './commands/shell.ts';
import { type Io, type RegisterCommand, ReportedError, say, withUsableWidths } from './io.ts';
import { hanging, wrapLines } from '../report/media/wrap.ts';

/**
 * Runs one command line. Never throws: errors go to stderr. Sets the exit code (io.ts).
 *
 * @param further verbs besides those of this room, for deploying
 */
export async function main(
  args: readonly string[],
  rawIo: Io,
  further: readonly RegisterCommand[] = [],
): Promise<void> {
  const io = withUsableWidths(rawIo);
  try {
    if (args.length === 0) await (await import('./actions/overview.ts')).overview(io);
    else await commandLine(io, further).parseAsync(args, { from: 'user' });
  } catch (error) {
    if (io.signal.reason instanceof ReportedError) return;
    if (io.signal.aborted) {
      say(`pgduet: ${wordsOf(io.signal.reason)}`, io);
      io.setExitCode(130);
    } else if (error instanceof CommanderError) {
      // commander has printed the help or the error itself.
      io.setExitCode(error.exitCode === 0 ? 0 : 2);
    } else reportError(error, io);
  }
}

/** Says what went wrong, and sets the exit code by it. */
export function reportError(error: unknown, io: Pick<Io, 'stderr' | 'errorColumns' | 'setExitCode'>): void {
  const problem = problemOf(error);
  if (problem) {
    say(`pgduet: ${problem.message}`, io);
    io.setExitCode(problem.isTransient ? 3 : 2);
  } else {
    io.stderr.write(`pgduet: this is a bug, please report it.\n${stackOf(error)}\n`);
    io.setExitCode(70);
  }
}

const deploying = 'Deploy:';

/** The verbs in the groups that `--help` shows, by what they are for. */
const verbs: Readonly<Record<string, readonly RegisterCommand[]>> = {
  'Prepare:': [registerInit, registerList, registerPlan, registerDoctor],
  'Measure:': [registerTry, registerVerbs, registerWatch, registerClean],
  'Read results:': [registerReport, registerCompare, registerVerify],
  'Read outputs of pgbench and HammerDB:': [registerParse, registerDigest],
  [deploying]: [registerPolicy, registerPrices],
  'Help:': [registerCompletion, registerHelp],
};
/** The driver's own verbs. They work, but no help lists them. */
const hidden: readonly RegisterCommand[] = [registerPreflight, registerAwaitDatabases, registerConclude];

/** All verbs with their options. Parsing a command line carries it out, and throws if it is wrong. */
export function commandLine(io: Io, further: readonly RegisterCommand[] = []): Command {
  const program = new Command('pgduet')
    .description(
      'Measure PostgreSQL configurations side by side: is one faster, by how much, how certain is that, and why.',
    )
    .version(toolVersion)
    // --version means something else to try.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      // commander does not wrap the text that a command adds to its help.
      writeOut: (text) => io.stdout.write(wrapLines(text, io.columns)),
      writeErr: (text) => io.stderr.write(wrapLines(text, io.errorColumns)),
      getOutHelpWidth: () => io.columns,
      getErrHelpWidth: () => io.errorColumns,
    })
    .configureHelp({ formatItem: helpItem, subcommandTerm: verbTerm })
    .showSuggestionAfterError()
    .showHelpAfterError('(see --help)');
  for (const [group, registers] of Object.entries(verbs)) {
    program.commandsGroup(group);
    for (const register of group === deploying ? [...registers, ...further] : registers) register(program, io);
  }
  for (const register of hidden) register(program, io);
  return program;
}

/** A verb with its arguments: that it has options goes without saying. */
function verbTerm(verb: Command): string {
  return new Help().subcommandTerm(verb).replace(' [options]', '');
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Least width for a description beside its term, in columns. With less room, it goes below the term. */
const enoughColumns = 30;

/** One option, argument or command with its description. No line is longer than the terminal is wide. */
function helpItem(term: string, termWidth: number, description: string, { helpWidth = 80 }: Help): string {
  if (description === '') return `  ${term}`;
  const beside = `  ${term.padEnd(termWidth)}  `;
  const lines =
    helpWidth - beside.length >= enoughColumns
      ? hanging(beside, description, helpWidth)
      : [`  ${term}`, ...hanging('      ', description, helpWidth)];
  return lines.join('\n');
}

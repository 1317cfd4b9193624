import { Writable } from 'node:stream';
import { Command, CommanderError, Help } from 'commander';
import { failureOf, problemOf, wordsOf } from '../contract/errors.ts';
import { type FailureCode, failureMeanings } from '../contract/failures.ts';
import { toolVersion } from '../contract/tool-version.ts';
import { type Io, ReportedError, say, withUsableWidths } from './io.ts';
import type { AllVerbs, Verb } from './verb.ts';
import { groups, hidden } from './verbs.ts';
import { hanging, wrapLines } from '../report/media/wrap.ts';

/**
 * Runs one command line. Never throws: errors go to stderr, and with `--json`, to stdout, too, unless there is a result.
 * Sets the exit code (io.ts).
 *
 * @param further verbs besides those of this room, for deploying
 */
export async function main(args: readonly string[], rawIo: Io, further: readonly Verb[] = []): Promise<void> {
  const { stdout, hasText } = observed(rawIo.stdout);
  const io = withUsableWidths({ ...rawIo, stdout });
  const printCode = (code: FailureCode, error: unknown): void => {
    if (args.includes('--json') && !hasText()) stdout.write(`${JSON.stringify(errorObject(code, error), null, 2)}\n`);
  };
  try {
    if (args.length === 0) await (await import('./actions/overview.ts')).overview(io);
    else await carryOut(args, commandLine(io, further));
  } catch (error) {
    if (io.signal.reason instanceof ReportedError) return;
    if (io.signal.aborted) {
      say(`pgduet: ${wordsOf(io.signal.reason)}`, io);
      printCode('interrupted', io.signal.reason);
      io.setExitCode(130);
    } else if (error instanceof CommanderError) {
      // commander has printed the help or the error itself.
      if (error.exitCode !== 0) printCode('usage', error);
      io.setExitCode(error.exitCode === 0 ? 0 : 2);
    } else {
      printCode(problemOf(error) ? failureOf(error) : 'bug', error);
      reportError(error, io);
    }
  }
}

/** What scripts read of an error that ends a command; of an experiment with problems, each of them. */
function errorObject(code: FailureCode, error: unknown): object {
  const problems = problemsIn(error);
  const message = problemOf(error)?.message ?? wordsOf(error);
  return { error: { code, message, remedy: failureMeanings[code].remedy, ...problems } };
}

/** The problems of an experiment, also where the error says them in the words of options. */
function problemsIn(error: unknown): object {
  for (let one = error; one instanceof Error; one = one.cause) {
    if ('problems' in one) return { problems: one.problems };
  }
  return {};
}

/** A stream that passes everything on, and whether anything was written. */
function observed(stream: Writable): { stdout: Writable; hasText: () => boolean } {
  let hasText = false;
  const stdout = new Writable({
    decodeStrings: false,
    write(text: string, _, done) {
      hasText = true;
      stream.write(text);
      done();
    },
  });
  return { stdout, hasText: () => hasText };
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

async function carryOut(args: readonly string[], { program, load }: AllVerbs): Promise<void> {
  await load(args[0]);
  await program.parseAsync(args, { from: 'user' });
}

/** All verbs. When the options of one are loaded, parsing a command line with it carries it out, and throws if it is wrong. */
export function commandLine(io: Io, further: readonly Verb[] = []): AllVerbs {
  const program = new Command('pgduet')
    .description('Compare PostgreSQL configurations side by side: which is faster, by how much, how sure, and why.')
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
    .showHelpAfterError('(see --help)')
    // Ours is one of the verbs.
    .helpCommand(false);
  const verbs = new Map<string, { command: Command; load: Verb['load'] }>();
  const add = ({ usage, description, load }: Verb, isHidden = false): void => {
    const command = program.command(usage, { hidden: isHidden }).description(description);
    verbs.set(command.name(), { command, load });
  };
  for (const [group, known] of Object.entries(groups)) {
    program.commandsGroup(group);
    for (const one of group === 'Deploy:' ? [...known, ...further] : known) add(one);
  }
  for (const one of hidden) add(one, true);
  const declared = new Set<Command>();
  async function load(name: string | undefined): Promise<Command | undefined> {
    const { command, load: read } = verbs.get(name ?? '') ?? {};
    if (!command || !read || declared.has(command)) return command;
    const { declare } = await read();
    declared.add(command);
    declare(command, io, all);
    return command;
  }
  const all: AllVerbs = { program, load };
  return all;
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

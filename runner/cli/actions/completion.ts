import path from 'node:path';
import type { Argument, Command, Option } from 'commander';
import { orEmpty, UserError } from '../../contract/errors.ts';
import { experimentNames } from '../../experiment/file/find.ts';
import { profilesOfExperiment } from '../../experiment/file/list.ts';
import { exists, foldersIn, isFolder } from '../../files/look.ts';
import { visible } from '../../report/media/wrap.ts';
import type { Io } from '../io.ts';
import type { AllVerbs, Declare } from '../verb.ts';

type Shell = 'bash' | 'zsh' | 'fish';

/** Prints the script with which a shell asks this program what may come next. */
async function printScript(shell: Shell, options: { json?: true }, io: Io): Promise<void> {
  const { getCompletionScript } = await tabtab();
  const script = await getCompletionScript({ name: 'pgduet', completer: 'pgduet', shell });
  const safe = script.replace(leavesEarly, '$1');
  io.stdout.write(options.json ? `${JSON.stringify(safe)}\n` : safe);
}

/**
 * In tabtab's script for bash: if this program fails, it returns before it sets IFS back, and the user's shell splits no
 * more words.
 */
const leavesEarly = /(2>\/dev\/null\)\)) \|\| return \$\?/;

/** Shells put what is offered into the command line as it is: a file's name must not become a command there. */
const harmless = /^[\w.,/-]+$/;

/** Prints what may come next in the command line that the shell has put into the environment. */
async function complete({ program, load }: AllVerbs, io: Io): Promise<void> {
  const { getShellFromEnv, log, logFiles, parseEnv } = await tabtab();
  const shell = getShellFromEnv(io.environment);
  const words = parseEnv(io.environment).partial.split(/\s+/);
  const current = words.pop() ?? '';
  const own = words.findLastIndex((word) => path.basename(word) === 'pgduet');
  const before = words.slice(own + 1);
  await load(before[0]);
  // A misspelt name or a file that cannot be read completes nothing. An error would be written over the command line.
  const candidates = orEmpty(() => whatMayFollow(before, current, { program, folder: io.workingFolder }));
  const fitting = candidates.filter(({ name }) => name.startsWith(current) && harmless.test(name));
  const items = fitting.map(({ name, description = '' }) => ({ name, description: visible(description) }));
  // Without an answer, bash completes the names of files by itself.
  if (items.length === 0 && shell !== 'bash') logFiles();
  else log(items, shell, (line) => void io.stdout.write(`${line}\n`));
}

/** @throws {UserError} on a driver, whose program has no such package */
async function tabtab(): Promise<typeof import('@pnpm/tabtab')> {
  try {
    const { default: loaded } = await import('@pnpm/tabtab');
    return loaded;
  } catch (error) {
    throw new UserError(
      'This copy of pgduet cannot complete command lines: the package @pnpm/tabtab is not installed.',
      {
        cause: error,
      },
    );
  }
}

interface Candidate {
  name: string;
  description?: string;
}

interface Surroundings {
  program: Command;
  /** Folder in which experiments and results are looked up. */
  folder: string;
}

/**
 * What may come next in a command line. Empty where only a file or a text of one's own can.
 *
 * @param before the words after `pgduet`
 * @param current what there is of the next word
 */
function whatMayFollow(before: readonly string[], current: string, around: Surroundings): Candidate[] {
  const verb = around.program.commands.find((command) => command.name() === before[0]);
  const command = verb ?? around.program;
  const words = verb ? before.slice(1) : before;
  const waiting = optionThatTakes(words.at(-1), command);
  const typed = positionals(words, command);
  if (waiting) return valuesOf(waiting, waiting.attributeName(), { ...around, current, typed });
  if (current.startsWith('-')) return optionsOf(command);
  if (!verb) return before.length === 0 ? verbsOf(around.program) : [];
  const { registeredArguments } = verb;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[typed.length] ?? (last?.variadic ? last : undefined);
  return argument ? valuesOf(argument, argument.name(), { ...around, current, typed }) : [];
}

function verbsOf(program: Command): Candidate[] {
  const shown = program.createHelp().visibleCommands(program);
  return shown.map((one) => ({ name: one.name(), description: one.description() }));
}

/** The option whose value comes after a word; nothing if the word is no such option. */
function optionThatTakes(word: string | undefined, { options }: Command): Option | undefined {
  return options.find(({ short, long, required }) => required && word !== undefined && [short, long].includes(word));
}

function optionsOf(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, description }) => (long ? [{ name: long, description }] : []));
}

/** The words that are neither options nor their values. */
function positionals(words: readonly string[], command: Command): string[] {
  return words.filter((word, index) => !word.startsWith('-') && !optionThatTakes(words[index - 1], command));
}

/** What an option or an argument may be, by its list of choices or by its name. */
function valuesOf(
  { argChoices }: Option | Argument,
  name: string,
  { program, folder, current, typed: [experiment] }: Surroundings & { current: string; typed: readonly string[] },
): Candidate[] {
  if (argChoices) return argChoices.map((choice) => ({ name: choice }));
  switch (name) {
    case 'command':
      return verbsOf(program);
    case 'experiment':
    case 'from':
      return experimentNames(folder).map((one) => ({ name: one }));
    case 'profile':
      return experiment === undefined ? [] : severalOf(profilesOfExperiment(experiment, folder), current);
    case 'dir':
    case 'baseline':
    case 'candidate':
    case 'pilot':
      return latestRuns(folder).map((one) => ({ name: one }));
    default:
      return [];
  }
}

/** Profiles may be combined with commas: those that are there already stay before the next one. */
function severalOf(names: readonly string[], current: string): Candidate[] {
  const there = current.split(',').slice(0, -1);
  return names.filter((name) => !there.includes(name)).map((name) => ({ name: [...there, name].join(',') }));
}

function latestRuns(folder: string): string[] {
  const results = path.join(folder, 'results');
  return (isFolder(results) ? foldersIn(results) : [])
    .map((name) => path.join('results', name, 'latest'))
    .filter((run) => exists(path.join(folder, run)));
}

const howToLoad = `
Add one line to your shell’s startup file:
  bash, in ~/.bashrc:
      source <(pgduet completion bash)
  zsh, in ~/.zshrc after compinit:
      source <(pgduet completion zsh)
  fish, in ~/.config/fish/config.fish:
      pgduet completion fish | source

Completion works for the command pgduet, so pgduet must be on your PATH. For a project install, add this line first:
      PATH="$PATH:/path/to/project/node_modules/.bin"`;

const shells: readonly Shell[] = ['bash', 'zsh', 'fish'];

/** `completion SHELL`, and the hidden verb that its script runs at every press of Tab. */
export const declare: Declare = (command, io, all) => {
  if (command.name() === 'completion-server') {
    command.allowUnknownOption().action(() => complete(all, io));
    return;
  }
  command.registeredArguments[0]?.choices(shells);
  command
    .option('--json', 'print the script as a JSON string')
    .addHelpText('after', howToLoad)
    .action((shell: Shell, options: { json?: true }) => printScript(shell, options, io));
};

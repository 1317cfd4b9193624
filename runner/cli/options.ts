import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Comparison } from '../contract/comparison.ts';
import { quietMachineRules } from '../contract/quiet-machine.ts';
import { type Io, say } from './io.ts';

/** Says what the arguments of a verb are. */
export function describeArguments({ registeredArguments }: Command, ...words: string[]): void {
  for (const [index, argument] of registeredArguments.entries()) argument.description = words[index] ?? '';
}

/** What an experiment may be named by, where a run may be repeated. */
export const runNamed = 'name under experiments/, path to a YAML file, or folder of a run to repeat';

/** Options that several commands share. */
export function profileOption(): Option {
  return new Option('-p, --profile <name>', 'profile of the experiment file, or several: control,smoke');
}

/** For a run, and for what shows or checks it (actions/load-to-run.ts). */
export function localOption(what: string): Option {
  return new Option('--local', `${what}; implied if the experiment can run nowhere else`);
}

/** The same, with the profile that a run takes if the user names none. */
export function profileToRunOption(): Option {
  const option = profileOption();
  option.description += ' (default: for a run on this machine local, if the file has it)';
  return option;
}

/** The values of an option that may be repeated. */
export function oneMore(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** May be given once for each version. */
export function bindirOption(): Option {
  return new Option(
    '--pg-bindir <folder>',
    'folder with initdb, postgres and pgbench; repeat for several versions',
  ).argParser(oneMore);
}

/** May be given once for each folder. */
export function filesInOption(): Option {
  return new Option(
    '--files-in <folder>',
    'also allow files in this folder that are not readable by everyone; repeat for several folders',
  ).argParser(oneMore);
}

/** For what runs an experiment. */
export function trustOption(): Option {
  return new Option(
    '--trust <hash>',
    'run someone else’s files if they have this hash; without it, pgduet asks, or rejects them and prints the hash',
  );
}

export function unverifiedOption(): Option {
  return new Option(
    '--unverified',
    'show a result whose files differ from SHA256SUMS: marked, without verdicts (see verify --help)',
  );
}

export function seedOption(): Option {
  return new Option('--seed <number>', 'seed for the trial order (default: random)').argParser((text) => {
    const seed = Number(text);
    if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff) {
      throw new InvalidArgumentError('expected a whole number from 0 to 4294967295');
    }
    return seed;
  });
}

export function quietMachineOption(): Option {
  return new Option(
    '--quiet-machine <rule>',
    'preferred: other programs may run, and the answer allows for them; awaited: first wait until they stop; required: trials beside them are lost (default: as in the file, otherwise preferred)',
  ).choices(quietMachineRules);
}

/** For a run on this machine, and for what shows or checks it. */
export function volumesOption(): Option {
  return new Option(
    '--volumes <kind>',
    'storage of local variants (default: same as the run you repeat, otherwise auto)',
  ).choices(['auto', 'limited', 'folders']);
}

/** For a run on existing servers. */
export function serversOption(): Option {
  return new Option(
    '--servers <services>',
    'measure existing servers instead of the experiment’s own: services of pg_service.conf in the order of the variants, or variant=service, comma-separated',
  ).argParser((text: string) => text.split(',').map((one) => one.trim()));
}

export function allowActivityOption(): Option {
  return new Option('--allow-activity', 'measure existing servers although others use them; the answer says so');
}

/** Where results are, unless the user says otherwise. */
export const defaultOut = 'results';

export function outOption(): Option {
  return new Option('--out <folder>', 'folder for the results').default(defaultOut);
}

/** How much a verb that runs for long says while it does. */
export interface Loudness {
  quiet?: true;
  verbose?: true;
}

export function quietOption(): Option {
  return new Option('-q, --quiet', 'print only the answer, warnings and errors').conflicts('verbose');
}

export function verboseOption(): Option {
  return new Option('-v, --verbose', 'print each step and stage as it starts, and all tables at the end');
}

export function liveOption(): Option {
  return new Option('--live', 'serve a live page on this machine, updated after each trial; needs a terminal');
}

/** Reads a whole number from 1 on. */
export function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('expected a whole number of 1 or more');
  return value;
}

/** Reads a number between these two. */
export function ratio(above = 0, below = 1): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (value > above && value < below) return value;
    throw new InvalidArgumentError(`expected a number between ${above} and ${below}`);
  };
}

export interface FailOnOptions {
  failOn?: Unwanted[];
}

/** `--fail-on withheld,worse`: for scripts that read only the exit code. */
export function failOnOption(): Option {
  return new Option(
    '--fail-on <outcomes>',
    'exit with code 1 on any of these outcomes, comma-separated: withheld (no verdict), worse, inconclusive',
  ).argParser((text) =>
    text.split(',').map((word) => {
      const known = unwanted.find((one) => one === word.trim());
      if (known === undefined) {
        throw new InvalidArgumentError(`"${word.trim()}" is not an outcome. Choose from ${unwanted.join(', ')}.`);
      }
      return known;
    }),
  );
}

/** Sets exit code 1 and says why, if there is an outcome that the user does not want. */
export function failOnUnwanted(
  comparisons: readonly Comparison[],
  controls: readonly string[],
  { failOn = [] }: FailOnOptions,
  io: Io,
): void {
  const found = outcomesUnwanted(comparisons, failOn, controls);
  if (found.length === 0) return;
  io.setExitCode(1);
  say(found.join('\n'), io);
}

/** What `--fail-on` may name. */
const unwanted = ['withheld', 'worse', 'inconclusive'] as const;
export type Unwanted = (typeof unwanted)[number];

/**
 * One sentence for each outcome that the user does not want; empty if there is none. If there are other candidates,
 * controls are left out: a control that fails withholds their verdicts anyway. If there are only controls, they are
 * judged themselves. A result that decides nothing counts as withheld.
 */
export function outcomesUnwanted(
  comparisons: readonly Comparison[],
  named: readonly Unwanted[],
  controls: readonly string[],
): string[] {
  const isControl = ({ candidate }: Comparison): boolean => controls.includes(candidate.variant);
  const judged = comparisons.filter(({ primary, withheld }) => primary || withheld.length > 0);
  const others = judged.filter((comparison) => !isControl(comparison));
  const deciding = others.length > 0 ? others : judged;
  if (deciding.length === 0) return named.includes('withheld') ? ['--fail-on withheld: no verdict was reached.'] : [];
  return deciding.flatMap((comparison) => {
    const control = isControl(comparison);
    const outcome = outcomeOf(comparison, control);
    const { candidate, baseline } = comparison;
    return outcome !== null && named.includes(outcome)
      ? [`--fail-on ${outcome}: ${candidate.variant} against ${baseline.variant}${control ? ', a control' : ''}.`]
      : [];
  });
}

function outcomeOf({ verdict }: Comparison, isControl: boolean): Unwanted | null {
  // A control that differs from its baseline fails, in whichever direction.
  if (verdict === 'better' && isControl) return 'worse';
  if (verdict === null || verdict === 'descriptive') return 'withheld';
  return verdict === 'worse' || verdict === 'inconclusive' ? verdict : null;
}

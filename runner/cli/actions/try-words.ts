import { isSettled } from '../../contract/comparison.ts';
import { UserError } from '../../contract/errors.ts';
import { ownCommand } from '../../contract/own-command.ts';
import type { Result } from '../../contract/result.ts';
import { ExperimentProblems, type Problem } from '../../experiment/file/problems.ts';
import type { TryOptions } from '../try-options.ts';

/** Keys of the experiment file that options set. */
const optionsOfKeys: readonly (readonly [key: RegExp, option: string])[] = [
  [/^(?:common|variants\.[^.]+)\.engine\.parameters\.(.+)$/, '--set $1'],
  [/^(?:common|variants\.[^.]+)\.engine\.version$/, '--version'],
  [/^variants\.[^.]+\.prepare(\..*)?$/, '--prepare'],
  [/^workload\.load(\..*)?$/, '--dump'],
  [/^name$/, '--keep-file'],
  [/^variants$/, '--set'],
  [/^workload\.scripts(\..*)?$/, '--script'],
  [/^workload\.scale$/, '--scale'],
  [/^workload\.(clients|threads)$/, '--clients'],
  [/^workload\.durationSeconds$/, '--seconds'],
];

/** The same error for a user who wrote options and no experiment file: a mistake is that of an option. */
export function inOptions(error: unknown): unknown {
  return error instanceof ExperimentProblems ? new UserError(mistakes(error.problems), { cause: error }) : error;
}

function optionOf(key: string): string | null {
  const [pattern, option] = optionsOfKeys.find(([one]) => one.test(key)) ?? [];
  return pattern && option !== undefined ? key.replace(pattern, option) : null;
}

/** A line for each mistake. Values of one option with the same mistake share a line. */
function mistakes(problems: readonly Problem[]): string {
  const values = new Map<string, { head: string; wrong: string[]; message: string }>();
  for (const { path, value, message } of problems) {
    const head = optionOf(path) ?? path;
    const key = JSON.stringify([head, message]);
    const wrong = values.get(key)?.wrong ?? [];
    const isNew = value !== undefined && !wrong.includes(value);
    values.set(key, { head, wrong: isNew ? [...wrong, value] : wrong, message });
  }
  return [...values.values()]
    .map(({ head, wrong, message }) => [head, ...(wrong.length > 0 ? [wrong.join(', ')] : []), message].join(': '))
    .join('\n');
}

/** Whether a result settles the question of a try, so that nothing needs to be advised. */
export function isAnswered({ complete, comparisons }: Pick<Result, 'complete' | 'comparisons'>): boolean {
  return complete && comparisons.every(({ primary, verdict }) => !primary || isSettled(verdict));
}

/** What a report or an error advises may concern keys of the experiment file for which `try` has no option. */
export function adviceOnKeys({ keepFile }: Pick<TryOptions, 'keepFile'>): string {
  const options =
    'Options of try set the length of trials (--seconds), the clients (--clients) and the amount of data (--scale).';
  return keepFile === undefined
    ? `${options} Keys of the experiment file, such as protocol.blocks, have no option: write the file with --keep-file NAME.yaml, set them there, and: ${ownCommand} load-run NAME.yaml --local`
    : `${options} Keys such as protocol.blocks have no option: set them in ${keepFile}, and: ${ownCommand} load-run ${keepFile} --local`;
}

import { isSettled } from '../../contract/comparison.ts';
import { UserError } from '../../contract/errors.ts';
import { ownCommand } from '../../contract/own-command.ts';
import type { Result } from '../../contract/result.ts';
import { keysAt } from '../../experiment/file/file-schema.ts';
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

/** What may be a key of an experiment file in a message. A file such as workload.sql is none. */
const keyPattern = /\b(?:protocol|workload|decision|ladder|data)\.[a-z]\w*(?:\.[a-z]\w*)*/g;

/**
 * The same error for a user who wrote options and no experiment file. A mistake is that of an option, and keys that
 * have an option go by its name.
 */
export function inOptions(error: unknown, options: Pick<TryOptions, 'keepFile'>): unknown {
  if (error instanceof ExperimentProblems) return new UserError(mistakes(error.problems), { cause: error });
  if (!(error instanceof UserError)) return error;
  // eslint-disable-next-line no-restricted-syntax -- messages of all rooms name keys, and only here a user wrote none
  const message = error.message.replaceAll(keyPattern, (key) => optionOf(key) ?? key);
  const key = keyIn(message);
  const advice = key === undefined ? '' : ` ${keptFile(key, options)}`;
  return message + advice === error.message
    ? error
    : new UserError(message + advice, { cause: error, isTransient: error.isTransient });
}

function keyIn(message: string): string | undefined {
  // eslint-disable-next-line no-restricted-syntax -- as above
  return message.match(keyPattern)?.find((word) => {
    const path = word.split('.');
    return keysAt(path.slice(0, -1)).includes(path.at(-1) ?? '');
  });
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

/**
 * What a report advises may concern keys of the experiment file for which `try` has no option. A result that settles
 * the question advises nothing.
 */
export function adviceOnKeys(
  { complete, comparisons, stoppedBy = '' }: Pick<Result, 'complete' | 'comparisons' | 'stoppedBy'>,
  options: Pick<TryOptions, 'keepFile'>,
): string[] {
  const isAnswered = complete && comparisons.every(({ primary, verdict }) => !primary || isSettled(verdict));
  if (isAnswered) return [];
  const key = keyIn(stoppedBy) ?? 'protocol.blocks';
  return [
    `Options of try set the length of trials (--seconds), the clients (--clients) and the amount of data (--scale). ${keptFile(key, options)}`,
  ];
}

/** How to set a key for which there is no option. */
function keptFile(key: string, { keepFile }: Pick<TryOptions, 'keepFile'>): string {
  return keepFile === undefined
    ? `Keys of the experiment file, such as ${key}, have no option: write the file with --keep-file NAME.yaml, set them there, and: ${ownCommand} load-run NAME.yaml --local`
    : `Keys such as ${key} have no option: set them in ${keepFile}, and: ${ownCommand} load-run ${keepFile} --local`;
}

import { InvalidArgumentError, Option } from 'commander';
import { outcomesUnwanted, type Unwanted, unwanted } from '../analysis/fail-on.ts';
import type { Comparison } from '../contract/comparison.ts';
import { wrapLines } from '../report/terminal/wrap.ts';
import type { Io } from './io.ts';

export interface FailOnOptions {
  failOn?: Unwanted[];
}

/** `--fail-on withheld,worse`: for scripts, which read nothing but the exit code. */
export function failOnOption(): Option {
  return new Option(
    '--fail-on <outcomes>',
    'exit code 1 if a verdict is one of these, separated by commas: withheld (there is none), worse, inconclusive',
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

/** Sets exit code 1, and says why, if there is an outcome that the user does not want. */
export function failOnUnwanted(
  comparisons: readonly Comparison[],
  controls: readonly string[],
  { failOn = [] }: FailOnOptions,
  io: Io,
): void {
  const found = outcomesUnwanted(comparisons, failOn, controls);
  if (found.length === 0) return;
  io.setExitCode(1);
  io.stderr.write(`${found.map((text) => wrapLines(text, io.columns)).join('\n')}\n`);
}

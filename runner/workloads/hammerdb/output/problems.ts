import type { Timing } from './answers.ts';
import { isError, type Result, says } from './lines.ts';

/** Of errors that every user reports, the first ones say enough. */
const mostErrors = 3;

/**
 * Why the lines of a run are not the output of one that was carried out to its end; none if they are. HammerDB exits with 0 on
 * every failure, and reports a plausible result also if all users but one were gone, so that nothing less than this is
 * enough.
 *
 * @param users without the one that watches the others; null if the lines do not tell
 * @param timing the answer to `jobs ID timing`; null if it was not asked
 */
export function problemsOf(
  lines: readonly string[],
  { users, result, timing }: { users: number | null; result: Result | null; timing: Timing | null },
): string[] {
  const has = (pattern: RegExp): boolean => lines.some((line) => pattern.test(line));
  const succeeded = new Set(lines.flatMap((line) => says.succeeded.exec(line)?.[1] ?? [])).size;
  return [
    ...lines.filter(isError).slice(0, mostErrors),
    ...(users === null
      ? ['it does not say how many virtual users there were']
      : succeeded === users + 1
        ? []
        : [`${succeeded} of ${users + 1} virtual users finished, the one that watches the others included`]),
    ...(has(says.allComplete) ? [] : ['not all virtual users are complete']),
    ...(has(says.destroyed) ? [] : ['its virtual users were not ended']),
    ...(result ? [] : ['it has no result']),
    ...(result && result.nopm <= 0 ? [`its result is ${result.nopm} NOPM`] : []),
    ...(timing !== null && Object.keys(timing).length === 0 ? ['there are no times of its procedures'] : []),
  ];
}

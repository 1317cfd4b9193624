import type { PairedTrials } from '../../contract/comparison.ts';
import { UserError } from '../../contract/errors.ts';
import { loadWords } from '../../contract/load-words.ts';
import { type Level, levelKey, levelSuffix, levelWords } from '../../contract/trial.ts';
import type { ComparableSide, OfferedWork, SideRun } from './side.ts';
import { nounFor, withNoun } from '../../contract/format.ts';

/** The runs of both sides under the same conditions. One side may have none. */
export interface SidesAtLevel {
  /** Only those in which runs differ; empty if all were measured alike. */
  conditions: Level;
  baseline: SideRun[];
  candidate: SideRun[];
}

/**
 * Groups the runs of two sides by what was offered in them, smaller values first. A condition with one known value makes no groups:
 * a version of a tool that does not name it is compared with one that does.
 *
 * @param across conditions that may differ between the two sides
 */
export function levelsOf(
  baseline: ComparableSide,
  candidate: ComparableSide,
  across: readonly string[],
): SidesAtLevel[] {
  const sides = [baseline, candidate];
  const all = sides.flatMap(({ offered }) => offered);
  const known = [...new Set(all.flatMap(Object.keys))];
  for (const name of across) {
    if (!known.includes(name)) {
      throw new UserError(`--across ${name}: not a condition of these runs. Choose from ${known.join(', ')}.`);
    }
    for (const side of sides) requireOneValue(side, name);
  }
  const names = known.filter((name) => !across.includes(name) && valuesOf(all, name).length > 1);
  const levels = new Map<string, SidesAtLevel>();
  for (const [index, { measured }] of sides.entries()) {
    for (const run of measured) {
      const conditions = Object.fromEntries(names.map((name) => [name, run.conditions[name] ?? 'unknown']));
      const level = levels.get(levelKey(conditions)) ?? { conditions, baseline: [], candidate: [] };
      levels.set(levelKey(conditions), level);
      (index === 0 ? level.baseline : level.candidate).push(run);
    }
  }
  return [...levels.values()].toSorted((one, other) => inOrder(one.conditions, other.conditions));
}

export function isMatched({ baseline, candidate }: SidesAtLevel): boolean {
  return baseline.length > 0 && candidate.length > 0;
}

function valuesOf(some: readonly OfferedWork[], name: string): (string | number)[] {
  return [...new Set(some.flatMap((one) => one[name] ?? []))];
}

function inOrder(one: Level, other: Level): number {
  for (const [name, value] of Object.entries(one)) {
    const against = other[name] ?? '';
    if (value === against) continue;
    const areNumbers = typeof value === 'number' && typeof against === 'number';
    return areNumbers ? value - against : String(value) < String(against) ? -1 : 1;
  }
  return 0;
}

function requireOneValue({ label, offered }: ComparableSide, name: string): void {
  const values = valuesOf(offered, name);
  if (values.length < 2) return;
  throw new UserError(
    `--across ${name}: ${label} itself has runs with ${values.map((value) => loadWords(name, value)).join(' and ')}, which are not taken together. Omit --across ${name}, or name files with runs of one of them.`,
  );
}

/** Levels of a side that an error names one by one. */
const shownLevels = 6;

/** Why two sides without a common level are not compared, and what to do. */
export function nothingMatches(
  baseline: ComparableSide,
  candidate: ComparableSide,
  levels: readonly SidesAtLevel[],
): UserError {
  const sides = [baseline, candidate];
  const [before, after] = sides.map(({ label, measured }) => {
    const own = levels
      .map(({ conditions, ...runs }) => ({
        words: levelWords(conditions),
        count: [...runs.baseline, ...runs.candidate].filter((run) => measured.includes(run)).length,
      }))
      .filter(({ count }) => count > 0);
    if (own.length === 0) return `${label} has no run that finished`;
    const words = own
      .slice(0, shownLevels)
      .map(({ words: at, count }) => `${at === '' ? '' : `${at}: `}${withNoun(count, 'run')}`);
    const more = own.length > shownLevels ? `, and ${own.length - shownLevels} more` : '';
    return `${label} has ${words.join('; ')}${more}`;
  });
  const differing = Object.keys(levels[0]?.conditions ?? {}).filter((name) => {
    const values = sides.map(({ offered }) => valuesOf(offered, name));
    return values.every(({ length }) => length === 1) && values[0]?.[0] !== values[1]?.[0];
  });
  const across =
    differing.length === 0 ? '' : ` To compare them although they differ in this: --across ${differing.join(',')}`;
  return new UserError(
    `${baseline.label} and ${candidate.label} have no conditions in common: ${before}. ${after}. Name runs that were measured alike.${across}`,
  );
}

/** Two runs that belong together. */
export interface RunPair {
  place: Pick<PairedTrials, 'block' | 'attempt' | 'replica'>;
  baseline: SideRun;
  candidate: SideRun;
}

/**
 * Pairs the runs of a level: trials by block and replica. Raw outputs have no place but their order.
 *
 * @throws {UserError} if the order does not pair them
 */
export function pairRuns(
  { conditions, baseline, candidate }: SidesAtLevel,
  labels: Record<'baseline' | 'candidate', string>,
): RunPair[] {
  const isOrder = [...baseline, ...candidate].some(({ trial }) => trial === null);
  if (isOrder && baseline.length !== candidate.length) {
    const at = levelSuffix(conditions);
    const count = nounFor(baseline.length, 'run');
    throw new UserError(
      `--paired: ${labels.baseline} has ${baseline.length} ${count}${at}, but ${labels.candidate} has ${candidate.length}. Name the same number of runs on both sides, in the order in which they were measured.`,
    );
  }
  return baseline.flatMap((run, index) => {
    const other = isOrder ? candidate[index] : candidate.find((one) => placeOf(one) === placeOf(run));
    if (!other) return [];
    const { block = index + 1, attempt = 1, conditions: own } = run.trial ?? {};
    const replica = own?.['replica'];
    const place = { block, attempt, ...(typeof replica === 'number' && { replica }) };
    return [{ place, baseline: run, candidate: other }];
  });
}

function placeOf({ trial }: SideRun): string {
  return JSON.stringify([trial?.block, trial?.conditions['replica']]);
}

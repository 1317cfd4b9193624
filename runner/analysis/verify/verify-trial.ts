import { UserError } from '../../contract/errors.ts';
import type { TrialSeries } from '../../contract/metric.ts';
import type { Result } from '../../contract/result.ts';
import { toolVersion } from '../../contract/versioned-file.ts';
import { levelOf, type Trial } from '../../contract/trial.ts';
import { type ReadSealed, seriesSource } from '../../storage/series.ts';
import { toolOf } from '../../workloads/registry.ts';
import { checkedAgain } from '../validity/judge-again.ts';

/** Where the files of a trial are. */
interface TrialFiles {
  read: ReadSealed;
  location: string;
  /** The folder with its raw output; null if that is not here. */
  folder: string | null;
  signal: AbortSignal;
}

/**
 * What is wrong with a finished trial: in its numbers, in what must hold of every trial, and in its record compared
 * with its raw output.
 *
 * @returns the problems in words, and whether there was raw output to read
 */
export async function verifyTrial(
  run: Pick<Result, 'experiment' | 'place' | 'variants' | 'toolVersion'>,
  trial: Trial,
  files: TrialFiles,
): Promise<{ problems: string[]; isReadAgain: boolean }> {
  const problems = [...wrongSpeed(trial), ...impossible(trial)];
  const attempt = async <T>(work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.push(error.message);
      return null;
    }
  };
  const series = await attempt(() => seriesSource(files.read, files.location, files.signal).read(trial));
  if (series) problems.push(...failedNow(run, trial, series));
  const { workload } = run.experiment.definition;
  const tool = toolOf(workload);
  const { folder, signal } = files;
  const again =
    folder === null
      ? null
      : await attempt(async () =>
          tool.readAgain?.(tool.resolveLevel(workload, levelOf(trial.conditions)), folder, {
            startedAt: new Date(trial.startedAt),
            signal,
          }),
        );
  for (const [name, value] of Object.entries(again ?? {})) {
    const recorded = trial.measures[name];
    // An earlier version may not have read this number.
    const isFine =
      recorded === undefined ? value === null || run.toolVersion !== toolVersion : isAlike(recorded, value);
    const found = recorded === undefined ? 'not in its record' : words(recorded);
    if (!isFine) problems.push(`${name} is ${found}, but ${words(value)} in its raw output`);
  }
  const isReadAgain = Object.keys(again ?? {}).length > 0;
  if (again && !isReadAgain) problems.push(`what ${workload.tool} printed is gone, so nothing confirms its numbers`);
  if (isReadAgain && typeof trial.measures[inLog] === 'number' && again?.[inLog] === undefined) {
    problems.push('its record mentions a transaction log, which is gone');
  }
  return { problems, isReadAgain };
}

/** A number that only a log of every transaction has. */
const inLog = 'log.transactions';

/**
 * Transactions a second times seconds are transactions, by the tool's own clock. Only connecting and rounding differ.
 */
const mostOff = { share: 0.02, seconds: 1 };

function wrongSpeed({ measures }: Trial): string[] {
  const { tps = null, transactions = null } = measures;
  const seconds = measures['load.seconds'] ?? measures['runtime'] ?? null;
  if (tps === null || transactions === null || seconds === null) return [];
  const off = Math.abs(tps * seconds - transactions);
  if (off <= Math.max(mostOff.share * transactions, mostOff.seconds * (transactions / seconds)) + 1) return [];
  return [
    `${words(tps)} transactions a second in ${words(seconds)} s do not make its ${words(transactions)} transactions`,
  ];
}

/** Counts, times and speeds are never negative. */
function impossible({ measures }: Trial): string[] {
  return ['tps', 'transactions', 'runtime', 'latency.average'].flatMap((name) => {
    const value = measures[name] ?? 0;
    return value < 0 ? [`${name} is ${words(value)}`] : [];
  });
}

function failedNow(
  run: Pick<Result, 'experiment' | 'place' | 'variants'>,
  trial: Trial,
  series: TrialSeries,
): string[] {
  return checkedAgain(run, trial, series).flatMap(({ name, state, finding }) => {
    const recorded = trial.checks.find((check) => check.name === name)?.state;
    return state === 'fail' && recorded !== 'fail' ? [`${name}: ${finding}; its record does not say so`] : [];
  });
}

function words(value: number | null): string {
  return value === null ? 'unknown' : value.toLocaleString('en', { maximumSignificantDigits: 9 });
}

/**
 * Whether two values that JSON can hold are the same. JSON keeps every digit, but sums may be added in another order.
 * An absent field equals an undefined one.
 */
export function isAlike(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') {
    return a === b || Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
  }
  if (!isHolder(a) || !isHolder(b)) return a === b;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Array.isArray(a) === Array.isArray(b) && [...names].every((name) => isAlike(a[name], b[name]));
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

import { UserError } from '../../contract/errors.ts';
import type { TrialSeries } from '../../contract/metric.ts';
import type { Result } from '../../contract/result.ts';
import { toolVersion } from '../../contract/tool-version.ts';
import { levelOf, type Trial } from '../../contract/trial.ts';
import { tailOf } from '../../metrics/value.ts';
import { type ReadSealed, seriesSource, type SeriesSource } from '../../storage/series.ts';
import { workloadOf } from '../../workloads/of-variants.ts';
import { toolOf } from '../../workloads/registry.ts';
import { checkedAgain, rejudge } from '../validity/rejudge.ts';
import type { Finding, FindingId } from '../../contract/verification.ts';
import type { StoredRun } from '../../storage/run-store.ts';
import { assembleResult } from '../assemble.ts';
import { withKnownDefinition } from '../open-result.ts';
import { asLoaded } from '../loaded-settings.ts';
import { isAlike } from './alike.ts';
import { wrongComparisons } from './verify-comparisons.ts';

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
 * @returns what was found, and whether there was raw output to read
 */
export async function verifyTrial(
  run: Pick<Result, 'experiment' | 'place' | 'variants' | 'toolVersion'>,
  trial: Trial,
  files: TrialFiles,
): Promise<{ findings: Finding[]; isReadAgain: boolean }> {
  const findings: Finding[] = [];
  const add = (id: FindingId, messages: readonly string[]): void => {
    findings.push(...messages.map((message) => ({ id, trial: trial.id, message })));
  };
  add('numbers-disagree', wrongSpeed(trial));
  add('impossible-number', impossible(trial));
  const attempt = async <T>(work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      add('file-damaged', [error.message]);
      return null;
    }
  };
  const series = await attempt(() => seriesSource(files.read, files.location, files.signal).read(trial));
  if (series) add('check-disagrees', failedNow(run, trial, series));
  const workload = workloadOf(run.experiment.definition, trial.conditions.variant);
  const tool = toolOf(workload);
  const { folder, signal } = files;
  const again =
    folder === null
      ? null
      : await attempt(async () =>
          tool.reparse?.(tool.resolveLevel(workload, levelOf(trial.conditions)), folder, {
            startedAt: new Date(trial.startedAt),
            signal,
          }),
        );
  for (const [name, value] of Object.entries(again ?? {})) {
    const recorded = trial.measures[name];
    // An earlier version may not have read this number. Of too few transactions, the record has no percentile.
    const isFine =
      recorded === undefined
        ? value === null || run.toolVersion !== toolVersion
        : isAlike(recorded, value) || (recorded === null && tailOf(name, again ?? {}).isShort);
    const found = recorded === undefined ? 'not in its record' : words(recorded);
    if (!isFine) add('output-disagrees', [`${name} is ${found}, but ${words(value)} in its raw output`]);
  }
  const isReadAgain = Object.keys(again ?? {}).length > 0;
  if (again && !isReadAgain)
    add('output-missing', [`the output of ${workload.tool} is missing, so nothing confirms its numbers`]);
  if (isReadAgain && typeof trial.measures[inLog] === 'number' && again?.[inLog] === undefined) {
    add('output-missing', ['its record mentions a transaction log, which is missing']);
  }
  return { findings, isReadAgain };
}

/** A number that only a log of every transaction has. */
const inLog = 'log.transactions';

/**
 * Transactions a second times seconds are transactions, by the tool's own clock. Only connecting and rounding differ.
 */
const maxDeviation = { share: 0.02, seconds: 1 };

function wrongSpeed({ measures }: Trial): string[] {
  const { tps = null, transactions = null } = measures;
  const seconds = measures['load.seconds'] ?? measures['runtime'] ?? null;
  if (tps === null || transactions === null || seconds === null) return [];
  const off = Math.abs(tps * seconds - transactions);
  if (off <= Math.max(maxDeviation.share * transactions, maxDeviation.seconds * (transactions / seconds)) + 1)
    return [];
  return [
    `${words(tps)} transactions per second for ${words(seconds)} s do not add up to its ${words(transactions)} transactions`,
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
  return checkedAgain(run, trial, series).flatMap(({ id, name, state, finding }) => {
    const recorded = trial.checks.find((check) => check.id === id)?.state;
    return state === 'fail' && recorded !== 'fail' ? [`${name}: ${finding}; its record does not say so`] : [];
  });
}

function words(value: number | null): string {
  return value === null ? 'unknown' : value.toLocaleString('en', { maximumSignificantDigits: 9 });
}

/**
 * Where a result disagrees with the other files of its run: about the run, about its trials, and about what follows
 * from them. What follows is made again only if the result is from this version of pgduet.
 *
 * @param files null for a copy, which has only the result
 * @param mayBeMadeAgain false if something is known that would make the result differ anyway
 * @returns what was found, and whether everything that follows from the trials was made again
 * @throws {UserError} if the series of a trial are damaged
 */
export async function verifyResult(
  result: Result,
  files: StoredRun | null,
  { mayBeMadeAgain, series, location }: { mayBeMadeAgain: boolean; series: SeriesSource; location: string },
): Promise<{ findings: Finding[]; isMadeAgain: boolean }> {
  const stored = files ?? asStored(result);
  const isCopy = files === null;
  const { warnings: _, ...described } = stored.run;
  const record = { ...described, variants: asLoaded(described.variants, stored.steps) };
  const wrong = [
    ...(isCopy ? [] : wrongParts(Object.keys(record), { recorded: result, right: record })),
    ...wrongTrials(result, stored),
  ];
  // The code that read the files reports trials that are damaged or gone.
  const isFromAll = mayBeMadeAgain && wrong.length === 0 && stored.unreadable.length === 0;
  if (!isFromAll || result.toolVersion !== toolVersion) return { findings: wrong, isMadeAgain: false };
  const run = withKnownDefinition(stored.run, location);
  const { endedAt, stoppedAfterBlock, stoppedBy } = result;
  // Every finished trial is judged again, as if something had been found about it later. Trials of a result are judged
  // already.
  const finished = stored.trials.filter(({ state }) => state === 'finished');
  const foundLater = new Set(finished.map(({ id }) => id));
  const trials = isCopy ? stored.trials : await rejudge({ ...stored, foundLater }, series);
  const made = await assembleResult(
    { run, steps: stored.steps, trials },
    { endedAt, stoppedAfterBlock, stoppedBy },
    series,
  );
  // As JSON has it.
  const right = JSON.parse(JSON.stringify(made)) as Result;
  const follows = ['complete', 'steps', 'trials', 'ladders', 'explanations', 'distributions', 'robustness'];
  const findings = [
    ...wrongComparisons(result.comparisons, right.comparisons),
    ...wrongParts(follows, { recorded: result, right }),
    ...(isCopy ? missingWarnings(result, right) : wrongParts(['warnings'], { recorded: result, right })),
  ];
  return { findings, isMadeAgain: true };
}

/** A copy does not record which warnings the run had before its first trial. */
function missingWarnings(recorded: Result, right: Result): Finding[] {
  const known = new Set(recorded.warnings.map(({ message }) => message));
  const missing = right.warnings.filter(({ message }) => !known.has(message));
  return missing.map(({ message }) => ({
    id: 'result-disagrees',
    message: `a warning that follows from the trials is missing in result.json: ${message}`,
  }));
}

function asStored(result: Result): StoredRun {
  const { steps, trials } = result;
  const nothing = { unreadable: [], disagreements: [], caveats: [], foundLater: new Set<string>() };
  return { run: { ...result, warnings: [] }, steps, trials, ...nothing };
}

function wrongParts(
  names: readonly string[],
  { recorded, right }: { recorded: Result; right: Partial<Result> },
): Finding[] {
  return names
    .filter((name) => !isAlike(recorded[name as keyof Result], right[name as keyof Result]))
    .map((name) => ({
      id: 'result-disagrees',
      message: `the field ${name} of result.json does not agree with the other files of the run`,
    }));
}

function wrongTrials({ trials }: Result, { trials: inFiles, unreadable }: StoredRun): Finding[] {
  const kept = new Map(inFiles.map((trial) => [trial.id, trial]));
  const recorded = new Map(trials.map((trial) => [trial.id, trial]));
  const unknown = new Set(unreadable.map(({ id }) => id));
  return [...new Set([...recorded.keys(), ...kept.keys()])].sort().flatMap((trial): Finding[] => {
    const [inResult, onDisk] = [recorded.get(trial), kept.get(trial)];
    if (!inResult)
      return [{ id: 'trial-unlisted', trial, message: 'result.json does not have it, but its files are there' }];
    if (!onDisk && unknown.has(trial)) return [];
    if (!onDisk) return [{ id: 'trial-missing', trial, message: 'result.json has it, but its files are missing' }];
    return differences(inResult, onDisk).map((name) => ({
      id: 'trial-disagrees',
      trial,
      message: `its ${name} in result.json differ from those in its own files`,
    }));
  });
}

/** Compares only what no later reading of a trial changes. A later version may derive more from its numbers. */
function differences(recorded: Trial, kept: Trial): string[] {
  const conditions = ({ conditions, block, attempt }: Trial): unknown => ({ conditions, block, attempt });
  const times = ({ state, startedAt, endedAt }: Trial): unknown => ({ state, startedAt, endedAt });
  const numbers = ({ measures }: Trial): unknown => Object.keys(kept.measures).map((name) => measures[name]);
  return Object.entries({ conditions, times, numbers }).flatMap(([name, of]) =>
    isAlike(of(recorded), of(kept)) ? [] : [name],
  );
}

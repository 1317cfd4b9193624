import type { Comparison } from '../../contract/comparison.ts';
import type { Result } from '../../contract/result.ts';
import { toolVersion } from '../../contract/versioned-file.ts';
import type { Trial } from '../../contract/trial.ts';
import type { StoredRun } from '../../storage/run-store.ts';
import type { SeriesSource } from '../../storage/series.ts';
import { assembleResult } from '../assemble.ts';
import { withKnownDefinition } from '../open-result.ts';
import { asLoaded } from '../undeclared-differences.ts';
import { judgeAgain } from '../validity/judge-again.ts';
import { isAlike } from './verify-trial.ts';

/**
 * Where a result disagrees with the other files of its run: about the run, about its trials, and about what follows
 * from them. What follows is made again only if the result is from this version of pgduet.
 *
 * @param files null for a copy, which has only the result
 * @param mayBeMadeAgain false if something is known that would make the result differ anyway
 * @returns the problems in words, and whether everything that follows from the trials was made again
 * @throws {UserError} if the series of a trial are damaged
 */
export async function verifyResult(
  result: Result,
  files: StoredRun | null,
  { mayBeMadeAgain, series, location }: { mayBeMadeAgain: boolean; series: SeriesSource; location: string },
): Promise<{ problems: string[]; isMadeAgain: boolean }> {
  const stored = files ?? asStored(result);
  const isCopy = files === null;
  const { warnings: _, ...described } = stored.run;
  const record = { ...described, variants: asLoaded(described.variants, stored.steps) };
  const wrong = [
    ...(isCopy ? [] : wrongParts(Object.keys(record), { said: result, right: record })),
    ...wrongTrials(result, stored),
  ];
  // The code that read the files reports trials that are damaged or gone.
  const isFromAll = mayBeMadeAgain && wrong.length === 0 && stored.unreadable.length === 0;
  if (!isFromAll || result.toolVersion !== toolVersion) return { problems: wrong, isMadeAgain: false };
  const run = withKnownDefinition(stored.run, location);
  const { endedAt, stoppedAfterBlock, stoppedBy } = result;
  // Every finished trial is judged again, as if something had been found about it later. Trials of a result are judged
  // already.
  const finished = stored.trials.filter(({ state }) => state === 'finished');
  const foundLater = new Set(finished.map(({ id }) => id));
  const trials = isCopy ? stored.trials : await judgeAgain({ ...stored, foundLater }, series);
  const made = await assembleResult(
    { run, steps: stored.steps, trials },
    { endedAt, stoppedAfterBlock, stoppedBy },
    series,
  );
  // As JSON has it. Nobody else has written it.
  // eslint-disable-next-line no-restricted-syntax
  const right = JSON.parse(JSON.stringify(made)) as Result;
  const follows = ['complete', 'steps', 'trials', 'ladders', 'explanations'];
  const problems = [
    ...wrongComparisons(result.comparisons, right.comparisons),
    ...wrongParts(follows, { said: result, right }),
    ...(isCopy ? missingWarnings(result, right) : wrongParts(['warnings'], { said: result, right })),
  ];
  return { problems, isMadeAgain: true };
}

/** A copy does not record which warnings the run had before its first trial. */
function missingWarnings(said: Result, right: Result): string[] {
  const missing = right.warnings.filter((warning) => !said.warnings.includes(warning));
  return missing.map((warning) => `a warning that follows from the trials is missing in result.json: ${warning}`);
}

function asStored(result: Result): StoredRun {
  const { steps, trials } = result;
  const nothing = { unreadable: [], disagreements: [], caveats: [], foundLater: new Set<string>() };
  return { run: { ...result, warnings: [] }, steps, trials, ...nothing };
}

function wrongParts(names: readonly string[], { said, right }: { said: Result; right: Partial<Result> }): string[] {
  return names
    .filter((name) => !isAlike(said[name as keyof Result], right[name as keyof Result]))
    .map((name) => `the field ${name} of result.json does not agree with the other files of the run`);
}

function wrongTrials({ trials }: Result, { trials: inFiles, unreadable }: StoredRun): string[] {
  const kept = new Map(inFiles.map((trial) => [trial.id, trial]));
  const said = new Map(trials.map((trial) => [trial.id, trial]));
  const unknown = new Set(unreadable.map(({ id }) => id));
  return [...new Set([...said.keys(), ...kept.keys()])].sort().flatMap((id) => {
    const [ofResult, ofFiles] = [said.get(id), kept.get(id)];
    if (!ofResult) return [`result.json has no trial ${id}, but the run has its files`];
    if (!ofFiles) return unknown.has(id) ? [] : [`result.json has a trial ${id}, but its files are gone`];
    return differences(ofResult, ofFiles).map(
      (name) => `the ${name} of the trial ${id} in result.json differ from those in its own files`,
    );
  });
}

/** Compares only what no later reading of a trial changes. A later version may derive more from its numbers. */
function differences(said: Trial, kept: Trial): string[] {
  const conditions = ({ conditions, block, attempt }: Trial): unknown => ({ conditions, block, attempt });
  const times = ({ state, startedAt, endedAt }: Trial): unknown => ({ state, startedAt, endedAt });
  const numbers = ({ measures }: Trial): unknown => Object.keys(kept.measures).map((name) => measures[name]);
  return Object.entries({ conditions, times, numbers }).flatMap(([name, of]) =>
    isAlike(of(said), of(kept)) ? [] : [name],
  );
}

/** The order matters, too: a report shows the first comparison of a name, even if others have the same name. */
function wrongComparisons(said: readonly Comparison[], made: readonly Comparison[]): string[] {
  const named = (comparisons: readonly Comparison[]): Map<string, Comparison[]> => {
    const byName = new Map<string, Comparison[]>();
    for (const one of comparisons) byName.set(nameOf(one), [...(byName.get(nameOf(one)) ?? []), one]);
    return byName;
  };
  const [claimed, again] = [named(said), named(made)];
  const wrong = [...new Set([...claimed.keys(), ...again.keys()])].flatMap((name) =>
    isAlike(claimed.get(name), again.get(name))
      ? []
      : [`the comparison of ${name} in result.json does not follow from its trials`],
  );
  if (wrong.length > 0 || isAlike(said, made)) return wrong;
  return ['the order of the comparisons in result.json does not follow from its trials'];
}

function nameOf({ metric, conditions, baseline, candidate, scope }: Comparison): string {
  const where = Object.entries(conditions).map(([name, value]) => ` at ${name} ${value}`);
  return `${metric} of ${candidate.variant} with ${baseline.variant}${where.join('')}${scope === null ? '' : ` (${scope})`}`;
}

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
 * What a result says that the other files of its run do not say: of the run, of its trials, and of what follows from them. What
 * follows is made again only of a result of this version of pgduet.
 *
 * @param files null of a copy, which has nothing but the result
 * @param mayBeMadeAgain whether nothing that is known speaks against making it again
 * @returns in words; and whether all that follows from the trials was made again
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
  // Of trials that are damaged or gone, whoever read the files tells.
  const isFromAll = mayBeMadeAgain && wrong.length === 0 && stored.unreadable.length === 0;
  if (!isFromAll || result.toolVersion !== toolVersion) return { problems: wrong, isMadeAgain: false };
  const run = withKnownDefinition(stored.run, location);
  const { endedAt, stoppedAfterBlock, stoppedBy } = result;
  // Every finished trial is judged again, as one is of which something was found later. Those of a result are judged already.
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

/** A copy does not tell which warnings the run had before its first trial. */
function missingWarnings(said: Result, right: Result): string[] {
  const missing = right.warnings.filter((warning) => !said.warnings.includes(warning));
  return missing.map((warning) => `result.json lacks a warning that its trials give: ${warning}`);
}

function asStored(result: Result): StoredRun {
  const { steps, trials } = result;
  const nothing = { unreadable: [], disagreements: [], caveats: [], foundLater: new Set<string>() };
  return { run: { ...result, warnings: [] }, steps, trials, ...nothing };
}

function wrongParts(names: readonly string[], { said, right }: { said: Result; right: Partial<Result> }): string[] {
  return names
    .filter((name) => !isAlike(said[name as keyof Result], right[name as keyof Result]))
    .map((name) => `result.json has other ${name} than the other files of the run give`);
}

function wrongTrials({ trials }: Result, { trials: inFiles, unreadable }: StoredRun): string[] {
  const kept = new Map(inFiles.map((trial) => [trial.id, trial]));
  const said = new Map(trials.map((trial) => [trial.id, trial]));
  const unknown = new Set(unreadable.map(({ id }) => id));
  return [...new Set([...said.keys(), ...kept.keys()])].sort().flatMap((id) => {
    const [ofResult, ofFiles] = [said.get(id), kept.get(id)];
    if (!ofResult) return [`result.json has no trial ${id}, whose files are there`];
    if (!ofFiles) return unknown.has(id) ? [] : [`result.json has a trial ${id}, whose files are gone`];
    return differences(ofResult, ofFiles).map(
      (name) => `result.json has other ${name} of the trial ${id} than its own files`,
    );
  });
}

/** Of what no later reading of a trial changes; more may be derived from its numbers. */
function differences(said: Trial, kept: Trial): string[] {
  const conditions = ({ conditions, block, attempt }: Trial): unknown => ({ conditions, block, attempt });
  const times = ({ state, startedAt, endedAt }: Trial): unknown => ({ state, startedAt, endedAt });
  const numbers = ({ measures }: Trial): unknown => Object.keys(kept.measures).map((name) => measures[name]);
  return Object.entries({ conditions, times, numbers }).flatMap(([name, of]) =>
    isAlike(of(said), of(kept)) ? [] : [name],
  );
}

/** They are listed in the order in which they are made: a report shows the first of a name, whatever else has it. */
function wrongComparisons(said: readonly Comparison[], made: readonly Comparison[]): string[] {
  const named = (comparisons: readonly Comparison[]): Map<string, Comparison[]> => {
    const byName = new Map<string, Comparison[]>();
    for (const one of comparisons) byName.set(nameOf(one), [...(byName.get(nameOf(one)) ?? []), one]);
    return byName;
  };
  const [claimed, again] = [named(said), named(made)];
  const wrong = [...new Set([...claimed.keys(), ...again.keys()])].flatMap((name) =>
    isAlike(claimed.get(name), again.get(name)) ? [] : [`result.json compares ${name} otherwise than its trials give`],
  );
  if (wrong.length > 0 || isAlike(said, made)) return wrong;
  return ['result.json lists its comparisons in another order than its trials give'];
}

function nameOf({ metric, conditions, baseline, candidate, scope }: Comparison): string {
  const where = Object.entries(conditions).map(([name, value]) => ` at ${name} ${value}`);
  return `${metric} of ${candidate.variant} with ${baseline.variant}${where.join('')}${scope === null ? '' : ` (${scope})`}`;
}

import type { Comparison } from '../../contract/comparison.ts';
import type { Result } from '../../contract/result.ts';
import { toolVersion } from '../../contract/tool-version.ts';
import type { Trial } from '../../contract/trial.ts';
import type { StoredRun } from '../../storage/run-store.ts';
import type { SeriesSource } from '../../storage/series.ts';
import { assembleResult } from '../assemble.ts';
import { withKnownDefinition } from '../known-definition.ts';
import { judgeAgain } from '../validity/judge-again.ts';
import { isAlike } from './is-alike.ts';

/**
 * What a result says that the other files of its run do not say: of the run, of its trials, and of what follows from them. What
 * follows is made again only of a result of this version of pgduet.
 *
 * @param mayBeMadeAgain whether nothing that is known speaks against making it again
 * @returns in words; and whether all that follows from the trials was made again
 * @throws {UserError} if the series of a trial are damaged
 */
export async function verifyResult(
  result: Result,
  stored: StoredRun,
  { mayBeMadeAgain, series, location }: { mayBeMadeAgain: boolean; series: SeriesSource; location: string },
): Promise<{ problems: string[]; isMadeAgain: boolean }> {
  const { warnings: _, ...record } = stored.run;
  const wrong = [...wrongParts(Object.keys(record), { said: result, right: record }), ...wrongTrials(result, stored)];
  // Of trials that are damaged or gone, the files tell.
  const isFromAll = mayBeMadeAgain && wrong.length === 0 && stored.unreadable.length === 0;
  if (!isFromAll || result.toolVersion !== toolVersion) return { problems: wrong, isMadeAgain: false };
  const run = withKnownDefinition(stored.run, location);
  const { endedAt, stoppedAfterBlock, stoppedBy } = result;
  // Every finished trial is judged again, as one is of which something was found later.
  const finished = stored.trials.filter(({ state }) => state === 'finished');
  const foundLater = new Set(finished.map(({ id }) => id));
  const made = await assembleResult(
    { run, steps: stored.steps, trials: await judgeAgain({ ...stored, foundLater }, series) },
    { endedAt, stoppedAfterBlock, stoppedBy },
    series,
  );
  // As JSON has it.
  const right = JSON.parse(JSON.stringify(made)) as Result;
  const follows = ['complete', 'warnings', 'steps', 'trials', 'ladders', 'explanations'];
  const problems = [
    ...wrongComparisons(result.comparisons, right.comparisons),
    ...wrongParts(follows, { said: result, right }),
  ];
  return { problems, isMadeAgain: true };
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

function wrongComparisons(said: readonly Comparison[], made: readonly Comparison[]): string[] {
  const again = new Map(made.map((comparison) => [nameOf(comparison), comparison]));
  const claimed = new Map(said.map((comparison) => [nameOf(comparison), comparison]));
  return [...new Set([...claimed.keys(), ...again.keys()])].flatMap((name) =>
    isAlike(claimed.get(name), again.get(name)) ? [] : [`result.json compares ${name} otherwise than its trials give`],
  );
}

function nameOf({ metric, conditions, baseline, candidate, scope }: Comparison): string {
  const where = Object.entries(conditions).map(([name, value]) => ` at ${name} ${value}`);
  return `${metric} of ${candidate.variant} with ${baseline.variant}${where.join('')}${scope === null ? '' : ` (${scope})`}`;
}

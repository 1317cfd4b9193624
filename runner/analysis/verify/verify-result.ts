import { isDeepStrictEqual } from 'node:util';
import type { Comparison } from '../../contract/comparison.ts';
import type { Result } from '../../contract/result.ts';
import { toolVersion } from '../../contract/tool-version.ts';
import type { Trial } from '../../contract/trial.ts';
import type { StoredRun } from '../../storage/run-store.ts';
import type { SeriesSource } from '../../storage/series.ts';
import { assembleResult } from '../assemble.ts';
import { withKnownDefinition } from '../known-definition.ts';
import { judgeAgain } from '../validity/judge-again.ts';

/**
 * What a result says that the files of its trials do not say, in words: of the trials, and of what they compare to. The
 * comparisons of another version of pgduet are not made again.
 *
 * @throws {UserError} if the series of a trial are damaged
 */
export async function verifyResult(
  result: Result,
  stored: StoredRun,
  { series, location }: { series: SeriesSource; location: string },
): Promise<string[]> {
  const wrong = wrongTrials(result, stored);
  // Of trials that are damaged or gone, the files tell; other trials compare to other numbers.
  if (wrong.length > 0 || stored.unreadable.length > 0 || result.toolVersion !== toolVersion) return wrong;
  const run = withKnownDefinition(stored.run, location);
  const { comparisons } = await assembleResult(
    { run, steps: stored.steps, trials: await judgeAgain(stored, series) },
    result,
    series,
  );
  return wrongComparisons(result.comparisons, comparisons);
}

function wrongTrials({ trials }: Result, stored: StoredRun): string[] {
  const inFiles = new Map(stored.trials.map((trial) => [trial.id, trial]));
  const inResult = new Map(trials.map((trial) => [trial.id, trial]));
  return [...new Set([...inResult.keys(), ...inFiles.keys()])].sort().flatMap((id) => {
    const [said, kept] = [inResult.get(id), inFiles.get(id)];
    if (!said) return [`result.json has no trial ${id}, whose files are there`];
    if (!kept) return [];
    return differences(said, kept).map((name) => `result.json has other ${name} of the trial ${id} than its own files`);
  });
}

/** Of what no later reading of a trial changes; more may be derived from its numbers. */
function differences(said: Trial, kept: Trial): string[] {
  const conditions = ({ conditions, block, attempt }: Trial): unknown => ({ conditions, block, attempt });
  const times = ({ state, startedAt, endedAt }: Trial): unknown => ({ state, startedAt, endedAt });
  const numbers = ({ measures }: Trial): unknown => Object.keys(kept.measures).map((name) => measures[name]);
  return Object.entries({ conditions, times, numbers }).flatMap(([name, of]) =>
    isDeepStrictEqual(of(said), of(kept)) ? [] : [name],
  );
}

function wrongComparisons(said: readonly Comparison[], made: readonly Comparison[]): string[] {
  const again = new Map(made.map((comparison) => [nameOf(comparison), claimsOf(comparison)]));
  const wrong = said.filter((comparison) => again.get(nameOf(comparison)) !== claimsOf(comparison)).map(nameOf);
  return wrong.map((name) => `result.json compares ${name} otherwise than its trials give`);
}

function nameOf({ metric, conditions, baseline, candidate, scope }: Comparison): string {
  const where = Object.entries(conditions).map(([name, value]) => ` at ${name} ${value}`);
  return `${metric} of ${candidate.variant} with ${baseline.variant}${where.join('')}${scope === null ? '' : ` (${scope})`}`;
}

/** What a comparison claims, as JSON has it. */
function claimsOf({ change, interval, verdict, withheld, pairs, baseline, candidate }: Comparison): string {
  return JSON.stringify([change, interval, verdict, withheld, pairs, baseline.median, candidate.median]);
}

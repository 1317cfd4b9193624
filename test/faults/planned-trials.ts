import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Result } from '../../runner/contract/result.ts';
import type { Trial } from '../../runner/contract/trial.ts';

interface Planned {
  variants: Readonly<Record<string, unknown>>;
  protocol: { blocks: number };
}

/** The trial.json of every trial of the newest run that finished and is in its manifest, by its id, as it is on disk. */
export function finishedTrials(results: string): Map<string, string> {
  const trials = path.join(results, 'latest', 'trials');
  const manifest = path.join(results, 'latest', 'SHA256SUMS');
  if (!existsSync(trials) || !existsSync(manifest)) return new Map();
  const sums = readFileSync(manifest, 'utf8');
  return new Map(
    readdirSync(trials).flatMap((id): [string, string][] => {
      const file = path.join(trials, id, 'trial.json');
      if (!existsSync(file)) return [];
      const text = readFileSync(file, 'utf8');
      return (JSON.parse(text) as Trial).state === 'finished' && sums.includes(`  trials/${id}/trial.json\n`)
        ? [[id, text]]
        : [];
    }),
  );
}

/** Whether the newest run has its result: then there is nothing to resume, and pgduet says so with exit code 2. */
export function isComplete(results: string): boolean {
  const file = path.join(results, 'latest', 'result.json');
  return existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as Result).complete;
}

/**
 * What is wrong with a run that has come to its end, after it was cut off any number of times.
 *
 * @param results folder of the experiment's runs
 * @param before finished trials at the last kill
 */
export function violationsOf(
  results: string,
  { variants, protocol }: Planned,
  before: ReadonlyMap<string, string>,
): { violations: string[]; cutOff: number } {
  const violations: string[] = [];
  const demand = (holds: boolean, otherwise: string): void => {
    if (!holds) violations.push(otherwise);
  };
  const folder = path.join(results, 'latest');
  const file = path.join(folder, 'result.json');
  if (!existsSync(file)) return { violations: ['there is no result'], cutOff: 0 };
  const { complete, trials, comparisons } = JSON.parse(readFileSync(file, 'utf8')) as Result;

  demand(complete, 'the result is not complete');
  const names = Object.keys(variants);
  let known = 0;
  for (let block = 1; block <= protocol.blocks; block++) {
    const attempts = new Map<number, Trial[]>();
    for (const trial of trials.filter((one) => one.block === block)) {
      attempts.set(trial.attempt, [...(attempts.get(trial.attempt) ?? []), trial]);
    }
    const isWhole = (attempt: readonly Trial[]): boolean => {
      const measured = attempt.filter(({ state }) => state === 'finished').map(({ conditions }) => conditions.variant);
      return measured.sort().join() === [...names].sort().join();
    };
    const whole = [...attempts.values()].filter(isWhole);
    demand(whole.length === 1, `block ${block} was measured as a whole ${whole.length} times`);
    // Whoever saw figures may have stopped because of them, so that the block stays unknown however often it is measured.
    const givenUp = [...attempts.values()].filter((attempt) => !isWhole(attempt)).flat();
    if (givenUp.every(({ state, failure }) => state !== 'finished' && failure?.stage === 'reset')) known++;
  }
  for (const { metric, primary, pairs } of comparisons) {
    demand(!primary || pairs.length === known, `${metric} is compared from ${pairs.length} pairs, not ${known}`);
  }
  // Of a trial that was about to begin, there may be an empty folder.
  const kept = path.join(folder, 'trials');
  const ids = readdirSync(kept)
    .filter((id) => readdirSync(path.join(kept, id)).length > 0)
    .sort();
  demand(
    ids.join() ===
      trials
        .map(({ id }) => id)
        .sort()
        .join(),
    `the result has other trials than ${ids.join(', ')}`,
  );
  for (const [id, text] of before) {
    demand(finishedTrials(results).get(id) === text, `${id} had finished, and is not as it was`);
  }
  for (const trial of trials) violations.push(...wrongWith(trial, path.join(folder, 'trials', trial.id)));
  return { violations, cutOff: trials.filter(({ state }) => state !== 'finished').length };
}

/** A finished trial is what its tool says; any other one has a cause and no figures. */
function wrongWith({ id, state, failure, measures }: Trial, folder: string): string[] {
  if (state !== 'finished') {
    const isBare = failure?.code === 'cut-off' && Object.keys(measures).length === 0;
    return isBare ? [] : [`${id} is ${state} without the cause, or with figures`];
  }
  const output = readFileSync(path.join(folder, 'pgbench.stdout.log'), 'utf8');
  const reported = /^number of transactions actually processed: (\d+)/m.exec(output)?.[1];
  return Number(reported) === measures['transactions']
    ? []
    : [`${id} claims other transactions than pgbench's ${reported ?? ''}`];
}

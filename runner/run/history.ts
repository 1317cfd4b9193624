import { besideEarlier } from '../analysis/earlier-starts.ts';
import type { History, RunOfHistory } from '../contract/history.ts';
import type { ResultBeside, ResultHead } from '../storage/results-folder.ts';
import { differencesBetween, identityOfStart } from './run-identity.ts';

/**
 * The runs of an experiment in a row: what each found, in what it differs from the one before it, and between which changes the
 * next one is expected.
 *
 * @param found the oldest first
 */
export function historyOf(folder: string, found: Iterable<ResultBeside & { run: string }>): History {
  const runs: RunOfHistory[] = [];
  // Those that are like the newest one: only they say what to expect of the next.
  let alike: ResultHead[] = [];
  for (const { run, head, doubt } of found) {
    // It may be a blind one that goes on.
    const isEnded = head.complete || head.stoppedBy !== undefined;
    const before = alike.at(-1);
    const differences = before ? differencesBetween(identityOfStart(before), identityOfStart(head)) : [];
    runs.push({
      run,
      startedAt: head.startedAt,
      complete: head.complete,
      doubt,
      differences: differences.map(({ name, then, now }) => ({ name, then, now })),
      answers: head.comparisons
        .filter(({ primary, withheld }) => primary || withheld.length > 0)
        .map(({ metric, baseline, candidate, conditions, change, interval, verdict }) => ({
          ...{ baseline: baseline.variant, candidate: candidate.variant, conditions },
          ...{ metric, blocks: candidate.n },
          ...(isEnded ? { change, interval, verdict } : { change: null, interval: null, verdict: null }),
        })),
    });
    if (doubt === null && isEnded) alike = differences.length === 0 ? [...alike, head] : [head];
  }
  return { kind: 'pgduet-history', folder, runs, next: nextOf(alike) };
}

function nextOf(alike: readonly ResultHead[]): History['next'] {
  const newest = alike.at(-1);
  if (!newest) return [];
  const { level } = newest.experiment.definition.decision;
  return besideEarlier(newest, alike.slice(0, -1), level).flatMap(({ baseline, candidate, conditions, next }) =>
    next ? [{ baseline, candidate, conditions, low: next.low, high: next.high, level: next.level }] : [],
  );
}

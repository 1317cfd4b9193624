import { isDeepStrictEqual } from 'node:util';
import type { Result } from '../../contract/result.ts';
import type { Trial } from '../../contract/trial.ts';
import type { StoredRun } from '../../storage/run-store.ts';

/** What a result says of its trials that their own files do not say, in words. */
export function verifyResult({ trials }: Pick<Result, 'trials'>, stored: StoredRun): string[] {
  const inFiles = new Map(stored.trials.map((trial) => [trial.id, trial]));
  const inResult = new Map(trials.map((trial) => [trial.id, trial]));
  return [
    ...[...new Set([...inResult.keys(), ...inFiles.keys()])].sort().flatMap((id) => {
      const [said, kept] = [inResult.get(id), inFiles.get(id)];
      if (!said) return [`result.json has no trial ${id}, whose files are there`];
      // Of one that is damaged or gone, the files tell.
      if (!kept) return [];
      return differences(said, kept).map(
        (name) => `result.json has other ${name} of the trial ${id} than its own files`,
      );
    }),
  ];
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

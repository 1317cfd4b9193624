import type { RunHashes } from '../contract/run-hashes.ts';
import { sumsFile } from '../files/sums.ts';

/** What `pgduet verify` ends with if nothing contradicts anything. */
export const everythingAgrees = 'Verification passed.';

/** What files, trials and result.json are compared with, in the words of `pgduet verify` and every report. */
export const comparedWith = {
  files: sumsFile,
  trials: 'the load generator’s output and logs',
  result: 'a result recomputed from the trials',
} as const;

/** SHA-256 of what the run is known by; none for a run without a manifest. */
export function hashTerms({ manifest, result, experiment }: RunHashes): [name: string, sha256: string][] {
  const named = [[sumsFile, manifest] as const, ['result.json', result] as const, ['experiment', experiment] as const];
  return named.flatMap(([name, sha256]): [string, string][] => (sha256 === null ? [] : [[name, sha256]]));
}

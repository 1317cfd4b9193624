import { createHash } from 'node:crypto';
import type { DeployableExperiment } from '../runner/rds/deploy/deployable.ts';
import type { FileHashes } from '../runner/workloads/loaded-with.ts';

/**
 * The same for every deploy that asks for the same measurement by the same runner. It leaves out what ends the stack: a
 * deploy that only keeps the stack longer must not begin a run. It leaves out the seed, since each run draws its own.
 */
export function deployId(
  { experiment, profile }: { experiment: DeployableExperiment; profile: string },
  files: FileHashes,
  runnerHash: string,
): string {
  const { whenDone, graceMinutes, notify, expiry, protocol, ...measured } = experiment;
  const { seed, ...arrangement } = protocol;
  const parts = [profile, runnerHash, measured, arrangement, Object.entries(files)];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12);
}

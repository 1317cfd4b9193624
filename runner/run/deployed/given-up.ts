import path from 'node:path';
import { openBucket } from '../../aws/bucket.ts';
import { hasEnded, type RunStatus } from '../../contract/status.ts';
import { readStatus } from '../../storage/bucket-run.ts';
import { bucketStore } from '../../storage/bucket-store.ts';
import { latestFolderStore } from '../../storage/folder-store.ts';
import { concludeRun, readEndedRun, type SavingOptions } from './ended-run.ts';
import { keepTrying } from '../keep-trying.ts';
import { type Deploy, refusedStatus } from './refusal.ts';

const problem = 'The runner was given up before the end of the run; on the driver, journalctl -u pgduet shows why.';

/**
 * Ends a run whose runner is not started any more: saves what it left, proves it, and leaves a last status, so that the
 * stack may delete itself. Does nothing for a run that has ended by itself.
 *
 * @param results folder of the experiment's runs on this machine
 * @returns the last status
 */
export async function endGivenUp(deploy: Deploy, results: string, options: SavingOptions): Promise<RunStatus> {
  const bucket = openBucket(deploy.clients.s3, deploy.binding.results);
  const ended = readEndedRun(results);
  const newest = ended?.status ?? (await keepTrying(() => readStatus(bucket), options));
  // An earlier deploy's run has ended by itself; what was given up then never began.
  const known = newest?.deploy === deploy.binding.deploy ? newest : null;
  if (known && hasEnded(known) && known.saved !== null) return known;
  const local = latestFolderStore(results);
  const status = known && hasEnded(known) ? known : await givenUp(deploy, known, options.now());
  const isOfRun = local && status.run?.endsWith(`/${path.basename(local.folder)}/`);
  const store = isOfRun ? bucketStore(local, bucket, options.warn) : null;
  const publish = () => store?.publish() ?? Promise.resolve({ objects: 0, sizeBytes: 0 });
  return concludeRun(bucket, { kept: store, status, publish }, options);
}

async function givenUp(deploy: Deploy, known: RunStatus | null, now: Date): Promise<RunStatus> {
  if (!known) return refusedStatus(deploy, [problem], now);
  const at = now.toISOString();
  return {
    ...known,
    state: 'failed',
    current: null,
    expectedEndAt: null,
    endedAt: at,
    updatedAt: at,
    problems: [...known.problems, problem],
  };
}

import path from 'node:path';
import { type Bucket, openBucket } from '../aws/bucket.ts';
import type { AwsClients } from '../aws/clients.ts';
import type { Binding } from '../contract/binding.ts';
import { unlessUserError } from '../../contract/errors.ts';
import { hasEnded, parseRunStatus, type RunStatus, statusText } from '../../contract/status.ts';
import { billedSince, type StackPrice, stackPrice } from '../prices/bill.ts';
import { deployable } from '../deploy/deployable.ts';
import { loadExperiment } from '../../experiment/file/load.ts';
import { readTextIfThere } from '../../files/read.ts';
import { writeFileIn } from '../../files/write.ts';
import { describeStackTimes } from '../place/describe-stack.ts';
import { firstAvailableAt } from '../place/first-available.ts';
import { readStatus } from '../bucket/bucket-run.ts';
import { type BucketStore, bucketStore } from '../bucket/bucket-store.ts';
import { latestFolderStore } from '../../storage/results-folder.ts';
import { startHeartbeat } from '../bucket/heartbeat.ts';
import type { Published, RunStore } from '../../storage/run-store.ts';
import { keepTrying } from '../../run/retry.ts';
import { begunStatus, endedStatus, withProblem } from '../../experiment/plan/tracked-status.ts';
import { factsOf, savedStatus } from './status.ts';

/** The last status of a run, in its folder. A driver that starts again after that only saves what is left. */
const endedFile = '.ended.json';

export interface SavingOptions {
  /** Receives what goes wrong. The status contains it, too. */
  warn: (text: string) => void;
  now: () => Date;
  pause: (seconds: number, signal: AbortSignal) => Promise<void>;
  signal: AbortSignal;
}

/** A run that has ended, whose results must be saved before its stack may delete itself. */
export class EndedRun {
  #status: RunStatus;
  readonly #store: Pick<BucketStore, 'known' | 'publish'> | null;
  readonly #options: SavingOptions;

  /**
   * @param store where the run is kept; null if there is no run
   * @param last status of the run, with a state in which it has ended
   */
  constructor(store: Pick<BucketStore, 'known' | 'publish'> | null, last: RunStatus, options: SavingOptions) {
    this.#status = last;
    this.#store = store;
    this.#options = {
      ...options,
      warn: (text) => {
        this.#status = withProblem(this.#status, text);
        options.warn(text);
      },
    };
  }

  status(): RunStatus {
    return { ...this.#status, updatedAt: this.#options.now().toISOString() };
  }

  /** Notes in the run's folder that the run has ended, so that no later start continues to measure. */
  async note(): Promise<void> {
    if (this.#store) await writeFileIn(this.#store.known, endedFile, statusText(this.#status));
  }

  /** Keeps trying to save everything, and to prove that it is saved, until that succeeds or the signal aborts. */
  async save(): Promise<Published> {
    const published = await keepTrying(async () => this.#store?.publish() ?? nothing, this.#options);
    this.#status = savedStatus(this.#status, published, this.#options.now());
    return published;
  }

  /** Keeps trying to write the last status. */
  async finish(write: () => Promise<void>): Promise<void> {
    try {
      await keepTrying(write, this.#options);
    } finally {
      await this.note();
    }
  }
}

const nothing: Published = { objects: 0, sizeBytes: 0 };

/** The newest run and its last status, if that run has ended; null otherwise. */
export function readEndedRun(results: string): { local: RunStore; status: RunStatus } | null {
  const local = latestFolderStore(results);
  const file = path.join(local?.folder ?? results, endedFile);
  const text = local && readTextIfThere(file, { links: 'refused' });
  return local && text !== null ? { local, status: parseRunStatus(text, file) } : null;
}

/**
 * Saves what an ended run left, proves that it is saved, and writes the last status. Does nothing if that was done
 * before.
 *
 * @param local where the run is kept on this machine; null if there is no run
 * @returns the last status
 */
export async function concludeRun(
  bucket: Bucket,
  { local, status }: { local: RunStore | null; status: RunStatus },
  options: SavingOptions,
): Promise<RunStatus> {
  if (status.saved !== null) return status;
  const ended = new EndedRun(local && bucketStore(local, bucket, options.warn), status, options);
  await ended.note();
  const heartbeat = startHeartbeat(bucket, () => ended.status());
  try {
    await ended.save();
  } finally {
    await ended.finish(() => heartbeat.end());
  }
  return ended.status();
}

export interface Deploy {
  binding: Binding;
  clients: Pick<AwsClients, 's3' | 'cloudFormation' | 'rds'>;
}

/**
 * Writes the status of a run that ended before it began, so that nobody waits for it and its stack deletes itself. Does
 * not touch the status of a run that did begin.
 *
 * @throws {UserError} if the status cannot be written; tries only once
 */
export async function leaveRefusal(
  deploy: Deploy,
  problems: readonly string[],
  options: Omit<SavingOptions, 'signal'> & {
    /** Whether the stack has its databases yet, which make up most of its price. @default true */
    databases?: boolean;
  },
): Promise<void> {
  const bucket = openBucket(deploy.clients.s3, deploy.binding.results);
  const before = await readStatus(bucket);
  const began = before?.deploy === deploy.binding.deploy && before.state !== 'refused';
  if (began) return;
  const status = await refusedStatus(deploy, problems, options.now(), options.databases);
  await concludeRun(bucket, { local: null, status }, { ...options, signal: AbortSignal.abort() });
}

const givenUp =
  'The driver gave up restarting the runner before the run ended. To see why, run journalctl -u pgduet on the driver.';

/**
 * Ends a run whose runner will not be started again. Saves what the run left, proves that it is saved, and writes a
 * last status, so that the stack may delete itself. Does nothing for a run that has ended by itself and is saved.
 *
 * @param results folder of the experiment's runs on this machine
 * @returns the last status
 */
export async function endGivenUp(deploy: Deploy, results: string, options: SavingOptions): Promise<RunStatus> {
  const bucket = openBucket(deploy.clients.s3, deploy.binding.results);
  const newest = readEndedRun(results)?.status ?? (await keepTrying(() => readStatus(bucket), options));
  // If the newest status is from an earlier deploy, that run ended by itself, and the run of this deploy never began.
  const known = newest?.deploy === deploy.binding.deploy ? newest : null;
  const status = known ? lastOf(known, options.now()) : await refusedStatus(deploy, [givenUp], options.now());
  const local = latestFolderStore(results);
  const isOfRun = local && status.run?.endsWith(`/${path.basename(local.folder)}/`);
  return concludeRun(bucket, { local: isOfRun ? local : null, status }, options);
}

function lastOf(known: RunStatus, now: Date): RunStatus {
  return hasEnded(known) ? known : endedStatus(known, { state: 'failed', problems: [givenUp] }, now);
}

/** The status of a run that never began. */
async function refusedStatus(
  { binding, clients }: Deploy,
  problems: readonly string[],
  now: Date,
  databases = true,
): Promise<RunStatus> {
  const { name: experiment, profile } = binding.experiment;
  const times = await describeStackTimes(clients.cloudFormation, binding).catch(unlessUserError);
  const price = priceOf(binding);
  const databasesAt = databases ? await firstAvailableAt(clients.rds, binding).catch(unlessUserError) : null;
  const since = times && (price ? billedSince({ ...times, databasesAt }, price) : times.createdAt);
  const facts = factsOf(binding, times, {
    run: null,
    startedAt: now.toISOString(),
    limitHours: null,
    dollarsPerHour: price && (databases ? price.whole : price.withoutDatabases),
    billedSince: since?.toISOString() ?? null,
  });
  return endedStatus(begunStatus({ experiment, profile }, facts, now), { state: 'refused', problems }, now);
}

/** null if the price is unknown, or if the experiment cannot be read. */
function priceOf({ experiment: { file, profile }, region }: Binding): StackPrice | null {
  try {
    const loaded = loadExperiment(file, { folder: '/', profile });
    return stackPrice(deployable(loaded.experiment, loaded.profile), region);
  } catch (error) {
    return unlessUserError(error);
  }
}

import type { Bucket } from '../../aws/bucket.ts';
import { UserError } from '../../contract/errors.ts';
import { withoutFigures } from '../../contract/status.ts';
import type { Io } from '../io.ts';
import { currentLine, endLine } from '../../report/terminal/status-text.ts';
import { wrapLines } from '../../report/terminal/wrap.ts';
import { pauseSeconds } from '../../run/pause.ts';
import { readStatus } from '../../storage/bucket-run.ts';
import { watchRun } from './watch-run.ts';

export interface WatchOptions {
  owner?: string;
  region?: string;
  blind?: true;
  json?: true;
}

export async function watch(experiment: string, options: WatchOptions, io: Io): Promise<void> {
  const { bucket, deploy } = await whatIsWatched(experiment, options, io);
  if (options.json) {
    const status = await readStatus(bucket);
    if (status === null) throw new UserError(`${bucket.location} has no status yet: the driver has not started.`);
    io.stdout.write(`${JSON.stringify(options.blind ? withoutFigures(status) : status, null, 2)}\n`);
    return;
  }
  const status = await watchRun(bucket, io, {
    deploy,
    blind: options.blind === true,
    now: () => new Date(),
    pause: pauseSeconds,
  });
  io.stdout.write(`${wrapLines(currentLine(status, new Date()), io.columns)}\n`);
  io.stdout.write(`${wrapLines(endLine(status, new Date()), io.columns)}\n`);
  if (status.run !== null) io.stdout.write(`${bucket.location}${status.run}report.html\n`);
  if (status.state !== 'finished') io.setExitCode(1);
}

async function whatIsWatched(
  what: string,
  options: WatchOptions,
  io: Io,
): Promise<{ bucket: Bucket; deploy: string | null }> {
  const { openBucket, parseS3Address } = await import('../../aws/bucket.ts');
  if (what.startsWith('s3://')) {
    const { awsClients } = await import('../../aws/clients.ts');
    return { bucket: openBucket(awsClients(options.region, io.signal).s3, parseS3Address(what)), deploy: null };
  }
  const { findBinding } = await import('../../run/deployed/binding.ts');
  const { binding, clients } = await findBinding(what, options, io);
  return { bucket: openBucket(clients.s3, binding.results), deploy: binding.deploy };
}

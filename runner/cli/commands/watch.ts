import { setTimeout as sleep } from 'node:timers/promises';
import type { Bucket } from '../../aws/bucket.ts';
import { UserError } from '../../contract/errors.ts';
import type { Io, RegisterCommand } from '../io.ts';
import { currentLine } from '../../report/terminal/status-text.ts';
import { readStatus, watchRun } from '../watch-run.ts';

interface WatchOptions {
  owner?: string;
  region?: string;
  json?: true;
}

/** `pgduet watch EXPERIMENT`: a deployed run, live; leaving it changes nothing. */
export const registerWatch: RegisterCommand = (program, io) => {
  program
    .command('watch')
    .description('Show a deployed run live, until it ends. Leave it with Ctrl-C and come back at any time.')
    .argument('<experiment>', 'what was deployed, or the s3:// address that the stack shows as Results')
    .option('--owner <who>', 'whose deploy; the login name by default')
    .option('--region <name>', 'where it was deployed')
    .option('--json', 'the status of this moment as one JSON value')
    .action(async (experiment: string, options: WatchOptions) => {
      const bucket = await bucketOf(experiment, options, io);
      if (options.json) {
        const status = await readStatus(bucket);
        if (status === null) throw new UserError(`${bucket.location} has no status yet: the driver has not begun.`);
        io.stdout.write(`${JSON.stringify(status, null, 2)}\n`);
        return;
      }
      const status = await watchRun(bucket, io, {
        now: () => new Date(),
        pause: (seconds, signal) => sleep(seconds * 1000, undefined, { signal }),
      });
      io.stdout.write(`${currentLine(status, new Date())}\n${bucket.location}${status.run}report.html\n`);
      if (status.state !== 'finished') io.setExitCode(1);
    });
};

async function bucketOf(what: string, options: WatchOptions, io: Io): Promise<Bucket> {
  const { openBucket, parseS3Address } = await import('../../aws/bucket.ts');
  if (what.startsWith('s3://')) {
    const { awsClients } = await import('../../aws/clients.ts');
    return openBucket(awsClients(options.region).s3, parseS3Address(what));
  }
  const { findBinding } = await import('../../places/deployed/find-binding.ts');
  const { binding, clients } = await findBinding(what, options, io);
  return openBucket(clients.s3, binding.results);
}

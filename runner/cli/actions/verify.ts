import path from 'node:path';
import { verifyAddress, verifyFolder } from '../../analysis/verify/verify-run.ts';
import { renderVerification } from '../../report/terminal/verification-text.ts';
import { visible } from '../../report/media/wrap.ts';
import { openBuckets } from '../../rds/bucket/bucket-run.ts';
import { namedRunFolder } from '../../storage/run-folder.ts';
import type { Io } from '../io.ts';
import { noteOrigin } from './foreign-words.ts';
import type { Declare } from '../verb.ts';
import { describeArguments } from '../options.ts';
import { isRemote } from '../../storage/run-store.ts';

export interface VerifyOptions {
  json?: true;
}

export async function verify(source: string, options: VerifyOptions, io: Io): Promise<void> {
  const found = isRemote(source)
    ? await verifyAddress(await openBuckets(io.signal), source, io.signal)
    : await verifyFolder(path.resolve(io.workingFolder, source), io.signal);
  const text = options.json ? JSON.stringify(found, null, 2) : renderVerification(found, io);
  io.stdout.write(`${visible(text)}\n`);
  if (!isRemote(source)) noteOrigin(namedRunFolder(path.resolve(io.workingFolder, source)), io);
  if (!found.agrees) io.setExitCode(1);
}

const outcome = `
Exit code: 0 if verification passes, 1 if it fails.

Verification does not prove who made a result: whoever can change a file can also change an unsigned SHA256SUMS.`;

export const declare: Declare = (command, io) => {
  describeArguments(command, 'folder of a run, such as results/quick/latest, or an s3:// address');
  command
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', outcome)
    .action((source: string, options: VerifyOptions) => verify(source, options, io));
};

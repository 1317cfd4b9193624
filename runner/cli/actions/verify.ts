import path from 'node:path';
import { verifyAddress, verifyFolder } from '../../analysis/verify/verify-run.ts';
import { renderVerification } from '../../report/terminal/verification-text.ts';
import { visible } from '../../report/media/wrap.ts';
import { openS3 } from '../../rds/bucket/bucket-run.ts';
import { namedRunFolder } from '../../storage/run-folder.ts';
import type { Io } from '../io.ts';
import { noteOrigin } from './foreign-words.ts';

export interface VerifyOptions {
  json?: true;
}

export async function verify(source: string, options: VerifyOptions, io: Io): Promise<void> {
  const found = source.startsWith('s3://')
    ? await verifyAddress(await openS3(io.signal), source, io.signal)
    : await verifyFolder(path.resolve(io.workingFolder, source), io.signal);
  const text = options.json ? JSON.stringify(found, null, 2) : renderVerification(found, io);
  io.stdout.write(`${visible(text)}\n`);
  if (!source.startsWith('s3://')) noteOrigin(namedRunFolder(path.resolve(io.workingFolder, source)), io);
  if (!found.agrees) io.setExitCode(1);
}

import { awsClients } from '../../rds/aws/clients.ts';
import { UserError } from '../../contract/errors.ts';
import { creationSeconds } from '../../rds/contract/waiting-times.ts';
import { awaitCreation } from '../../rds/place/await-creation.ts';
import { readBindingFile } from '../../rds/driver/binding.ts';
import type { Io } from '../io.ts';
import { recordRefusal } from './preflight.ts';
import { savingBy } from './prepare-run.ts';

export async function awaitDatabases({ binding: file }: { binding: string }, io: Io): Promise<void> {
  const binding = readBindingFile(file, io.workingFolder);
  const clients = awsClients(binding.region, io.signal);
  const { warn: say, now, pause } = savingBy(io);
  const polling = { ...clients, limitSeconds: creationSeconds, say, now, pause, signal: io.signal };
  try {
    await awaitCreation(binding, polling);
  } catch (error) {
    if (io.signal.aborted || !(error instanceof UserError)) throw error;
    await recordRefusal({ binding, clients }, [error.message], io);
    io.stdout.write(`${error.message}\n`);
    io.setExitCode(2);
  }
}

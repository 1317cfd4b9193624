import { awsClients } from '../../rds/aws/clients.ts';
import { readBindingFile } from '../../rds/driver/binding.ts';
import { endLine } from '../../report/terminal/status-text.ts';
import { wrapLines } from '../../report/media/wrap.ts';
import { endGivenUp } from '../../rds/driver/ended-run.ts';
import type { Io } from '../io.ts';
import { resultsFolder } from './plan-start.ts';
import { savingBy } from './prepare-run.ts';

export interface ConcludeOptions {
  binding: string;
  out: string;
  json?: true;
}

export async function conclude(options: ConcludeOptions, io: Io): Promise<void> {
  const binding = readBindingFile(options.binding, io.workingFolder);
  const results = resultsFolder(options.out, binding.experiment.name, io);
  const status = await endGivenUp({ binding, clients: awsClients(binding.region, io.signal) }, results, {
    ...savingBy(io),
    signal: io.signal,
  });
  const text = options.json ? JSON.stringify(status, null, 2) : wrapLines(endLine(status, new Date()), io.columns);
  io.stdout.write(`${text}\n`);
}

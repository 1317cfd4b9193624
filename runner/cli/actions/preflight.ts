import { awsClients } from '../../rds/aws/clients.ts';
import { readBindingFile } from '../../rds/driver/binding.ts';
import { preflight } from '../../rds/driver/preflight.ts';
import type { CheckOutcome } from '../../probes/probe.ts';
import { leaveRefusal } from '../../rds/driver/ended-run.ts';
import type { Io } from '../io.ts';
import { savingBy } from './prepare-run.ts';
import { wordsOf } from '../../contract/errors.ts';

export interface PreflightOptions {
  binding: string;
  withoutDatabases?: true;
  pgBindir?: string;
  json?: true;
}

export async function runPreflight(options: PreflightOptions, io: Io): Promise<void> {
  const binding = readBindingFile(options.binding, io.workingFolder);
  const saving = savingBy(io);
  const say = saving.warn;
  const clients = awsClients(binding.region, io.signal);
  const refuse = (problems: string[]): Promise<void> =>
    recordRefusal({ binding, clients }, problems, io, !options.withoutDatabases);
  const outcomes = await preflight({
    ...clients,
    binding,
    databases: !options.withoutDatabases,
    certificates: io.environment['PGSSLROOTCERT'],
    pgBindir: options.pgBindir,
    environment: io.environment,
    say,
    report: (outcome) => say(outcomeLine(outcome)),
    signal: io.signal,
    now: saving.now,
    pause: saving.pause,
  }).catch(async (error: unknown) => {
    if (!io.signal.aborted) await refuse([wordsOf(error)]);
    throw error;
  });
  const problems = outcomes.flatMap((outcome) => outcome.problems);
  if (options.json) io.stdout.write(`${JSON.stringify(outcomes, null, 2)}\n`);
  else io.stdout.write(problems.map((problem) => `${problem}\n`).join(''));
  if (problems.length === 0) return;
  await refuse(problems);
  io.setExitCode(2);
}

/**
 * Records why a run cannot begin, so that nobody waits for it.
 *
 * @param databases whether the stack has databases yet
 */
export async function recordRefusal(
  deploy: Parameters<typeof leaveRefusal>[0],
  problems: string[],
  io: Io,
  databases = true,
): Promise<void> {
  const saving = savingBy(io);
  await leaveRefusal(deploy, problems, { ...saving, databases }).catch((error: unknown) => saving.warn(wordsOf(error)));
}

function outcomeLine({ name, problems, detail }: CheckOutcome): string {
  return problems.length === 0 ? `ok  ${name}: ${detail}` : `NOT ${name}`;
}

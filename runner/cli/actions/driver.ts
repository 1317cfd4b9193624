import { awsClients } from '../../rds/aws/clients.ts';
import type { CheckOutcome } from '../../probes/probe.ts';
import { UserError, wordsOf } from '../../contract/errors.ts';
import { creationSeconds } from '../../rds/contract/waiting-times.ts';
import { readBindingFile } from '../../rds/driver/binding.ts';
import { endGivenUp, leaveRefusal } from '../../rds/driver/ended-run.ts';
import { preflight } from '../../rds/driver/preflight.ts';
import { awaitCreation } from '../../rds/place/await-creation.ts';
import { endLine } from '../../report/terminal/status-text.ts';
import { wrapLines } from '../../report/media/wrap.ts';
import type { Io } from '../io.ts';
import type { Declare } from '../verb.ts';
import { resultsFolder } from './plan-start.ts';
import { savingBy } from './prepare-run.ts';

/** What only a driver runs, by the binding that the deploy wrote. Only problems go to stdout, one on each line. */
function onDriver(file: string, io: Io) {
  const binding = readBindingFile(file, io.workingFolder);
  return { binding, clients: awsClients(binding.region, io.signal), saving: savingBy(io) };
}

/**
 * Records why a run cannot begin, so that nobody waits for it.
 *
 * @param databases whether the stack has databases yet
 */
async function recordRefusal(
  { binding, clients, saving }: ReturnType<typeof onDriver>,
  problems: string[],
  databases = true,
): Promise<void> {
  await leaveRefusal({ binding, clients }, problems, { ...saving, databases }).catch((error: unknown) =>
    saving.warn(wordsOf(error)),
  );
}

interface PreflightOptions {
  binding: string;
  withoutDatabases?: true;
  pgBindir?: string;
  json?: true;
}

/** Before the databases are made, and again when they are. */
async function runPreflight(
  { binding: file, withoutDatabases, pgBindir, json }: PreflightOptions,
  io: Io,
): Promise<void> {
  const driver = onDriver(file, io);
  const { binding, clients, saving } = driver;
  const outcomes = await preflight({
    ...clients,
    binding,
    databases: !withoutDatabases,
    certificates: io.environment['PGSSLROOTCERT'],
    pgBindir,
    environment: io.environment,
    say: saving.warn,
    report: (outcome) => saving.warn(outcomeLine(outcome)),
    signal: io.signal,
    now: saving.now,
    pause: saving.pause,
  }).catch(async (error: unknown) => {
    if (!io.signal.aborted) await recordRefusal(driver, [wordsOf(error)], !withoutDatabases);
    throw error;
  });
  const problems = outcomes.flatMap((outcome) => outcome.problems);
  if (json) io.stdout.write(`${JSON.stringify(outcomes, null, 2)}\n`);
  else io.stdout.write(problems.map((problem) => `${problem}\n`).join(''));
  if (problems.length === 0) return;
  await recordRefusal(driver, problems, !withoutDatabases);
  io.setExitCode(2);
}

function outcomeLine({ name, problems, detail }: CheckOutcome): string {
  return problems.length === 0 ? `ok  ${name}: ${detail}` : `NOT ${name}`;
}

/** While CloudFormation makes the databases. */
async function awaitDatabases({ binding: file }: { binding: string }, io: Io): Promise<void> {
  const driver = onDriver(file, io);
  const { warn: say, now, pause } = driver.saving;
  try {
    const polling = { ...driver.clients, limitSeconds: creationSeconds, say, now, pause, signal: io.signal };
    await awaitCreation(driver.binding, polling);
  } catch (error) {
    if (io.signal.aborted || !(error instanceof UserError)) throw error;
    await recordRefusal(driver, [error.message]);
    io.stdout.write(`${error.message}\n`);
    io.setExitCode(2);
  }
}

/** When its unit has failed for good. */
async function conclude(options: { binding: string; out: string; json?: true }, io: Io): Promise<void> {
  const { binding, clients, saving } = onDriver(options.binding, io);
  const results = resultsFolder(options.out, binding.experiment.name, io);
  const status = await endGivenUp({ binding, clients }, results, { ...saving, signal: io.signal });
  const text = options.json ? JSON.stringify(status, null, 2) : wrapLines(endLine(status, new Date()), io.columns);
  io.stdout.write(`${text}\n`);
}

export const declare: Declare = (command, io) => {
  command.requiredOption('--binding <file>', 'binding file from the deploy: /etc/pgduet/binding.json on a driver');
  switch (command.name()) {
    case 'preflight':
      command
        .option('--without-databases', 'check only what needs no database')
        .option('--pg-bindir <folder>', 'folder with pgbench and psql')
        .option('--json', 'print all checks as a JSON array')
        .action((options: PreflightOptions) => runPreflight(options, io));
      return;
    case 'await-databases':
      command.action((options: { binding: string }) => awaitDatabases(options, io));
      return;
    default:
      command
        .option('--out <folder>', 'folder with the results', 'results')
        .option('--json', 'print the last status as JSON')
        .action((options: { binding: string; out: string; json?: true }) => conclude(options, io));
  }
};

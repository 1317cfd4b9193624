import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckOutcome } from '../../probes/probe.ts';
import type { RegisterCommand } from '../io.ts';
import { readBindingFile } from '../../places/deployed/read-binding-file.ts';

interface PreflightCommandOptions {
  binding: string;
  pgBindir?: string;
  json?: true;
}

/** `pgduet preflight`: what a driver runs at its first boot. Problems, and only they, go to stdout, one a line. */
export const registerPreflight: RegisterCommand = (program, io) => {
  program
    .command('preflight')
    .description('Prove that a deployed experiment can be measured from this machine; exit code 1 where it cannot.')
    .requiredOption('--binding <file>', 'what the deploy told: /etc/pgduet/binding.json on a driver')
    .option('--pg-bindir <folder>', 'folder with pgbench and psql')
    .option('--json', 'all checks as one JSON array')
    .action(async (options: PreflightCommandOptions) => {
      const binding = readBindingFile(options.binding, io.workingFolder);
      // Commands that need no AWS start faster without its libraries.
      const { awsClients } = await import('../../aws/clients.ts');
      const { preflight } = await import('../../probes/preflight.ts');
      const say = (line: string): void => void io.stderr.write(`${line}\n`);
      const outcomes = await preflight({
        ...awsClients(binding.region),
        binding,
        certificates: io.environment['PGSSLROOTCERT'],
        pgBindir: options.pgBindir,
        environment: io.environment,
        say,
        report: (outcome) => say(outcomeLine(outcome)),
        signal: io.signal,
        now: () => new Date(),
        pause: (seconds, signal) => sleep(seconds * 1000, undefined, { signal }),
      });
      const problems = outcomes.flatMap((outcome) => outcome.problems);
      if (options.json) io.stdout.write(`${JSON.stringify(outcomes, null, 2)}\n`);
      else io.stdout.write(problems.map((problem) => `${problem}\n`).join(''));
      if (problems.length > 0) io.setExitCode(1);
    });
};

function outcomeLine({ name, problems, detail }: CheckOutcome): string {
  return problems.length === 0 ? `ok  ${name}: ${detail}` : `NOT ${name}`;
}

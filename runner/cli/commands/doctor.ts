import { userInfo } from 'node:os';
import { createColors } from 'picocolors';
import type { CheckOutcome } from '../../probes/probe.ts';
import { deployable } from '../../experiment/deploy/deployable.ts';
import { loadExperiment } from '../../experiment/file/load.ts';
import { checkedOwner, ownerFromLogin } from '../../experiment/deploy/owner.ts';
import type { Io, RegisterCommand } from '../io.ts';
import { profileOption } from '../options.ts';

interface DoctorOptions {
  profile?: string;
  owner?: string;
  region?: string;
  pgBindir?: string;
  json?: true;
}

/** `pgduet doctor`: this machine; `pgduet doctor EXPERIMENT`: account and Region, before a deploy costs money. */
export const registerDoctor: RegisterCommand = (program, io) => {
  program
    .command('doctor')
    .description(
      'Check this machine, or with an experiment whether the AWS account and Region can take it. Changes nothing.',
    )
    .argument('[experiment]', 'name under experiments/, or path of a YAML file, that is to be deployed')
    .addOption(profileOption())
    .option('--owner <who>', 'who would deploy; the login name by default')
    .option('--region <name>', 'where it would be deployed')
    .option('--pg-bindir <folder>', 'folder with initdb, postgres and pgbench')
    .option('--json', 'all checks as one JSON array')
    .action(async (experiment: string | undefined, options: DoctorOptions) => {
      const report = (outcome: CheckOutcome): void => {
        if (!options.json) io.stdout.write(outcomeText(outcome, io.colour));
      };
      const outcomes =
        experiment === undefined
          ? await checkThisMachine(options, io, report)
          : await checkAccountFor(experiment, options, io, report);
      if (options.json) io.stdout.write(`${JSON.stringify(outcomes, null, 2)}\n`);
      if (outcomes.some(({ problems }) => problems.length > 0)) io.setExitCode(1);
    });
};

async function checkThisMachine(
  options: DoctorOptions,
  io: Io,
  report: (outcome: CheckOutcome) => void,
): Promise<CheckOutcome[]> {
  const { checkMachine } = await import('../../probes/doctor/check-machine.ts');
  return checkMachine({ pgBindir: options.pgBindir, environment: io.environment }, report);
}

async function checkAccountFor(
  name: string,
  options: DoctorOptions,
  io: Io,
  report: (outcome: CheckOutcome) => void,
): Promise<CheckOutcome[]> {
  const { experiment, profile } = loadExperiment(name, { folder: io.workingFolder, profile: options.profile });
  const { checkDeploy } = await import('../../probes/doctor/check-deploy.ts');
  const { doctorClients } = await import('../../probes/doctor/clients.ts');
  const owner = checkedOwner(options.owner ?? ownerFromLogin(userInfo().username));
  return checkDeploy(deployable(experiment, profile), owner, doctorClients(options.region), report);
}

function outcomeText({ name, problems, detail }: CheckOutcome, colour: boolean): string {
  const { green, red } = createColors(colour);
  if (problems.length === 0) return `${green('ok ')}  ${name}: ${detail}\n`;
  return `${red('NOT')}  ${name}\n${problems.map((problem) => `       ${problem}\n`).join('')}`;
}

import type { RegisterCommand } from '../io.ts';
import { bindirOption, profileOption } from '../options.ts';
import type { DoctorOptions } from '../actions/doctor.ts';

/**
 * `pgduet doctor` checks this machine. `pgduet doctor EXPERIMENT` checks what it is for: this machine, or account and Region, before
 * a deploy costs money.
 */
export const registerDoctor: RegisterCommand = (program, io) => {
  program
    .command('doctor')
    .description(
      'Check this machine. With an experiment: check that this machine, or the AWS account and Region, can run it. Changes nothing.',
    )
    .argument('[experiment]', 'name under experiments/, or path to a YAML file')
    .addOption(profileOption())
    .option('--owner <who>', 'who would deploy (default: your login name)')
    .option('--region <name>', 'Region to deploy to')
    .addOption(bindirOption())
    .option('--json', 'print all checks as a JSON array')
    .action(async (experiment: string | undefined, options: DoctorOptions) =>
      (await import('../actions/doctor.ts')).doctor(experiment, options, io),
    );
};

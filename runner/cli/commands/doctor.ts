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
      'Check this machine, or whether it or the AWS account and Region can take an experiment. Changes nothing.',
    )
    .argument('[experiment]', 'name under experiments/, or path of a YAML file')
    .addOption(profileOption())
    .option('--owner <who>', 'who would deploy; the login name by default')
    .option('--region <name>', 'where it would be deployed')
    .addOption(bindirOption())
    .option('--json', 'all checks as one JSON array')
    .action(async (experiment: string | undefined, options: DoctorOptions) =>
      (await import('../actions/doctor.ts')).doctor(experiment, options, io),
    );
};

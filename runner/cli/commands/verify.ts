import type { VerifyOptions } from '../actions/verify.ts';
import type { RegisterCommand } from '../io.ts';

/** `pgduet verify DIR`: whether the files of a run are as they were measured, and whether their numbers agree. */
export const registerVerify: RegisterCommand = (program, io) => {
  program
    .command('verify')
    .description('Check the files of a run against its SHA256SUMS, and the numbers of its trials against each other.')
    .argument('<dir>', 'folder of a run, such as results/quick/latest, or an s3:// address')
    .option('--json', 'print what was found as JSON')
    .addHelpText('after', outcome)
    .action(async (source: string, options: VerifyOptions) =>
      (await import('../actions/verify.ts')).verify(source, options, io),
    );
};

const outcome = `
Exit code: 0 if everything agrees, 1 if something does not.

This does not tell who made a result: anyone who can change a file can also change SHA256SUMS, unless it is signed.`;

import type { VerifyOptions } from '../actions/verify.ts';
import type { RegisterCommand } from '../io.ts';

/** `pgduet verify DIR`: whether the files of a run are as they were measured, and whether their numbers agree. */
export const registerVerify: RegisterCommand = (program, io) => {
  program
    .command('verify')
    .description('Hold the files of a run against its SHA256SUMS, and the numbers of its trials against each other.')
    .argument('<dir>', 'folder of a run, such as results/quick/latest, or an s3:// address')
    .option('--json', 'what was found as one JSON value')
    .addHelpText('after', outcome)
    .action(async (source: string, options: VerifyOptions) =>
      (await import('../actions/verify.ts')).verify(source, options, io),
    );
};

const outcome = `
Exit code: 0 if all agrees, 1 if something does not.

It does not show who made a result: whoever changes a file can change SHA256SUMS, too, unless that is signed.`;

import type { RegisterCommand } from '../io.ts';
import type { PreflightOptions } from '../actions/preflight.ts';

/** `pgduet preflight`: what a driver runs at its first boot. Only problems go to stdout, one on each line. */
export const registerPreflight: RegisterCommand = (program, io) => {
  program
    .command('preflight')
    .description('Check that a deployed experiment can be measured from this machine. Exit code 2 if it cannot.')
    .requiredOption('--binding <file>', 'file that the deploy wrote: /etc/pgduet/binding.json on a driver')
    .option('--pg-bindir <folder>', 'folder with pgbench and psql')
    .option('--json', 'print all checks as a JSON array')
    .action(async (options: PreflightOptions) => (await import('../actions/preflight.ts')).runPreflight(options, io));
};

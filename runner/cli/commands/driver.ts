import type { RegisterCommand } from '../io.ts';
import type { ConcludeOptions } from '../actions/conclude.ts';
import type { PreflightOptions } from '../actions/preflight.ts';

/**
 * `pgduet preflight`: what a driver runs before the databases are made, and again when they are. Only problems go to
 * stdout, one on each line.
 */
export const registerPreflight: RegisterCommand = (program, io) => {
  program
    .command('preflight', { hidden: true })
    .description('Check that a deployed experiment can be measured from this machine. Exit code 2 if it cannot.')
    .requiredOption('--binding <file>', 'file that the deploy wrote: /etc/pgduet/binding.json on a driver')
    .option('--without-databases', 'check only what needs no database')
    .option('--pg-bindir <folder>', 'folder with pgbench and psql')
    .option('--json', 'print all checks as a JSON array')
    .action(async (options: PreflightOptions) => (await import('../actions/preflight.ts')).runPreflight(options, io));
};

/** `pgduet await-databases`: what a driver runs while CloudFormation makes the databases. Only problems go to stdout. */
export const registerAwaitDatabases: RegisterCommand = (program, io) => {
  program
    .command('await-databases', { hidden: true })
    .description(
      'Wait until the databases of a deploy are made. Exit code 2 if one of them is broken, or takes too long.',
    )
    .requiredOption('--binding <file>', 'file that the deploy wrote: /etc/pgduet/binding.json on a driver')
    .action(async (options: { binding: string }) =>
      (await import('../actions/await-databases.ts')).awaitDatabases(options, io),
    );
};

/** `pgduet conclude`: what a driver runs when its unit has failed for good. */
export const registerConclude: RegisterCommand = (program, io) => {
  program
    .command('conclude', { hidden: true })
    .description(
      'On a driver, when systemd has given up restarting a run: upload what the run left, and record that it has ended.',
    )
    .requiredOption('--binding <file>', 'file that the deploy wrote: /etc/pgduet/binding.json on a driver')
    .option('--out <folder>', 'folder with the results', 'results')
    .option('--json', 'print the last status as JSON')
    .action(async (options: ConcludeOptions) => (await import('../actions/conclude.ts')).conclude(options, io));
};

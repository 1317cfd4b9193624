import type { RegisterCommand } from '../io.ts';

/** `pgduet clean`: removes what --keep and killed runs left. */
export const registerClean: RegisterCommand = (program, io) => {
  program
    .command('clean')
    .description('Remove local clusters kept by --keep, and anything left by runs that were killed.')
    .option('--json', 'print the removed folders as JSON')
    .action(async (options: { json?: true }) => (await import('../actions/clean.ts')).clean(options, io));
};

import type { RegisterCommand } from '../io.ts';

/** `pgduet clean`: removes what --keep and killed runs left. */
export const registerClean: RegisterCommand = (program, io) => {
  program
    .command('clean')
    .description('Remove the local clusters that --keep left, and whatever killed runs left.')
    .option('--json', 'the removed folders as JSON')
    .action(async (options: { json?: true }) => (await import('../actions/clean.ts')).clean(options, io));
};

import type { RegisterCommand } from '../io.ts';
import type { ConcludeOptions } from '../actions/conclude.ts';

/** `pgduet conclude`: what a driver runs when its unit has failed for good. */
export const registerConclude: RegisterCommand = (program, io) => {
  program
    .command('conclude')
    .description('On a driver: save what a run left that is not started any more, and say that it has ended.')
    .requiredOption('--binding <file>', 'what the deploy told: /etc/pgduet/binding.json on a driver')
    .option('--out <folder>', 'where the results went', 'results')
    .option('--json', 'the last status as one JSON value')
    .action(async (options: ConcludeOptions) => (await import('../actions/conclude.ts')).conclude(options, io));
};

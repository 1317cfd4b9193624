import type { RegisterCommand } from '../io.ts';
import type { ConcludeOptions } from '../actions/conclude.ts';

/** `pgduet conclude`: what a driver runs when its unit has failed for good. */
export const registerConclude: RegisterCommand = (program, io) => {
  program
    .command('conclude')
    .description(
      'On a driver: upload what a run left after systemd gave up restarting it, and record that it has ended.',
    )
    .requiredOption('--binding <file>', 'file that the deploy wrote: /etc/pgduet/binding.json on a driver')
    .option('--out <folder>', 'folder with the results', 'results')
    .option('--json', 'print the last status as JSON')
    .action(async (options: ConcludeOptions) => (await import('../actions/conclude.ts')).conclude(options, io));
};

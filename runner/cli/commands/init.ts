import type { RegisterCommand } from '../io.ts';

/** `pgduet init NAME`: makes a new experiment file from a ready one, and keeps its comments. */
export const registerInit: RegisterCommand = (program, io) => {
  program
    .command('init')
    .description('Write experiments/NAME.yaml, starting from a ready-made experiment.')
    .argument('<name>', 'name of the new experiment')
    .option('--from <template>', 'experiment to start from', 'quick')
    .option('--json', 'print the path as JSON')
    .action(async (name: string, options: { from: string; json?: true }) =>
      (await import('../actions/init.ts')).init(name, options, io),
    );
};

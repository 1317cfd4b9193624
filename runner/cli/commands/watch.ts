import type { RegisterCommand } from '../io.ts';
import type { WatchOptions } from '../actions/watch.ts';

/** `pgduet watch EXPERIMENT`: shows a deployed run live. To leave it changes nothing in the run. */
export const registerWatch: RegisterCommand = (program, io) => {
  program
    .command('watch')
    .description('Show a deployed run live until it ends. Ctrl-C leaves the view; the run goes on.')
    .argument('<experiment>', 'experiment that was deployed, or the s3:// address that the stack shows as Results')
    .option('--owner <who>', 'who deployed (default: your login name)')
    .option('--region <name>', 'Region of the deploy')
    .option('--blind', 'hide throughput and latency')
    .option('--json', 'print the current status as JSON')
    .action(async (experiment: string, options: WatchOptions) =>
      (await import('../actions/watch.ts')).watch(experiment, options, io),
    );
};

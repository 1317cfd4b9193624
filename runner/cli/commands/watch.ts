import type { RegisterCommand } from '../io.ts';
import type { WatchOptions } from '../actions/watch.ts';

/** `pgduet watch EXPERIMENT`: shows a deployed run live. To leave it changes nothing in the run. */
export const registerWatch: RegisterCommand = (program, io) => {
  program
    .command('watch')
    .description('Show a deployed run live, until it ends. Leave it with Ctrl-C and come back at any time.')
    .argument('<experiment>', 'what was deployed, or the s3:// address that the stack shows as Results')
    .option('--owner <who>', 'whose deploy; the login name by default')
    .option('--region <name>', 'where it was deployed')
    .option('--blind', 'hide throughput and latency')
    .option('--json', 'the status of this moment as one JSON value')
    .action(async (experiment: string, options: WatchOptions) =>
      (await import('../actions/watch.ts')).watch(experiment, options, io),
    );
};

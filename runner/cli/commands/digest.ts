import type { RegisterCommand } from '../io.ts';

/** `digest LOG...`: percentiles and per-second series from the logs of one run of `pgbench -l`. */
export const registerDigest: RegisterCommand = (program, io) => {
  program
    .command('digest')
    .description('Percentiles and per-second series from the logs of one run of pgbench -l, of all its threads.')
    .argument('<log...>', 'logs of transactions or aggregates, gzipped or not, such as pgbench_log.*')
    .option('--lag', 'the run had --rate: a 7th column is the lag behind the schedule')
    .option('--no-lag', 'the run had no --rate: a 7th column is the number of retries')
    .option('--json', 'the digest as one JSON value')
    .action(async (logs: string[], options: { lag?: boolean; json?: true }) =>
      (await import('../actions/digest.ts')).digest(logs, options, io),
    );
};

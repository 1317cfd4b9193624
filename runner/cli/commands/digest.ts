import type { RegisterCommand } from '../io.ts';

/** `digest LOG...`: percentiles and per-second series from the logs of one run of `pgbench -l`. */
export const registerDigest: RegisterCommand = (program, io) => {
  program
    .command('digest')
    .description(
      'Compute percentiles and a per-second series from the logs of one run of pgbench -l, all threads together.',
    )
    .argument('<log...>', 'logs of transactions or of aggregates, such as pgbench_log.*; they may be gzipped')
    .option('--lag', 'the run had --rate: a 7th column is the lag behind the schedule')
    .option('--no-lag', 'the run had no --rate: a 7th column is the number of retries')
    .option('--json', 'print the digest as JSON')
    .action(async (logs: string[], options: { lag?: boolean; json?: true }) =>
      (await import('../actions/digest.ts')).digest(logs, options, io),
    );
};

import { InvalidArgumentError } from 'commander';
import type { RegisterCommand } from '../io.ts';
import { failOnOption, unverifiedOption } from '../options.ts';
import type { CompareOptions } from '../actions/compare.ts';
import type { ReportOptions } from '../actions/report.ts';
import type { VerifyOptions } from '../actions/verify.ts';
import type { PricesOptions } from '../actions/prices.ts';

/** `pgduet compare BASELINE CANDIDATE...`: compares results, variants of one result, or any old pgbench outputs. */
export const registerCompare: RegisterCommand = (program, io) => {
  program
    .command('compare')
    .description('Compare results, variants of one, or raw pgbench outputs, each with the first.')
    .argument('<baseline>', 'FOLDER or FOLDER#VARIANT (an s3:// address works too), or pgbench outputs FILE,FILE,...')
    .argument('<candidates...>', 'one or more in the same form, each compared with the baseline')
    .option('--paired', 'pair the runs in their order, first with first, and describe the change in each pair')
    .option(
      '--across <conditions>',
      'compare although the sides differ in these, separated by commas, such as clients,queryMode',
      (text) => text.split(','),
    )
    .option('--metric <name>', 'metric to compare, such as tps, runtime or latency.p99')
    .option(
      '--threshold <ratio>',
      'smallest change that matters: 0.05 is five percent, or five percentage points of a share',
      ratio(0, 1),
    )
    .option('--level <ratio>', 'confidence level of the intervals, such as 0.95', ratio(0.5, 1))
    .addOption(failOnOption())
    .addOption(unverifiedOption())
    .option('--json', 'print the comparisons as a JSON array')
    .addHelpText('after', examples)
    .action(async (baseline: string, candidates: string[], options: CompareOptions) =>
      (await import('../actions/compare.ts')).compare(baseline, candidates, options, io),
    );
};

const examples = `
Examples:
  pgduet compare results/quick/latest results/quick/latest
      every variant of a result against its baseline, block by block
  pgduet compare results/quick/latest#without-log-volume results/quick/latest#with-log-volume
      two variants of a result, block by block
  pgduet compare results/quick/2026-11-20T10-00-00Z results/quick/latest
      each variant of one run against the same variant of another: described, without a verdict
  pgduet compare results/quick/2026-11-20T10-00-00Z results/quick/2026-11-21T10-00-00Z s3://bucket/results/quick
      any number of results, each compared with the first; the differences between them are listed first
  pgduet compare a1.log,a2.log,a3.log b1.log,b2.log,b3.log
      outputs of pgbench: described, without a verdict

Only variants of the same run can get a verdict, because only their order is known to be random. A verdict needs six blocks, and more if there are several candidates. By default, metric, threshold and level are those that the experiment declares, or tps, 0.05 and 0.95. If you choose any of them here, the comparison is marked as exploratory and gets no verdict.`;

function ratio(above: number, below: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!(value > above && value < below)) {
      throw new InvalidArgumentError(`expected a number between ${above} and ${below}`);
    }
    return value;
  };
}

/** `report DIR`: rewrites the reports of a result, for example after an update of pgduet. */
export const registerReport: RegisterCommand = (program, io) => {
  program
    .command('report')
    .description('Rewrite report.html, report.md, report.json and pairs.csv of a run.')
    .argument('<dir>', 'folder of a run, such as results/quick/latest, or an s3:// address')
    .addOption(failOnOption())
    .addOption(unverifiedOption())
    .option('--open', 'open report.html in the browser')
    .option('--terminal', 'print the report here, with all of its tables')
    .option('--json', 'print the paths as JSON')
    .action(async (folder: string, options: ReportOptions) =>
      (await import('../actions/report.ts')).report(folder, options, io),
    );
};

/** `pgduet verify DIR`: checks that the files of a run are as they were measured, and that their numbers agree. */
export const registerVerify: RegisterCommand = (program, io) => {
  program
    .command('verify')
    .description('Check the files of a run against its SHA256SUMS, and the numbers of its trials against each other.')
    .argument('<dir>', 'folder of a run, such as results/quick/latest, or an s3:// address')
    .option('--json', 'print what was found as JSON')
    .addHelpText('after', outcome)
    .action(async (source: string, options: VerifyOptions) =>
      (await import('../actions/verify.ts')).verify(source, options, io),
    );
};

const outcome = `
Exit code: 0 if everything agrees, 1 if something does not.

This does not prove who made a result: anyone who can change a file can also change SHA256SUMS, unless it is signed.`;

/** `pgduet parse FILE...`: reads any old outputs of pgbench and HammerDB into an array of runs. */
export const registerParse: RegisterCommand = (program, io) => {
  program
    .command('parse')
    .description('List the runs in outputs of pgbench (9.5 to 19) or HammerDB.')
    .argument('<file...>', 'outputs of pgbench or HammerDB, each with one or more runs; "-" for standard input')
    .option('--json', 'print the runs as a JSON array')
    .addHelpText(
      'after',
      '\nExit code 1: a run was aborted or killed, or its output lacks lines or contradicts itself. Such a run has complete: false, and a list of its problems.\nExit code 2: a file is empty, holds no run, or comes from another tool.',
    )
    .action(async (files: string[], options: { json?: true }) =>
      (await import('../actions/parse.ts')).parse(files, options, io),
    );
};

/** `digest LOG...`: percentiles and per-second series from the logs of one run of `pgbench -l`. */
export const registerDigest: RegisterCommand = (program, io) => {
  program
    .command('digest')
    .description(
      'Compute percentiles and a per-second series from the logs of one run of pgbench -l, all threads together.',
    )
    .argument('<log...>', 'logs of transactions or of aggregates, such as pgbench_log.*; they may be gzipped')
    .option('--lag', 'the run had --rate: read a 7th column as the lag behind the schedule')
    .option('--no-lag', 'the run had no --rate: read a 7th column as the number of retries')
    .option('--json', 'print the digest as JSON')
    .action(async (logs: string[], options: { lag?: boolean; json?: true }) =>
      (await import('../actions/digest.ts')).digest(logs, options, io),
    );
};

/** `pgduet prices`: fetches a Region's prices, and keeps them for plans without credentials and for drivers. */
export const registerPrices: RegisterCommand = (program, io) => {
  program
    .command('prices')
    .description('Fetch the prices of a Region from AWS, and save them for plans without credentials.')
    .option('--region <name>', 'Region of the prices (default: AWS_REGION, or us-east-1)')
    .option('--dry-run', 'show what would change, and save nothing')
    .option('--json', 'print what was fetched and what changed as JSON')
    .action(async (options: PricesOptions) => (await import('../actions/prices.ts')).prices(options, io));
};

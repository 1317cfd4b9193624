import { type Verb, verb } from './verb.ts';

const verbFile = () => import('./actions/run-verb.ts');
const driverFile = () => import('./actions/driver.ts');
const completionFile = () => import('./actions/completion.ts');

/** The verbs in the groups that `--help` shows, by what they are for. What is to be deployed by the CDK adds to `Deploy:`. */
export const groups: Readonly<Record<string, readonly Verb[]>> = {
  'Prepare:': [
    verb(
      'init [name]',
      'Write experiments/NAME.yaml, starting from a ready-made experiment. Without NAME: make this folder a repository of experiments, with cdk.json, .gitignore and a workflow.',
      () => import('./actions/init.ts'),
    ),
    verb(
      'workload <from> <service>',
      'Write an experiment whose load is that of a server that exists: workload from SERVICE makes scripts of the statements in its pg_stat_statements. Writes nothing there.',
      () => import('./actions/workload.ts'),
    ),
    verb(
      'list',
      'List the experiments that there are, with the question of each and where it can run.',
      () => import('./actions/list.ts'),
    ),
    verb(
      'plan <experiment>',
      'Show the variants, the trials in their order, the time and the cost of an experiment. Runs nothing.',
      () => import('./actions/plan.ts'),
    ),
    verb(
      'doctor [experiment]',
      'Check this machine. With an experiment: check that this machine, or the AWS account and Region, can run it. Changes nothing.',
      () => import('./actions/doctor.ts'),
    ),
  ],
  'Measure:': [
    verb(
      'try',
      'Compare settings (--set synchronous_commit=on,off), versions (--version 15,17), or data with and without an index or other change (--prepare), on this machine, with private servers, or on a server that exists (--server).',
      () => import('./actions/try.ts'),
    ),
    // The three verbs of the study's script.
    verb('load [experiment]', 'Fill the databases of the variants.', verbFile),
    verb('run [experiment]', 'Measure variants whose databases are already loaded.', verbFile),
    verb('load-run [experiment]', 'Load, let the databases settle, and measure.', verbFile),
    verb(
      'watch <experiment>',
      'Show a deployed run live until it ends. Ctrl-C leaves the view; the run continues.',
      () => import('./actions/watch.ts'),
    ),
    verb(
      'clean',
      'Remove local clusters kept by --keep, and anything left by runs that were killed.',
      () => import('./actions/clean.ts'),
    ),
  ],
  'Read results:': [
    verb(
      'report <dir>',
      'Rewrite report.html, report.md, report.json and pairs.csv of a run.',
      () => import('./actions/report.ts'),
    ),
    verb(
      'compare <baseline> <candidates...>',
      'Compare results, variants of one, or raw pgbench outputs, each with the first.',
      () => import('./actions/compare.ts'),
    ),
    verb(
      'verify <dir>',
      'Check the files of a run against its SHA256SUMS, and the numbers of its trials against each other.',
      () => import('./actions/verify.ts'),
    ),
  ],
  'Read outputs of load generators:': [
    verb(
      'parse <file...>',
      'List the runs in outputs of pgbench (9.5 to 19), HammerDB or sysbench (1.0).',
      () => import('./actions/parse.ts'),
    ),
    verb(
      'digest <log...>',
      'Compute percentiles and a per-second series from the logs of one run of pgbench -l, all threads together.',
      () => import('./actions/digest.ts'),
    ),
  ],
  'Deploy:': [
    verb(
      'policy <experiment>',
      'Print the IAM policy for a role with which CloudFormation can deploy this experiment and delete it again, and do little else. Needs no credentials, changes nothing.',
      () => import('./actions/policy.ts'),
    ),
    verb(
      'prices',
      'Fetch the prices of a Region from AWS, and save them for plans without credentials.',
      () => import('./actions/prices.ts'),
    ),
  ],
  'Help:': [
    verb(
      'explain [id]',
      'Say what an id of a result or of --json means, and the remedy.',
      () => import('./actions/explain.ts'),
    ),
    verb(
      'completion <shell>',
      'Print a script with which your shell completes verbs, options, experiments and profiles.',
      completionFile,
    ),
    verb('help [command]', 'Show the options of a command.', () => import('./actions/help.ts')),
  ],
};

/** Verbs that a driver, or a shell at every press of Tab, runs. No help lists them. */
export const hidden: readonly Verb[] = [
  verb(
    'preflight',
    'Check that a deployed experiment can be measured from this machine. Exit code 2 if it cannot.',
    driverFile,
  ),
  verb(
    'await-databases',
    'Wait until the databases of a deploy are made. Exit code 2 if one of them is broken, or takes too long.',
    driverFile,
  ),
  verb(
    'conclude',
    'On a driver, when systemd has given up restarting a run: upload what the run left, and record that it has ended.',
    driverFile,
  ),
  verb('completion-server [words...]', '', completionFile),
];

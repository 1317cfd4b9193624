import { type Verb, verb } from './verb.ts';

const verbFile = () => import('./actions/run-verb.ts');
const driverFile = () => import('./actions/driver.ts');
const completionFile = () => import('./actions/completion.ts');

/** The verbs in the groups that `--help` shows, by what they are for. What is to be deployed by the CDK adds to `Deploy:`. */
export const groups: Readonly<Record<string, readonly Verb[]>> = {
  'Prepare:': [
    verb(
      'init [name]',
      'Create experiments/NAME.yaml from a template. Without NAME: set up this folder for experiments, with cdk.json, .gitignore and a workflow.',
      () => import('./actions/init.ts'),
    ),
    verb(
      'workload <from> <service>',
      'Turn the load of an existing server into an experiment: workload from SERVICE makes scripts from the statements in its pg_stat_statements. Writes nothing there.',
      () => import('./actions/workload.ts'),
    ),
    verb('list', 'List experiments, with their questions and where they run.', () => import('./actions/list.ts')),
    verb(
      'plan <experiment>',
      'Show an experiment’s variants, trial order, duration and cost. Runs nothing.',
      () => import('./actions/plan.ts'),
    ),
    verb(
      'doctor [experiment]',
      'Check this machine or, given an experiment, whether this machine or your AWS account can run it. Changes nothing.',
      () => import('./actions/doctor.ts'),
    ),
  ],
  'Measure:': [
    verb(
      'try',
      'Compare settings (--set synchronous_commit=on,off), versions (--version 15,17), or data with and without a change such as an index (--prepare): on this machine, with private servers, or on an existing server (--server).',
      () => import('./actions/try.ts'),
    ),
    // The three verbs of the study's script.
    verb('load [experiment]', 'Load the variants’ databases.', verbFile),
    verb('run [experiment]', 'Measure variants that are already loaded.', verbFile),
    verb('load-run [experiment]', 'Load the variants, then measure them.', verbFile),
    verb(
      'gate <experiment>',
      'Say whether a commit may be merged: measure its SQL files beside those of the commit it is based on, and the latter again, on this machine. Exit code 1 for a regression.',
      () => import('./actions/gate.ts'),
    ),
    verb(
      'watch <experiment>',
      'Follow a deployed run until it ends. Ctrl-C stops watching; the run continues.',
      () => import('./actions/watch.ts'),
    ),
    verb(
      'clean',
      'Remove local clusters kept by --keep and leftovers of killed runs.',
      () => import('./actions/clean.ts'),
    ),
  ],
  'Read results:': [
    verb(
      'report <dir>',
      'Rebuild the report of a run: report.html, report.md, report.json and pairs.csv.',
      () => import('./actions/report.ts'),
    ),
    verb(
      'history <experiment>',
      'Show every run of an experiment so far on one axis, with what differed from one to the next.',
      () => import('./actions/history.ts'),
    ),
    verb(
      'compare <baseline> <candidates...>',
      'Compare results, variants within a result, or raw pgbench outputs. Each is compared with the first.',
      () => import('./actions/compare.ts'),
    ),
    verb(
      'verify <dir>',
      'Check a run’s files against SHA256SUMS and its numbers against each other.',
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
      'Compute percentiles and a per-second series from the logs of one pgbench -l run (all threads).',
      () => import('./actions/digest.ts'),
    ),
  ],
  'Deploy:': [
    verb(
      'policy <experiment>',
      'Print a least-privilege IAM policy that lets CloudFormation deploy and delete this experiment. Needs no credentials. Changes nothing.',
      () => import('./actions/policy.ts'),
    ),
    verb(
      'prices',
      'Fetch a Region’s prices from AWS and save them, so that plan works without credentials.',
      () => import('./actions/prices.ts'),
    ),
  ],
  'Help:': [
    verb(
      'explain [id]',
      'Explain an id from a result or from --json, with its remedy.',
      () => import('./actions/explain.ts'),
    ),
    verb(
      'completion <shell>',
      'Print a completion script for your shell: commands, options, experiments and profiles.',
      completionFile,
    ),
    verb('help [command]', 'Show help for a command.', () => import('./actions/help.ts')),
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
    'Wait until the databases of a deploy exist. Exit code 2 if one fails or takes too long.',
    driverFile,
  ),
  verb(
    'conclude',
    'On a driver, when systemd has given up restarting a run: upload what the run left, and record that it has ended.',
    driverFile,
  ),
  verb('completion-server [words...]', '', completionFile),
];

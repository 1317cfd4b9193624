import { Option } from 'commander';
import type { RegisterCommand } from '../io.ts';
import {
  bindirOption,
  count,
  failOnOption,
  filesInOption,
  liveOption,
  localOption,
  outOption,
  profileOption,
  profileToRunOption,
  quietOption,
  quietMachineOption,
  ratio,
  seedOption,
  trustOption,
  verboseOption,
  volumesOption,
} from '../options.ts';
import {
  baselineOption,
  hintOfSet,
  prepareOption,
  setOption,
  type TryOptions,
  versionsOption,
} from '../try-options.ts';
import type { VerbOptions } from '../actions/run-verb.ts';
import type { WatchOptions } from '../actions/watch.ts';
import type { PlanOptions } from '../actions/plan.ts';
import type { InitOptions } from '../actions/init.ts';
import type { DoctorOptions } from '../actions/doctor.ts';
import type { PolicyOptions } from '../actions/policy.ts';

const runNamed = 'name under experiments/, path to a YAML file, or folder of a run to repeat';

const verbs = [
  { name: 'load', description: 'Fill the databases of the variants.', stages: { load: true, run: false } },
  {
    name: 'run',
    description: 'Measure variants whose databases are already loaded.',
    stages: { load: false, run: true },
  },
  { name: 'load-run', description: 'Load, let the databases settle, and measure.', stages: { load: true, run: true } },
] as const;

/** `pgduet load`, `run` and `load-run`: the three verbs of the study's script. */
export const registerVerbs: RegisterCommand = (program, io) => {
  for (const { name, description, stages } of verbs) {
    program
      .command(name)
      .description(description)
      .argument('[experiment]', runNamed)
      .addOption(localOption('run on this machine, with a private PostgreSQL for each variant'))
      .addOption(
        new Option(
          '--binding <file>',
          'on the driver: file that the deploy wrote (/etc/pgduet/binding.json)',
        ).conflicts('local'),
      )
      .addOption(
        new Option('--owner <who>', 'who deployed (default: your login name); not needed on the driver').conflicts(
          'local',
        ),
      )
      .addOption(new Option('--region <name>', 'Region of the deploy').conflicts('local'))
      .addOption(profileToRunOption())
      .addOption(seedOption())
      .addOption(quietMachineOption())
      .addOption(outOption())
      .option('--resume', 'continue the latest unfinished run of this experiment')
      .option('--blind', 'hide throughput and latency until the run has ended')
      .addOption(liveOption())
      .option('--keep', 'leave the local servers running, and show how to connect')
      .addOption(bindirOption())
      .addOption(volumesOption())
      .addOption(filesInOption())
      .addOption(trustOption())
      .addOption(failOnOption())
      .option('--dry-run', 'print the plan and stop')
      .addOption(quietOption())
      .addOption(verboseOption())
      .option('--json', 'print the result as JSON')
      .action(async (experiment: string | undefined, options: VerbOptions) =>
        (await import('../actions/run-verb.ts')).runVerb(experiment, stages, options, io),
      );
  }
};

/** `pgduet try`: compares settings, versions, or what is run after loading on this machine, without an experiment file. */
export const registerTry: RegisterCommand = (program, io) => {
  const command = program.command('try');
  command
    .description(
      'Compare settings (--set synchronous_commit=on,off), versions (--version 15,17), or data with and without an index or other change (--prepare), on this machine, with private servers.',
    )
    .addOption(setOption())
    .addOption(versionsOption())
    .addOption(prepareOption())
    .addOption(baselineOption())
    .option('--dump <file>', 'your own data, from a dump by pg_dump, in place of pgbench’s tables')
    .configureOutput({ outputError: (text, write) => write(`${text}${hintOfSet(command.args)}`) })
    .option('--script <script>', 'file with your own pgbench script, or a built-in one (default: simple-update)')
    .option('--scale <number>', 'scale of pgbench’s tables (default: 10, or 50 to compare checkpoints)', count)
    .option('--clients <number>', 'concurrent clients (default: one for each processor, at most 4)', count)
    .option('--seconds <number>', 'length of a trial (default: 5, or 20 to compare checkpoints)', count)
    .option('--keep-file <path>', 'also write the experiment file, to edit it and run it again')
    .addOption(seedOption())
    .addOption(quietMachineOption())
    .addOption(outOption())
    .addOption(bindirOption())
    .addOption(trustOption())
    .addOption(failOnOption())
    .addOption(liveOption())
    .option('--dry-run', 'print the experiment file and the plan, and measure nothing')
    .option('--json', 'print the result as JSON')
    .action(async (options: TryOptions) => (await import('../actions/try.ts')).trySettings(options, io));
};

/** `pgduet watch EXPERIMENT`: shows a deployed run live. Leaving it does not affect the run. */
export const registerWatch: RegisterCommand = (program, io) => {
  program
    .command('watch')
    .description('Show a deployed run live until it ends. Ctrl-C leaves the view; the run continues.')
    .argument('<experiment>', 'experiment that was deployed, or the s3:// address in the stack’s output Results')
    .option('--owner <who>', 'who deployed (default: your login name)')
    .option('--region <name>', 'Region of the deploy')
    .option('--blind', 'hide throughput and latency')
    .addOption(liveOption())
    .option('--json', 'print the current status as JSON')
    .action(async (experiment: string, options: WatchOptions) =>
      (await import('../actions/watch.ts')).watch(experiment, options, io),
    );
};

/** `pgduet clean`: removes what --keep and killed runs left. */
export const registerClean: RegisterCommand = (program, io) => {
  program
    .command('clean')
    .description('Remove local clusters kept by --keep, and anything left by runs that were killed.')
    .option('--json', 'print the removed folders as JSON')
    .action(async (options: { json?: true }) => (await import('../actions/clean.ts')).clean(options, io));
};

/**
 * `pgduet plan EXPERIMENT`: shows what a run would do, in which order, how long it takes and what it costs. Runs
 * nothing.
 */
export const registerPlan: RegisterCommand = (program, io) => {
  program
    .command('plan')
    .description('Show the variants, the trials in their order, the time and the cost of an experiment. Runs nothing.')
    .argument('<experiment>', runNamed)
    .addOption(localOption('the run on this machine'))
    .addOption(profileToRunOption())
    .addOption(seedOption())
    .addOption(volumesOption())
    .addOption(filesInOption())
    .addOption(outOption())
    .option('--region <name>', 'Region of the prices (default: AWS_REGION, or us-east-1)')
    .addOption(
      new Option(
        '--prices <source>',
        'live: from AWS; kept: from the saved file; auto: from AWS if there are credentials',
      )
        .choices(['auto', 'live', 'kept'])
        .default('auto'),
    )
    .option('--pilot <result>', 'estimate from the variation in this result how many blocks it takes to find an effect')
    .option(
      '--effect <ratio>',
      'with --pilot: the change to find; 0.05 is five percent, or five percentage points of a share (default: decision.practicalThreshold)',
      ratio,
    )
    .option('--power <ratio>', 'with --pilot: the chance of finding it (default: 0.8)', ratio)
    .option('--json', 'print the plan as JSON')
    .action(async (name: string, options: PlanOptions) => (await import('../actions/plan.ts')).plan(name, options, io));
};

/**
 * `pgduet doctor` checks this machine. `pgduet doctor EXPERIMENT` checks the place that the experiment is for: this
 * machine, or the account and Region before a deploy costs money.
 */
export const registerDoctor: RegisterCommand = (program, io) => {
  program
    .command('doctor')
    .description(
      'Check this machine. With an experiment: check that this machine, or the AWS account and Region, can run it. Changes nothing.',
    )
    .argument('[experiment]', runNamed)
    .addOption(localOption('check for a run on this machine'))
    .addOption(profileToRunOption())
    .addOption(volumesOption())
    .addOption(filesInOption())
    .addOption(new Option('--owner <who>', 'who will deploy (default: your login name)').conflicts('local'))
    .addOption(new Option('--region <name>', 'Region to deploy to').conflicts('local'))
    .addOption(bindirOption())
    .option('--json', 'print all checks as a JSON array')
    .action(async (experiment: string | undefined, options: DoctorOptions) =>
      (await import('../actions/doctor.ts')).doctor(experiment, options, io),
    );
};

/** `pgduet list`: the experiments that there are. */
export const registerList: RegisterCommand = (program, io) => {
  program
    .command('list')
    .description('List the experiments that there are, with the question of each and where it can run.')
    .option('--json', 'print the experiments with their profiles as a JSON array')
    .action(async (options: { json?: true }) => (await import('../actions/list.ts')).list(options, io));
};

/** `pgduet policy EXPERIMENT`: what the role must be allowed with which CloudFormation makes the stack. */
export const registerPolicy: RegisterCommand = (program, io) => {
  program
    .command('policy')
    .description(
      'Print the IAM policy for a role with which CloudFormation can deploy this experiment and delete it again, and do little else. Needs no credentials, changes nothing.',
    )
    .argument('<experiment>', 'name under experiments/, or path to a YAML file')
    .addOption(profileOption())
    .option('--owner <who>', 'who will deploy (default: your login name)')
    .option('--region <name>', 'Region to deploy to (default: AWS_REGION, or us-east-1)')
    .option('--json', 'print only the policy; it is JSON anyway')
    .action(async (name: string, options: PolicyOptions) =>
      (await import('../actions/policy.ts')).policy(name, options, io),
    );
};

/**
 * `pgduet init NAME`: makes a new experiment file from a ready one, and keeps its comments. Without a name, it makes a
 * repository of experiments.
 */
export const registerInit: RegisterCommand = (program, io) => {
  program
    .command('init')
    .description(
      'Write experiments/NAME.yaml, starting from a ready-made experiment. Without NAME: make this folder a repository of experiments, with cdk.json, .gitignore and a workflow.',
    )
    .argument('[name]', 'name of the new experiment')
    .option('--from <template>', 'experiment to start from', 'quick')
    .addOption(trustOption())
    .option('--json', 'print what was written as JSON')
    .action(async (name: string | undefined, options: InitOptions) =>
      (await import('../actions/init.ts')).init(name, options, io),
    );
};

import { Option } from 'commander';
import type { RegisterCommand } from '../io.ts';
import { bindirOption, profileOption, seedOption } from '../options.ts';
import { failOnOption } from '../fail-on.ts';
import type { VerbOptions } from '../actions/carry-out-verb.ts';

const verbs = [
  { name: 'load', description: 'Fill the databases of the variants.', stages: { load: true, run: false } },
  { name: 'run', description: 'Measure variants whose databases are loaded.', stages: { load: false, run: true } },
  { name: 'load-run', description: 'Load, settle and measure.', stages: { load: true, run: true } },
] as const;

/** `pgduet load`, `run` and `load-run`: the three verbs of the study's script. */
export const registerVerbs: RegisterCommand = (program, io) => {
  for (const { name, description, stages } of verbs) {
    program
      .command(name)
      .description(description)
      .argument('[experiment]', 'name under experiments/, path of a YAML file, or folder of a run to repeat')
      .option('--local', 'on this machine: bring up a private PostgreSQL for every variant')
      .option('--binding <file>', 'on the driver: what the deploy told (/etc/pgduet/binding.json)')
      .option('--owner <who>', 'whose deploy, elsewhere than on the driver; the login name by default')
      .option('--region <name>', 'where it was deployed')
      .addOption(profileOption().default(undefined, 'local with --local, else the one that was deployed'))
      .addOption(seedOption())
      .option('--out <folder>', 'where the results go', 'results')
      .option('--resume', 'go on with the latest unfinished results of this experiment')
      .option('--blind', 'hide throughput and latency until the run has ended')
      .option('--keep', 'leave the local servers running afterwards, and say how to connect')
      .addOption(bindirOption())
      .addOption(
        new Option('--volumes <kind>', 'what local variants are on')
          .choices(['auto', 'limited', 'folders'])
          .default(undefined, 'those of the run that is repeated, else auto'),
      )
      .addOption(failOnOption())
      .option('--dry-run', 'print the plan and stop')
      .option('--json', 'the result as one JSON value on stdout')
      .action(async (experiment: string | undefined, options: VerbOptions) =>
        (await import('../actions/carry-out-verb.ts')).carryOutVerb(experiment, stages, options, io),
      );
  }
};

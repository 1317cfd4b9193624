import { Option } from 'commander';
import type { RegisterCommand } from '../io.ts';
import { bindirOption, profileOption, seedOption } from '../options.ts';
import { failOnOption } from '../fail-on.ts';
import type { VerbOptions } from '../actions/carry-out-verb.ts';

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
      .argument('[experiment]', 'name under experiments/, path to a YAML file, or folder of a run to repeat')
      .option('--local', 'run on this machine, with a private PostgreSQL for each variant')
      .option('--binding <file>', 'on the driver: file that the deploy wrote (/etc/pgduet/binding.json)')
      .option('--owner <who>', 'not on the driver: who deployed (default: your login name)')
      .option('--region <name>', 'Region of the deploy')
      .addOption(profileOption().default(undefined, 'local with --local, otherwise the one that was deployed'))
      .addOption(seedOption())
      .option('--out <folder>', 'folder for the results', 'results')
      .option('--resume', 'continue the latest unfinished run of this experiment')
      .option('--blind', 'hide throughput and latency until the run has ended')
      .option('--keep', 'leave the local servers running, and show how to connect')
      .addOption(bindirOption())
      .addOption(
        new Option('--volumes <kind>', 'storage of local variants')
          .choices(['auto', 'limited', 'folders'])
          .default(undefined, 'those of the run that is repeated, otherwise auto'),
      )
      .addOption(failOnOption())
      .option('--dry-run', 'print the plan and stop')
      .option('--json', 'print the result as JSON')
      .action(async (experiment: string | undefined, options: VerbOptions) =>
        (await import('../actions/carry-out-verb.ts')).carryOutVerb(experiment, stages, options, io),
      );
  }
};

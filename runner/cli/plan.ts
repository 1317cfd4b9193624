import { makePlan, type Plan } from '../experiment/plan.ts';
import { loadExperiment } from '../experiment/load.ts';
import { renderPlan } from '../report/plan-text.ts';
import { profileOption, seedOption } from './options.ts';
import type { RegisterCommand } from './io.ts';

/** `pgduet plan EXPERIMENT`: what would be done, in which order and how long it takes; runs nothing. */
export const registerPlan: RegisterCommand = (program, io) => {
  program
    .command('plan')
    .description('Expand an experiment: variants, ordered trials, time and money. Runs nothing.')
    .argument('<experiment>', 'name under experiments/, or path of a YAML file')
    .addOption(profileOption())
    .addOption(seedOption())
    .option('--json', 'the plan as one JSON value')
    .action((experiment: string, options: { profile?: string; seed?: number; json?: true }) => {
      const loaded = loadExperiment(experiment, { folder: io.workingFolder, profile: options.profile });
      const seeded = {
        ...loaded.experiment,
        protocol: { ...loaded.experiment.protocol, seed: options.seed ?? loaded.experiment.protocol.seed },
      };
      const plan: Plan = makePlan(seeded, loaded.profile, loaded.warnings);
      io.stdout.write(options.json ? `${JSON.stringify(plan, null, 2)}\n` : renderPlan(plan, { columns: io.columns }));
    });
};

import path from 'node:path';
import { describeArguments, profileOption, trustOption } from '../runner/cli/options.ts';
import { type Declare, verb } from '../runner/cli/verb.ts';
import { loadCdk } from './load-cdk.ts';

/** `pgduet template EXPERIMENT`: for whoever launches an experiment without Node.js and without a bootstrapped account. */
export const templateVerb = verb(
  'template <experiment>',
  'Write a CloudFormation template and assets that anyone can launch without Node or a bootstrapped account.',
  () => Promise.resolve({ declare }),
);

const declare: Declare = (command, io) => {
  describeArguments(command, 'name under experiments/, or path to a YAML file');
  command
    .addOption(profileOption())
    .addOption(trustOption())
    .option('-o, --out <folder>', 'output folder; existing files are replaced (default: dist/templates/EXPERIMENT)')
    .option('--json', 'print the folder as JSON')
    .action(async (experiment: string, options: { profile?: string; trust?: string; out?: string; json?: true }) => {
      const { writePortableTemplate } = await loadCdk(() => import('../lib/portable-template.ts'));
      const { folder, warnings } = await writePortableTemplate(experiment, {
        ...options,
        workingFolder: io.workingFolder,
        environment: io.environment,
      });
      for (const warning of warnings) io.stderr.write(`${warning}\n`);
      io.stdout.write(
        options.json
          ? `${JSON.stringify({ folder })}\n`
          : `${path.relative(io.workingFolder, folder)}: LAUNCH.md in it says how to launch it\n`,
      );
    });
};

import path from 'node:path';
import type { RegisterCommand } from '../runner/cli/io.ts';
import { profileOption, trustOption } from '../runner/cli/options.ts';
import { loadCdk } from './load-cdk.ts';

/** `pgduet template EXPERIMENT`: for whoever launches an experiment without Node.js and without a bootstrapped account. */
export const registerTemplate: RegisterCommand = (program, io) => {
  program
    .command('template')
    .description(
      'Write a CloudFormation template with its assets, to be launched without Node or a bootstrapped account.',
    )
    .argument('<experiment>', 'name under experiments/, or path to a YAML file')
    .addOption(profileOption())
    .addOption(trustOption())
    .option(
      '-o, --out <folder>',
      'where to write; files of an earlier start are replaced (default: dist/templates/EXPERIMENT)',
    )
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

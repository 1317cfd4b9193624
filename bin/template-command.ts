import path from 'node:path';
import { hasCode, UserError } from '../runner/contract/errors.ts';
import type { RegisterCommand } from '../runner/cli/io.ts';
import { profileOption } from '../runner/cli/options.ts';

/** `pgduet template EXPERIMENT`: for whoever launches an experiment without Node.js and without a bootstrapped account. */
export const registerTemplate: RegisterCommand = (program, io) => {
  program
    .command('template')
    .description(
      'Write a CloudFormation template with its assets, to be launched without Node or a bootstrapped account.',
    )
    .argument('<experiment>', 'name under experiments/, or path to a YAML file')
    .addOption(profileOption())
    .option(
      '-o, --out <folder>',
      'where to write; files of an earlier start are replaced (default: dist/templates/EXPERIMENT)',
    )
    .option('--json', 'print the folder as JSON')
    .action(async (experiment: string, options: { profile?: string; out?: string; json?: true }) => {
      const { writePortableTemplate } = await loadCdk();
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

/** What makes templates needs the CDK, which is slow to load and may be missing. */
async function loadCdk() {
  try {
    return await import('../lib/portable-template.ts');
  } catch (error) {
    const isMissing = error instanceof Error && /'(aws-cdk-lib|constructs)'/.test(error.message);
    if (!isMissing || !hasCode(error, 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new UserError('A template needs the CDK library. Install it: npm install aws-cdk-lib constructs', {
      cause: error,
    });
  }
}

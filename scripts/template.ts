import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { Command } from 'commander';
import { type Zippable, zipSync } from 'fflate';
import { ExperimentStack } from '../lib/experiment-stack.ts';
import { assetPrefix, PortableSynthesizer } from '../lib/portable-synthesizer.ts';
import { quietWindows } from '../lib/quiet-windows.ts';
import { ResultsStack } from '../lib/results-stack.ts';
import { bundleRunnerForNow } from '../lib/runner-bundle.ts';
import { regionOf } from '../runner/costs/kept-prices.ts';
import { requireDeployable } from '../runner/costs/limits.ts';
import { resultsKeyOf } from '../runner/experiment/deploy/keys.ts';
import { launchPolicy } from '../runner/experiment/deploy/launch-policy/policy.ts';
import { loadExperiment } from '../runner/experiment/file/load.ts';
import { UserError } from '../runner/contract/errors.ts';
import { launchGuide } from './launch-guide.ts';

/** Writes CloudFormation templates with their assets, for users without Node.js and without a bootstrapped account. */
const project = path.resolve(import.meta.dirname, '..');
/** What this command writes, and what its next start replaces. */
const written = ['LAUNCH.md', 'policy.json', 'results.json', 'template.json', assetPrefix];
const program = new Command('npm run template --')
  .description(
    'Write a CloudFormation template with its assets, to be launched without Node or a bootstrapped account.',
  )
  .argument('<experiment>', 'name under experiments/, or path of a YAML file')
  .option('-p, --profile <name>', 'named set of overrides in the experiment file')
  .option(
    '-o, --out <folder>',
    'where to write; files of an earlier start are replaced (default: dist/templates/EXPERIMENT)',
  )
  .action((experiment: string, { profile, out }: { profile?: string; out?: string }) =>
    writeTemplates(experiment, profile, out),
  );
try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

async function writeTemplates(nameOrPath: string, profile: string | undefined, out: string | undefined): Promise<void> {
  const { experiment, ...loaded } = loadExperiment(nameOrPath, { folder: project, profile });
  const { deployed, warnings } = requireDeployable(experiment, loaded.profile, regionOf(process.env));
  for (const warning of [...loaded.warnings, ...warnings]) process.stderr.write(`${warning}\n`);
  const { windowUtc } = experiment.backups;
  const output = path.resolve(out ?? path.join('dist', 'templates', experiment.name));
  requireOwn(output);
  const assembly = mkdtempSync(path.join(tmpdir(), 'pgduet-template-'));
  try {
    const { context } = JSON.parse(readFileSync(path.join(project, 'cdk.json'), 'utf8')) as {
      context: Record<string, unknown>;
    };
    const app = new App({ outdir: assembly, context, analyticsReporting: false });
    const synthesizer = new PortableSynthesizer();
    new ResultsStack(app, 'results', { synthesizer: new PortableSynthesizer(), keyArn: resultsKeyOf(experiment) });
    new ExperimentStack(app, 'template', {
      experiment: deployed,
      profile: loaded.profile,
      experimentFile: loaded.path,
      runnerFolder: await bundleRunnerForNow(project),
      ...(windowUtc === undefined ? {} : { windows: quietWindows(new Date(), windowUtc) }),
      synthesizer,
    });
    app.synth();

    for (const name of written) rmSync(path.join(output, name), { recursive: true, force: true });
    mkdirSync(path.join(output, assetPrefix), { recursive: true });
    for (const template of ['template', 'results']) copyTemplate(assembly, template, output);
    for (const { fileName, key } of synthesizer.assets) {
      const archive = zipSync(contents(path.join(assembly, fileName)), { mtime: new Date(1980, 0, 1) });
      writeFileSync(path.join(output, key), archive);
    }
    writeFileSync(path.join(output, 'policy.json'), `${JSON.stringify(launchPolicy(deployed), null, 2)}\n`);
    writeFileSync(
      path.join(output, 'LAUNCH.md'),
      launchGuide(experiment.name, { assetPrefix, windowsKnown: windowUtc !== undefined }),
    );
  } finally {
    rmSync(assembly, { recursive: true });
  }
  process.stdout.write(`${path.relative(process.cwd(), output)}: LAUNCH.md in it says how to launch it\n`);
}

/** @throws {UserError} if the folder holds anything that this command did not write */
function requireOwn(output: string): void {
  const foreign = existsSync(output) ? readdirSync(output).filter((name) => !written.includes(name)) : [];
  if (foreign.length === 0) return;
  throw new UserError(
    `--out: ${output} holds ${foreign.slice(0, 3).join(', ')}, which this command did not write. Name a new or an empty folder.`,
  );
}

function copyTemplate(assembly: string, name: string, output: string): void {
  const template: unknown = JSON.parse(readFileSync(path.join(assembly, `${name}.template.json`), 'utf8'));
  // On one line, since CloudFormation limits the number of bytes.
  writeFileSync(path.join(output, `${name}.json`), JSON.stringify(template));
}

function contents(folder: string): Zippable {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    files
      .filter((file) => statSync(path.join(folder, file)).isFile())
      .map((file) => [file, new Uint8Array(readFileSync(path.join(folder, file)))]),
  );
}

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { deployable } from '../runner/rds/deploy/deployable.ts';
import { experimentNames } from '../runner/experiment/file/find.ts';
import { loadExperiment } from '../runner/experiment/file/load.ts';
import { writePortableTemplate } from '../lib/portable-template.ts';
import { UserError } from '../runner/contract/errors.ts';
import { acceptedSchema, judgeFindings, readFindings, type PolicyTool } from './templates/judge-findings.ts';

/**
 * Makes every template as the app does, offline and without credentials. cfn-lint, checkov and Guard then check the
 * templates, and shellcheck the scripts that run on the driver. A tool that is not installed is named and skipped, except
 * with --all.
 */
const project = path.resolve(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(tmpdir(), 'check-templates-'));
const demanded = process.argv.includes('--all');
// Without --skip-download, it would ask its maker's server for more rules.
const checkovOptions = ['--framework', 'cloudformation', '--skip-download', '--quiet', '--compact', '--output', 'json'];
const deployments = 'test/fixtures/experiments/deployments.yaml';
const keyArn = 'arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const acceptedFindings = 'scripts/templates/accepted-findings.yaml';
// For no Region in particular, and of this checkout's experiments and prices.
delete process.env['AWS_REGION'];
delete process.env['AWS_DEFAULT_REGION'];
process.chdir(project);
try {
  const experiments = [...experimentNames(project), deployments].filter(isDeployable);
  const wanted: Record<string, string>[] = [
    { stack: 'results' },
    { stack: 'results', resultsKey: keyArn },
    ...experiments.map((experiment) => ({ experiment, owner: 'ci' })),
    ...['replicas', 'equal-iops', 'control'].map((profile) => ({ experiment: 'dlv-pgbench', profile, owner: 'ci' })),
    { experiment: deployments, profile: 'closed', owner: 'ci' },
  ];
  const templates: string[] = [];
  for (const words of wanted) templates.push(...(await synthesized(words)));
  // One portable template: its user data and policies name their assets by references.
  for (const experiment of experiments.slice(0, 1)) templates.push(...(await portable(experiment)));
  const scripts = [
    ...['pgduet', 'begin.sh', 'update.sh'].map((file) => path.join(project, 'lib/driver', file)),
    ...templates.flatMap(userDataOf),
  ];
  const outcomes = [
    check('cfn-lint', ['--config-file', '.cfnlintrc.yaml', '--', ...templates], 'pip install cfn-lint'),
    checkPolicies('checkov', ['checkov', ...checkovOptions, '--file', ...templates], 'pip install checkov'),
    checkPolicies(
      'guard',
      ['scripts/templates/guard.py', ...templates],
      'pip install --no-deps guardpycfn awslabs.aws-iac-mcp-server',
    ),
    check('shellcheck', scripts, 'apt-get install shellcheck'),
  ];
  process.exitCode = outcomes.every((fine) => fine) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

function isDeployable(name: string): boolean {
  const { experiment, profile } = loadExperiment(name, { folder: project });
  try {
    deployable(experiment, profile);
    return true;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}

/**
 * What the app makes of these words after -c; returns the templates that it wrote. All in this process: loading the CDK takes
 * longer than a stack.
 */
async function synthesized(words: Record<string, string>): Promise<string[]> {
  // It asks for the working folder when it is loaded.
  const { makeStack } = await import('../bin/make-stack.ts');
  const { context } = JSON.parse(readFileSync(path.join(project, 'cdk.json'), 'utf8')) as { context: object };
  const outdir = mkdtempSync(path.join(folder, 'of-'));
  const app = await makeStack({ outdir, context: { ...context, ...words }, analyticsReporting: false });
  app.synth();
  return templatesIn(outdir);
}

async function portable(experiment: string): Promise<string[]> {
  const out = mkdtempSync(path.join(folder, 'of-'));
  await writePortableTemplate(experiment, { out, workingFolder: project, environment: process.env });
  return templatesIn(out);
}

function templatesIn(output: string): string[] {
  const templates = readdirSync(output).filter((file) => /^(?:.*\.)?(?:template|results)\.json$/.test(file));
  if (templates.length === 0) throw new Error(`no template in ${output}`);
  return templates.map((file) => path.join(output, file));
}

/** Writes the driver's script to a file, with a word in place of each reference. */
function userDataOf(templateFile: string): string[] {
  const { Resources } = JSON.parse(readFileSync(templateFile, 'utf8')) as {
    Resources: Record<string, { Properties?: { UserData?: { 'Fn::Base64': { 'Fn::Join': [string, unknown[]] } } } }>;
  };
  return Object.values(Resources).flatMap(({ Properties }) => {
    const parts = Properties?.UserData?.['Fn::Base64']['Fn::Join'][1];
    if (parts === undefined) return [];
    const file = `${templateFile}.user-data.sh`;
    writeFileSync(file, parts.map((part) => (typeof part === 'string' ? part : 'reference')).join(''));
    return [file];
  });
}

/** Whether the tool found nothing, or may be skipped. */
function check(tool: string, args: string[], remedy: string): boolean {
  const { status, error } = spawnSync(tool, args, { cwd: project, stdio: 'inherit' });
  if (error && 'code' in error && error.code === 'ENOENT') return skipped(tool, remedy);
  if (status === 0) process.stderr.write(`${tool}: nothing found\n`);
  return status === 0;
}

/** The same for a tool that prints its findings as JSON. Those with a reason are accepted. */
function checkPolicies(tool: PolicyTool, [program, ...args]: [string, ...string[]], remedy: string): boolean {
  const { status, error, stdout } = spawnSync(program, args, {
    cwd: project,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status === 127 || (error && 'code' in error && error.code === 'ENOENT')) return skipped(tool, remedy);
  if (error) throw error;
  const accepted = acceptedSchema.parse(parse(readFileSync(path.join(project, acceptedFindings), 'utf8')));
  const problems = judgeFindings(tool, readFindings[tool](stdout), accepted);
  for (const problem of problems) process.stderr.write(`${tool}: ${problem} (${acceptedFindings})\n`);
  if (problems.length === 0) process.stderr.write(`${tool}: nothing found that is not accepted\n`);
  return problems.length === 0;
}

function skipped(tool: string, remedy: string): boolean {
  process.stderr.write(`${tool} is not installed, so its check is left out: ${remedy}\n`);
  return !demanded;
}

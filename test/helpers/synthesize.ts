import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App, CloudFormationValidatePlugin, type Stack, Stage, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { LoadedExperimentStack } from '../../lib/experiment-stack.ts';
import { experimentStackName } from '../../runner/rds/deploy/identifiers.ts';
import type { PortableSynthesizer } from '../../lib/portable-synthesizer.ts';
import { quietWindows } from '../../lib/quiet-windows.ts';
import type { StackPrice } from '../../runner/rds/prices/bill.ts';
import { deployable } from '../../runner/rds/deploy/deployable.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';

export const project = path.resolve(import.meta.dirname, '../..');
const cdkJson = JSON.parse(readFileSync(path.join(project, 'cdk.json'), 'utf8')) as {
  context: Record<string, unknown>;
};

const appFolders: string[] = [];

/** An app with the context that the command line would give it. */
export function testApp(): App {
  const outdir = mkdtempSync(path.join(tmpdir(), 'cdk-test-'));
  appFolders.push(outdir);
  return new App({
    context: cdkJson.context,
    analyticsReporting: false,
    outdir,
    // `synthesize` adds it where its report is read.
    builtinCloudFormationValidation: false,
  });
}

let started: CloudFormationValidatePlugin | undefined;

/**
 * The library's own validator. It takes seconds to start, and starts anew for a template with a type of resource that the
 * one before did not have. So it starts with a template that has all types of our stacks.
 */
function validatorOf(app: App): CloudFormationValidatePlugin {
  if (started) return started;
  started = new CloudFormationValidatePlugin();
  const { handlers } = JSON.parse(
    readFileSync(path.join(project, 'test/rehearsal/emulator/src/account/handlers/handlers.json'), 'utf8'),
  ) as { handlers: Record<string, unknown> };
  const templatePath = path.join(app.outdir, 'all-types.json');
  const Resources = Object.fromEntries(Object.keys(handlers).map((Type, index) => [`R${index}`, { Type }]));
  writeFileSync(templatePath, JSON.stringify({ Resources }));
  const stackTemplates = [{ stackConstructPath: 'all-types', templatePath, accountId: undefined, region: undefined }];
  started.validate({ appConstruct: app, templatePaths: [templatePath], stackTemplates });
  return started;
}

/** Removes what apps have written so far. */
export function removeAppFolders(): void {
  for (const folder of appFolders.splice(0)) rmSync(folder, { recursive: true });
}

export interface TestStackOptions {
  profile?: string;
  /** @default alice */
  owner?: string;
  /** Changes to the loaded experiment. */
  change?: (experiment: Experiment) => Experiment;
  now?: Date;
  runnerFolder?: string;
  app?: App;
  assetKeyArn?: string;
  /** @default a price of its own in us-east-1 */
  prices?: ReadonlyMap<string, StackPrice>;
  /** Makes the stack as `npx pgduet template` does. */
  portable?: PortableSynthesizer;
}

/** The stack of an experiment, by name or path, with a small program in place of the bundled runner. */
export function experimentStack(nameOrPath: string, options: TestStackOptions = {}): LoadedExperimentStack {
  const loaded = loadExperiment(nameOrPath, { folder: project, profile: options.profile });
  const experiment = options.change?.(loaded.experiment) ?? loaded.experiment;
  const { owner = 'alice', now = new Date('2026-11-21T10:20:00Z') } = options;
  return new LoadedExperimentStack(options.app ?? testApp(), experimentStackName(experiment.name, owner), {
    experiment: deployable(experiment, loaded.profile),
    profile: loaded.profile,
    experimentFile: loaded.path,
    ...(options.portable
      ? { synthesizer: options.portable }
      : { owner, windows: quietWindows(now, experiment.backups.windowUtc) }),
    ...(options.assetKeyArn === undefined ? {} : { assetKeyArn: options.assetKeyArn }),
    prices: options.prices ?? new Map([['us-east-1', { whole: 20, withoutDatabases: 1 }]]),
    runnerFolder: options.runnerFolder ?? path.join(project, 'test/fixtures/runner'),
  });
}

export interface Synthesized {
  template: Template;
  json: { Resources: Record<string, Resource>; Parameters: Record<string, unknown>; Outputs: Record<string, unknown> };
  /** Resources of one type, by logical id. */
  resources: (type: string) => Record<string, Resource>;
  /** The only resource of a type. */
  only: (type: string) => Resource;
}

export interface Resource {
  Type: string;
  Properties: Record<string, unknown>;
  DependsOn?: string[];
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
}

/**
 * The template of a stack. Every stack of these tests passes the library's own validator and cdk-nag's AwsSolutions.
 *
 * @throws with their report if they find anything that is not acknowledged
 */
export function synthesize(stack: Stack): Synthesized {
  const app = Stage.of(stack);
  if (!App.isApp(app)) throw new Error('The stack is in no app.');
  Validations.of(app).addPlugins(validatorOf(app), new AwsSolutionsChecks(app));
  const template = Template.fromStack(stack);
  const report = readFileSync(path.join(app.outdir, 'validation-report.json'), 'utf8');
  const { pluginReports } = JSON.parse(report) as { pluginReports: { violations: unknown[] }[] };
  const violations = pluginReports.flatMap((plugin) => plugin.violations);
  if (violations.length > 0) throw new Error(`Warnings count as errors here:\n${JSON.stringify(violations, null, 2)}`);
  const resources = (type: string) => template.findResources(type) as Record<string, Resource>;
  return {
    template,
    json: template.toJSON() as Synthesized['json'],
    resources,
    only(type) {
      const found = Object.values(resources(type));
      const [one] = found;
      if (found.length !== 1 || !one) throw new Error(`${found.length} resources of type ${type}`);
      return one;
    },
  };
}

/**
 * The template without hashes and without other values that depend on the runner's sources, which change with every commit.
 */
export function masked(template: unknown): unknown {
  const text = JSON.stringify(template).replace(/[0-9a-f]{64}/g, 'HASH');
  return JSON.parse(text.replace(/(deploy[\\"]+: ?[\\"]+)[0-9a-f]{12}/g, '$1HASH')) as unknown;
}

/** A string in which references are shown as ${Name}, and other functions as ${Function}. */
export function joined(value: unknown): string {
  if (typeof value === 'string') return value;
  const { Ref: reference, 'Fn::Join': join, 'Fn::Base64': encoded } = value as Record<string, unknown>;
  if (typeof reference === 'string') return `\${${reference}}`;
  if (encoded !== undefined) return joined(encoded);
  if (Array.isArray(join)) return (join[1] as unknown[]).map(joined).join(String(join[0]));
  return '${Function}';
}

import { snapshotProblems } from './snapshots.ts';
import { sizeProblems } from './stack-size.ts';
import type { RuleProblem } from '../../contract/check.ts';
import type { Experiment, WrittenExperiment } from '../../contract/experiment/schema.ts';
import type { Variant } from '../../contract/experiment/variant.ts';
import { UserError } from '../../contract/errors.ts';
import { ownCommand } from '../../contract/own-command.ts';
import { deploymentOf } from '../deployments/registry.ts';
import { type DeployableStorage, isDeployable } from '../deployments/storage.ts';
import { placeOf } from '../../places/registry.ts';
import { type FullTool, toolOf } from '../../workloads/registry.ts';
import { rdsParameters } from '../place/rds-parameters.ts';

/** A variant that has everything that a deploy needs. */
export type DeployableVariant = Omit<Variant, 'class' | 'engine' | 'storage'> & {
  class: string;
  storage: DeployableStorage;
  engine: { version: string; major: number; parameters: Record<string, string> };
};

/** An experiment that can be deployed: its variants say all that RDS must know, in the words of RDS. */
export type DeployableExperiment = Omit<Experiment, 'variants'> & { variants: Record<string, DeployableVariant> };

/** Variants with the same key share one parameter group, so that they cannot differ by it. */
export function parameterGroupKey({ deployment, engine }: DeployableVariant): string {
  return JSON.stringify([deploymentOf({ deployment }).kind, engine.major, engine.parameters]);
}

/**
 * Checks what an experiment must say before it can be deployed. A local run needs none of this.
 *
 * @throws {UserError} with every problem at once
 */
export function deployable(experiment: Experiment, profile: string): DeployableExperiment {
  const place = placeOf(experiment);
  if (!place.isDeployed) {
    throw new UserError(
      `Experiment ${experiment.name}, profile ${profile}, cannot be deployed: its variants are ${place.words}. Run it with: ${ownCommand} load-run ${experiment.name}. To deploy, choose a profile or an experiment whose storage is io1, io2 or gp3.`,
    );
  }
  const problems: string[] = [];
  const variants = Object.entries(experiment.variants).flatMap(([name, variant]) => {
    const complete = deployableVariant(variant, `variants.${name}`, problems);
    return complete ? [[name, complete] as const] : [];
  });
  for (const { path, message } of deployProblems({ ...experiment, tool: toolOf(experiment.workload) })) {
    problems.push(`${path.map(String).join('.')} ${message}`);
  }
  const complete = { ...experiment, variants: Object.fromEntries(variants) };
  problems.push(...sizeProblems(complete, profile));
  if (problems.length > 0) {
    throw new UserError([
      `Experiment ${experiment.name}, profile ${profile}, cannot be deployed:`,
      ...problems.map((p) => `  ${p}`),
    ]);
  }
  return complete;
}

function deployableVariant(variant: Variant, path: string, problems: string[]): DeployableVariant | undefined {
  const { storage, engine } = variant;
  // An experiment has one place (rules/variant-rules.ts).
  if (!isDeployable(storage)) throw new Error(`${path} is at another place`);
  const version = engine.version;
  if (variant.class === undefined || version === undefined) {
    problems.push(`${path} needs class and engine.version`);
    return undefined;
  }
  const major = Number(version.split('.')[0]);
  const parameters = rdsParameters(engine.parameters, major);
  problems.push(
    ...parameters.problems.map(
      ({ parameter, value, message }) =>
        `${path}.engine.parameters.${parameter} is ${JSON.stringify(value)}: ${message}`,
    ),
  );
  return { ...variant, class: variant.class, storage, engine: { version, major, parameters: parameters.values } };
}

/** What a deploy depends on, as far as it is valid. */
type ToDeploy = Partial<
  Pick<WrittenExperiment, 'question' | 'backups' | 'network' | 'notify' | 'whenDone' | 'expiry' | 'data' | 'workload'>
> & {
  driver?: Pick<WrittenExperiment['driver'], 'class'> | undefined;
  variants: Readonly<Record<string, Partial<Variant>>>;
  tool: FullTool | undefined;
};

/**
 * What speaks against a deploy, besides the parameters of the variants. Each message follows the path: it says what is
 * there.
 */
export function deployProblems(experiment: ToDeploy): RuleProblem[] {
  const { tool, ...texts } = experiment;
  const { backups, network, notify, whenDone, expiry, question, variants } = experiment;
  const all = Object.entries(variants).map(([name, variant]) => ({ ...deploymentOf(variant), name }));
  const days = backups?.retentionDays ?? Infinity;
  const backedUp = all.find(({ minBackupDays }) => days < minBackupDays);
  const subnets = network?.mode === 'existing' ? network.databaseSubnetIds.length : Infinity;
  const spread = all.find(({ zones }) => subnets < zones);
  return [
    ...says(
      ['backups', 'retentionDays'],
      backedUp
        ? `is ${days}: ${backedUp.name} is ${backedUp.words}, which needs at least ${backedUp.minBackupDays}`
        : null,
    ),
    ...says(
      ['network', 'databaseSubnetIds'],
      spread
        ? `has ${subnets} subnets: ${spread.name} is ${spread.words}, which needs subnets in ${spread.zones} zones`
        : null,
    ),
    ...says(
      ['notify'],
      notify && whenDone === 'keep' && expiry?.kind === 'never'
        ? 'is set, but the stack never deletes itself (whenDone: keep, expiry: never); remove notify, or change one of the two'
        : null,
    ),
    ...says(['workload', 'tool'], tool?.driver.unavailable ? `is ${tool.name}: ${tool.driver.unavailable}` : null),
    ...processorProblems(tool, experiment),
    ...snapshotProblems(experiment),
    ...(question === undefined ? [] : says(['question'], descriptionProblem(question))),
    ...replacedTexts(texts),
  ];
}

function says(path: readonly string[], message: string | null): RuleProblem[] {
  return message === null ? [] : [{ rule: 'not-deployable', code: 'not-deployable', path, message }];
}

/** Families of EC2 instances with Graviton processors, such as c7g, m8gd and t4g. */
const graviton = /^(a1|[a-z]+\d+g[a-z]*)\./;

function processorProblems(tool: FullTool | undefined, { workload, driver }: ToDeploy): RuleProblem[] {
  if (!workload || !driver || !graviton.test(driver.class)) return [];
  const remedy = tool?.driver.onlyX86?.(workload) ?? null;
  return says(['driver', 'class'], remedy === null ? null : `is ${driver.class}, with Graviton processors: ${remedy}`);
}

/**
 * What a deploy would replace: CloudFormation replaces a dynamic reference with the value of a secret or parameter, and
 * CDK replaces a token with the attribute of another resource. `${` is a substitution, which CloudFormation refuses
 * outside Fn::Sub.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/dynamic-references.html
 */
const replaced = /\{\{resolve:|\$\{|#\{Token\[/;

/** A problem for each text or name of an experiment that a deploy would change. */
function replacedTexts(value: unknown, path: readonly string[] = []): RuleProblem[] {
  if (typeof value === 'string') {
    const found = replaced.exec(value)?.[0];
    return says(path, found === undefined ? null : `contains ${found}, which a deploy would replace; remove it`);
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...replacedTexts(key, [...path, key]),
    ...replacedTexts(inner, [...path, key]),
  ]);
}

/** CloudFormation's limit, in bytes. */
const max = 1024;

/** The description that the console shows for a stack: the question that it answers. */
export function stackDescription(question: string): string {
  return `pgduet: ${question}`;
}

/** Why the question cannot be part of the stack's description, in words; null if it can. */
function descriptionProblem(question: string): string | null {
  const room = max - Buffer.byteLength(stackDescription(''));
  const sizeBytes = Buffer.byteLength(question);
  if (sizeBytes <= room) return null;
  return `is ${sizeBytes} bytes long, but the stack description fits ${room}. Shorten it`;
}

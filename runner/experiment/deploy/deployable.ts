import { rdsParameters } from './rds-parameters.ts';
import { replacedTexts } from './replaced-texts.ts';
import { snapshotProblems } from './snapshots.ts';
import { descriptionProblems } from './stack-description.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import type { Variant } from '../../contract/experiment/variant.ts';
import { UserError } from '../../contract/errors.ts';
import { type DeployableStorage, isDeployable } from '../../places/deployed/definition.ts';
import { placeOf } from '../../places/registry.ts';

/** A variant that has everything that a deploy needs. */
export type DeployableVariant = Omit<Variant, 'class' | 'engine' | 'storage'> & {
  class: string;
  storage: DeployableStorage;
  engine: { version: string; major: number; parameters: Record<string, string> };
};

/** An experiment that can be deployed: its variants say all that RDS must know, in the words of RDS. */
export type DeployableExperiment = Omit<Experiment, 'variants'> & { variants: Record<string, DeployableVariant> };

/**
 * Checks what an experiment must say before it can be deployed. A local run needs none of this.
 *
 * @throws {UserError} with every problem at once
 */
export function deployable(experiment: Experiment, profile: string): DeployableExperiment {
  if (!placeOf(experiment).isDeployed) {
    throw new UserError(
      `Experiment ${experiment.name}, profile ${profile}, is for this machine only: the storage of its variants is local. Run it with: npx pgduet load-run ${experiment.name} --local. To deploy one, take a profile or an experiment whose storage is io1, io2 or gp3.`,
    );
  }
  const problems: string[] = [];
  const variants = Object.entries(experiment.variants).flatMap(([name, variant]) => {
    const complete = deployableVariant(variant, `variants.${name}`, problems);
    return complete ? [[name, complete] as const] : [];
  });
  const cluster = variants.find(([, variant]) => variant.deployment === 'multi-az-cluster');
  if (cluster && experiment.backups.retentionDays < 1) {
    problems.push(`backups.retentionDays is 0: ${cluster[0]} is a Multi-AZ cluster, which needs at least 1`);
  }
  if (cluster && experiment.network.mode === 'existing' && experiment.network.databaseSubnetIds.length < 3) {
    problems.push(
      `network.databaseSubnetIds has ${experiment.network.databaseSubnetIds.length}: ${cluster[0]} is a Multi-AZ cluster, which needs subnets in three zones`,
    );
  }
  if (experiment.notify && experiment.whenDone === 'keep' && experiment.expiry.kind === 'never') {
    problems.push(
      'notify is set: with whenDone keep and expiry never, the stack never deletes itself, and nobody is told',
    );
  }
  problems.push(
    ...snapshotProblems(experiment),
    ...descriptionProblems(experiment.question),
    ...replacedTexts(experiment),
  );
  if (problems.length > 0) {
    throw new UserError(
      [`Experiment ${experiment.name}, profile ${profile}, cannot be deployed:`, ...problems.map((p) => `  ${p}`)].join(
        '\n',
      ),
    );
  }
  return { ...experiment, variants: Object.fromEntries(variants) };
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

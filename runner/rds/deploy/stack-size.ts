import { type Binding, bindingHead, expectedSchema, type VariantBinding } from '../contract/binding.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { serversOf } from '../../contract/server.ts';
import { toolVersion } from '../../contract/tool-version.ts';
import { deploymentOf, instanceCount } from '../deployments/registry.ts';
import { type AskedServer, type MadeVariant, recordOf } from '../deployments/server-properties.ts';
import { experimentStackName, identifierOfServer, longestOwner } from './identifiers.ts';

type MadeExperiment = Pick<Experiment, 'name' | 'monitoring' | 'backups' | 'protocol'> & {
  variants: Readonly<Record<string, MadeVariant>>;
};

/**
 * A variant as the binding describes it.
 *
 * @param made with the names that only a deploy knows
 */
export function boundVariant(made: Omit<AskedServer, 'deployment'>, identifiers: readonly string[]): VariantBinding {
  const [only = ''] = identifiers;
  const deployment = deploymentOf(made.variant);
  return {
    kind: deployment.kind,
    identifier: identifiers.length === 1 ? only : [...identifiers],
    expected: expectedSchema.parse(recordOf((property) => property.asked({ ...made, deployment }))),
  };
}

/** An SSM parameter of the advanced tier holds 8 KB: AWS Systems Manager User Guide, "Managing parameter tiers". */
export const bindingRoomBytes = 8192;

/** The policies of a role hold 10,240 characters (IAM's quotas). Above this number, the names of the servers exceed them. */
export const maxInstances = 36;

/** Why a stack cannot hold all servers of an experiment, in words; none if it can. */
export function sizeProblems(experiment: MadeExperiment, profile: string): string[] {
  const variants = Object.values(experiment.variants);
  const instances =
    experiment.protocol.replicas * variants.reduce((sum, variant) => sum + instanceCount(deploymentOf(variant)), 0);
  const bytes = bindingBytes(experiment, profile);
  const remedy = 'Use fewer variants or replicas, or split the experiment in two.';
  return [
    ...(instances > maxInstances
      ? [
          `its servers are ${instances} instances, and the driver’s policy has room for the names of ${maxInstances}. ${remedy}`,
        ]
      : []),
    ...(bytes > bindingRoomBytes
      ? [
          `the binding of its ${variants.length} variants has up to ${bytes.toLocaleString('en')} bytes, and an SSM parameter holds ${bindingRoomBytes.toLocaleString('en')}. ${remedy}`,
        ]
      : []),
  ];
}

/** Bytes of the binding with the longest owner and Region, and names of AWS as long as they get in such a stack. */
export function bindingBytes(experiment: MadeExperiment, profile: string): number {
  const { name, protocol } = experiment;
  const owner = 'o'.repeat(longestOwner);
  const region = 'ap-southeast-5';
  const stackName = experimentStackName(name, owner);
  const uuid = 'u'.repeat(36);
  const arn = (service: string, rest: string): string => `arn:aws:${service}:${region}:123456789012:${rest}`;
  const asset = `s3://cdk-hnb659fds-assets-123456789012-${region}/${'h'.repeat(64)}.zip`;
  const variants = Object.entries(experiment.variants).map(([variant, made]): [string, VariantBinding] => [
    variant,
    boundVariant(
      {
        variant: made,
        experiment,
        availabilityZone: `${region}a`,
        // CloudFormation: the stack, the logical id and twelve characters. CDK: the path without hyphens and eight more.
        parameterGroup: `${stackName}-databasesparameters${variant.replaceAll('-', '')}-${'r'.repeat(8 + 12)}`,
      },
      serversOf([variant], protocol.replicas).map((server) => identifierOfServer(name, owner, server)),
    ),
  ]);
  const binding: Binding = {
    ...bindingHead,
    toolVersion,
    deploy: 'd'.repeat(12),
    running: 'finish',
    experiment: { name, profile, file: `/opt/pgduet/experiment/${name}.yaml` },
    owner,
    region,
    stackName,
    stackId: arn('cloudformation', `stack/${stackName}/${uuid}`),
    results: { bucket: 'b'.repeat(63), prefix: `${name}/${owner}/${uuid}/` },
    secretArn: arn('secretsmanager', `secret:${'s'.repeat(64)}`),
    database: { name: 'pgduet', port: 5432 },
    assets: { runner: asset, experiment: asset },
    dashboardUrl: `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#dashboards:name=${stackName}-${'n'.repeat(36)}`,
    lifetimeHours: 168,
    limitDollars: 1000,
    whenDone: 'destroy',
    graceMinutes: 30,
    variants: Object.fromEntries(variants),
  };
  return Buffer.byteLength(JSON.stringify(binding));
}

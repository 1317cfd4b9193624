import { CfnDeletionPolicy, CfnOutput, CfnResource, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/**
 * Refuses what would keep a stack from deleting itself, or would keep resources that bill when it has done so. Aspects of
 * an app may ask for that, so it looks only when the app is synthesized.
 */
export function refuseUndeletable(resources: Construct): void {
  const stack = Stack.of(resources);
  resources.node.addValidation({
    validate: () => [
      ...(stack.terminationProtection
        ? [
            `terminationProtection of ${stack.node.path} is true, so the stack could not delete itself, and you would pay for it until you delete it. Remove it, or let the experiment never end the stack (whenDone: keep, and an expiry of kind never).`,
          ]
        : []),
      ...(stack.nestedStackParent
        ? [
            `${stack.node.path} is a nested stack, which CloudFormation deletes only with its root. Give the experiment its own stack, or let it never end the stack (whenDone: keep, and an expiry of kind never).`,
          ]
        : []),
      ...stack.node
        .findAll()
        .flatMap((child) =>
          child instanceof CfnOutput && child.exportName !== undefined
            ? [
                `${child.node.path} exports an output of the stack. CloudFormation deletes no stack of which another uses an export, and you would pay for it until you delete that one. Hand the value over by a parameter of SSM instead.`,
              ]
            : [],
        ),
      ...resources.node
        .findAll()
        .filter((child) => CfnResource.isCfnResource(child))
        .flatMap((resource) => obstacle(resource, stack) ?? []),
    ],
  });
}

/** Of a resource, as it stands in the template: overrides are no properties of its construct. */
interface Template {
  Resources: Record<string, { DeletionPolicy?: unknown; Properties?: Record<string, unknown> }>;
}

const retaining: readonly unknown[] = [CfnDeletionPolicy.RETAIN, CfnDeletionPolicy.RETAIN_EXCEPT_ON_CREATE];

function obstacle(resource: CfnResource, stack: Stack): string | null {
  const { Resources } = stack.resolve(resource._toCloudFormation()) as Template;
  const [{ DeletionPolicy: policy, Properties: properties = {} } = {}] = Object.values(Resources);
  const remedy = 'Exclude the resources of an experiment from whatever sets this.';
  if (retaining.includes(policy)) {
    return `The deletion policy of ${resource.node.path} is ${String(policy)}, so that it would stay when the stack deletes itself. ${remedy}`;
  }
  const found = obstacles.find(({ holds }) => holds(properties));
  return found ? `${found.name} of ${resource.node.path} is ${found.value}, so that ${found.effect}. ${remedy}` : null;
}

interface Obstacle {
  name: string;
  value: string;
  holds: (properties: Record<string, unknown>) => boolean;
  effect: string;
}

const isUndeletable = 'the stack could not delete itself';
const obstacles: readonly Obstacle[] = [
  {
    name: 'deletionProtection',
    value: 'true',
    holds: (of) => of['DeletionProtection'] === true,
    effect: isUndeletable,
  },
  {
    name: 'disableApiTermination',
    value: 'true',
    holds: (of) => of['DisableApiTermination'] === true,
    effect: isUndeletable,
  },
  // Of the schedule that looks whether to delete the stack.
  { name: 'state', value: 'DISABLED', holds: (of) => of['State'] === 'DISABLED', effect: isUndeletable },
  {
    name: 'deleteAutomatedBackups',
    value: 'false',
    holds: (of) => of['DeleteAutomatedBackups'] === false,
    effect: 'its backups would stay when the stack deletes itself',
  },
  {
    name: 'deleteOnTermination',
    value: 'false',
    holds: ({ BlockDeviceMappings: devices }) =>
      Array.isArray(devices) &&
      (devices as { Ebs?: { DeleteOnTermination?: unknown } }[]).some(({ Ebs }) => Ebs?.DeleteOnTermination === false),
    effect: 'a volume would stay when the stack deletes itself',
  },
];

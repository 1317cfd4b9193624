import { CfnDeletionPolicy, CfnResource, Stack } from 'aws-cdk-lib';
import { CfnDBCluster, CfnDBInstance } from 'aws-cdk-lib/aws-rds';
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
            `terminationProtection of ${stack.node.path} is true, so that the stack could not delete itself, and you would pay for it until you delete it. Remove it, or let the experiment never end the stack (whenDone: keep, and an expiry of kind never).`,
          ]
        : []),
      ...resources.node
        .findAll()
        .filter((child) => CfnResource.isCfnResource(child))
        .flatMap((resource) => obstacle(resource) ?? []),
    ],
  });
}

const retaining = [CfnDeletionPolicy.RETAIN, CfnDeletionPolicy.RETAIN_EXCEPT_ON_CREATE];

function obstacle(resource: CfnResource): string | null {
  const { deletionPolicy } = resource.cfnOptions;
  const remedy = 'Leave the resources of an experiment out of what sets this.';
  if (deletionPolicy !== undefined && retaining.includes(deletionPolicy)) {
    return `The deletion policy of ${resource.node.path} is ${deletionPolicy}, so that it would stay when the stack deletes itself. ${remedy}`;
  }
  const isDatabase = resource instanceof CfnDBInstance || resource instanceof CfnDBCluster;
  if (isDatabase && resource.deletionProtection === true) {
    return `deletionProtection of ${resource.node.path} is true, so that the stack could not delete itself. ${remedy}`;
  }
  return null;
}

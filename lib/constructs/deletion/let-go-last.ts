import { AspectPriority, Aspects, CfnResource, Stack } from 'aws-cdk-lib';

/**
 * Makes everything else in the stack depend on a resource, so that CloudFormation deletes that one last. What it needs
 * itself, such as a bucket for results in the same stack, remains after it.
 */
export function letGoLast(last: CfnResource): void {
  const stack = Stack.of(last);
  Aspects.of(stack).add(
    {
      visit(node) {
        // At the last one, other aspects have changed all resources: with these changes, it may need more of them.
        const nodes = stack.node.findAll();
        if (node !== nodes.at(-1)) return;
        const needed = neededBy(last);
        for (const one of nodes) {
          if (CfnResource.isCfnResource(one) && Stack.of(one) === stack && !needed.has(one)) {
            one.addResourceDependency(last);
          }
        }
      },
    },
    { priority: AspectPriority.READONLY - 1 },
  );
}

/** A resource, and all that it needs, directly or not. A dependency of one of these on it would be a circle. */
function neededBy(last: CfnResource): ReadonlySet<CfnResource> {
  const stack = Stack.of(last);
  const byLogicalId = new Map(
    stack.node
      .findAll()
      .filter((node) => CfnResource.isCfnResource(node))
      .map((resource) => [stack.resolve(resource.logicalId) as string, resource]),
  );
  const needed = new Set<CfnResource>();
  const add = (resource: CfnResource): void => {
    if (needed.has(resource)) return;
    needed.add(resource);
    const text = JSON.stringify(stack.resolve(resource._toCloudFormation()));
    for (const [, reference, substituted] of text.matchAll(/"(?:Ref|Fn::GetAtt)":\[?"([^"]+)"|\$\{(\w+)[.}]/g)) {
      const referred = byLogicalId.get(reference ?? substituted ?? '');
      if (referred) add(referred);
    }
    // The CDK turns dependencies between constructs into some between resources only later.
    const ordered = resource.node.scopes.flatMap(({ node }) => node.dependencies).flatMap(({ node }) => node.findAll());
    for (const one of [...resource.obtainDependencies(), ...ordered]) if (CfnResource.isCfnResource(one)) add(one);
  };
  add(last);
  return needed;
}

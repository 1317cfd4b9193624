import { type CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { callAws } from '../../aws/call.ts';
import type { Binding } from '../../contract/binding.ts';
import { UserError } from '../../contract/errors.ts';

/** When a stack was created, which is when its bill began, and when it deletes itself at the latest. */
export interface StackTimes {
  createdAt: Date;
  /** null if it never expires. */
  expiresAt: Date | null;
}

/** @throws {UserError} if the stack cannot be described */
export async function describeStackTimes(
  client: CloudFormationClient,
  { stackId, lifetimeHours }: Pick<Binding, 'stackId' | 'lifetimeHours'>,
): Promise<StackTimes> {
  const { Stacks: [stack] = [] } = await callAws('cloudformation:DescribeStacks', stackId, () =>
    client.send(new DescribeStacksCommand({ StackName: stackId })),
  );
  const createdAt = stack?.CreationTime;
  if (!createdAt) throw new UserError(`cloudformation:DescribeStacks of ${stackId} returned no creation time.`);
  return {
    createdAt,
    expiresAt: lifetimeHours === null ? null : new Date(createdAt.getTime() + lifetimeHours * 3_600_000),
  };
}

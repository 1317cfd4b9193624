import { type CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { callAws } from '../aws/call.ts';
import type { Binding } from '../contract/binding.ts';
import { UserError } from '../../contract/errors.ts';

/** When a stack was created, and when it deletes itself at the latest. */
export interface StackTimes {
  createdAt: Date;
  /** null if it never expires. */
  expiresAt: Date | null;
  /** Whether CloudFormation has its own role for the stack, which whoever launched it has chosen. */
  hasRole: boolean;
  /** Whether CloudFormation refuses to delete it. */
  isProtected: boolean;
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
    hasRole: stack.RoleARN !== undefined,
    isProtected: stack.EnableTerminationProtection === true,
  };
}

/**
 * CloudFormation deletes a stack with the permissions of whoever asks, unless the stack has a role. A stack that deletes
 * itself may ask for the deletion, and for nothing else.
 *
 * @throws {UserError} if the stack is to delete itself, and has no role, or is protected from its deletion
 */
export function requireDeletable(
  { hasRole, isProtected }: Pick<StackTimes, 'hasRole' | 'isProtected'>,
  { stackName, whenDone, lifetimeHours }: Pick<Binding, 'stackName' | 'whenDone' | 'lifetimeHours'>,
): void {
  if (whenDone === 'keep' && lifetimeHours === null) return;
  if (isProtected) {
    throw new UserError(
      `The stack ${stackName} has termination protection, so it cannot delete itself, and you would pay for it until you delete it. Turn that off: aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name ${stackName}`,
    );
  }
  if (hasRole) return;
  throw new UserError(
    `The stack ${stackName} was launched without an IAM role, so it cannot delete itself, and you would pay for it until you delete it. Delete it now. Then launch it with a role: --role-arn, or Permissions in the console. cdk deploy chooses the role of the bootstrap.`,
  );
}

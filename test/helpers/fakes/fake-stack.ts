import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { fakeAws, xmlAnswer } from './fake-aws.ts';

/** A CloudFormation that knows one stack, made an hour ago. @param role that of the stack; empty for none @param isProtected from its deletion */
export function fakeStack(
  createdAt = new Date(Date.now() - 3_600_000),
  role = 'arn:aws:iam::123456789012:role/cloudformation',
  isProtected = false,
): CloudFormationClient {
  const stack = {
    StackName: 'pgduet-dlv-alice',
    StackStatus: 'CREATE_COMPLETE',
    CreationTime: createdAt.toISOString(),
    EnableTerminationProtection: String(isProtected),
    ...(role !== '' && { RoleARN: role }),
  };
  return new CloudFormationClient(fakeAws(({ action }) => xmlAnswer(action, { Stacks: [stack] })).options);
}

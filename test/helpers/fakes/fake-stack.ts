import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { fakeAws, xmlAnswer } from './fake-aws.ts';

/** A CloudFormation that knows one stack, made an hour ago. */
export function fakeStack(createdAt = new Date(Date.now() - 3_600_000)): CloudFormationClient {
  const stack = {
    StackName: 'pgduet-dlv-alice',
    StackStatus: 'CREATE_COMPLETE',
    CreationTime: createdAt.toISOString(),
  };
  return new CloudFormationClient(fakeAws(({ action }) => xmlAnswer(action, { Stacks: [stack] })).options);
}

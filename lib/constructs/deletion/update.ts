import { Choice, Errors, type State } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { updateMinutes } from '../../../runner/rds/contract/deletion.ts';
import { remaining } from './failure.ts';
import { callStack, ifTrue, input, minuteMs, now } from './tasks.ts';

/**
 * CloudFormation refuses to delete a stack that it updates, cleans up or rolls back: "cannot be deleted while in status
 * UPDATE_IN_PROGRESS". So the deletion waits a quarter of an hour from when the update began. After that, an update is
 * cancelled, which CloudFormation does only in that status, and answers by rolling it back. A message each hour says so.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CancelUpdateStack.html
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn--stack-update-cancel.html
 */
export function afterUpdate(
  scope: Construct,
  { remove, remains, notYet }: { remove: State; remains: State; notYet: State },
): State {
  const state = `${input}.state`;
  const isUpdating = `$contains(${state}, 'UPDATE_') and $contains(${state}, '_IN_PROGRESS')`;
  const late = `It is to delete itself, but its update had not ended after ${updateMinutes} minutes`;
  const cancel = callStack(
    scope,
    'CancelUpdate',
    'cancelUpdateStack',
    remaining(`'${late}, so that pgduet has cancelled it, and CloudFormation rolls it back.'`),
  );
  cancel.addCatch(remains, {
    errors: [Errors.ALL],
    outputs: remaining(
      `'${late}, and CloudFormation rejected the cancellation of the update. The reason: ' & $substring($states.errorOutput.Cause, 0, 1000)`,
    ),
  });
  cancel.next(remains);
  return Choice.jsonata(scope, 'IsBeingUpdated')
    .when(ifTrue(`${isUpdating} and ${now} - ${input}.changedAt < ${updateMinutes * minuteMs}`), notYet)
    .when(ifTrue(`${state} = 'UPDATE_IN_PROGRESS'`), cancel)
    .when(ifTrue(isUpdating), remains, {
      outputs: remaining(
        `'${late}. CloudFormation is cleaning up, or rolling back. Its events say what it waits for.'`,
      ),
    })
    .otherwise(remove);
}

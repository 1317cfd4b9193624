import { Aws } from 'aws-cdk-lib';
import { Choice, Errors, type IChainable, type State, Succeed } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { noticeMinutes } from '../../../runner/rds/contract/deletion.ts';
import { type BillSteps, lookAtBill, priceFields } from './bill.ts';
import { afterFailure, isCancelled, remaining, tellRemaining, whileDeleting } from './failure.ts';
import { lookAtRun, type RunSteps } from './run.ts';
import {
  add,
  announce,
  callStack,
  hourMs,
  ifTrue,
  input,
  jsonata,
  known,
  lookAtRecord,
  minuteMs,
  now,
} from './tasks.ts';
import { afterUpdate } from './update.ts';
import { atLimit } from './warning.ts';

export interface DeletionSteps extends BillSteps, RunSteps {
  /**
   * Hours after its creation at which the stack deletes itself in any case; undefined if it does not expire. No stack
   * parameter has them: it would keep its value when a later deploy asks for another lifetime.
   */
  readonly lifetimeHours: number | undefined;
  /** The deploy whose run allows the deletion by its end or by its silence; undefined if no run does. */
  readonly deploy: string | undefined;
}

/**
 * One check of the stack, which needs no driver. It deletes the stack if its lifetime is over, if its bill has reached the
 * limit of the experiment, if its run has ended and allowed the deletion, or if the run has shown no sign of life for an
 * hour, and for half an hour more after a message. Before it sends a message or deletes the stack, it records why in S3.
 * It tries a deletion again that failed, or that CloudFormation refused or cancelled, with a message each hour. It waits for
 * an update of the stack, but not long. Without S3, SNS or RDS, too, the money and the lifetime have an end.
 */
export function deletionSteps(scope: Construct, steps: DeletionSteps): IChainable {
  const notYet = Succeed.jsonata(scope, 'NotYet');
  const remains = tellRemaining(scope, steps, notYet);
  const deleteStack = callStack(scope, 'DeleteStack', 'deleteStack', jsonata(input));
  // Such as of a stack with termination protection. The state of the stack does not show it.
  deleteStack.addCatch(remains, {
    errors: [Errors.ALL],
    outputs: remaining(
      "'CloudFormation rejected its deletion. It retries every few minutes. The reason: ' & $substring($states.errorOutput.Cause, 0, 1000)",
    ),
  });
  deleteStack.next(
    Choice.jsonata(scope, 'IsStillThere')
      .when(ifTrue(`$exists(${input}.stays)`), remains)
      .otherwise(notYet),
  );
  const remove = afterUpdate(scope, { remove: removal(scope, steps, deleteStack), remains, notYet });
  const spent = atLimit(scope, steps, { remove, notYet });
  const price = priceFields(steps);
  const look = callStack(
    scope,
    'LookAtStack',
    'describeStacks',
    jsonata(`(
      $stack := $states.result.Stacks[0];
      $createdAt := $toMillis($stack.CreationTime);
      $hoursOld := (${now} - $createdAt) / ${hourMs};
      $whole := ${price.whole};
      $changedAt := $exists($stack.LastUpdatedTime) ? $toMillis($stack.LastUpdatedTime) : $createdAt;
      {
        'state': $stack.StackStatus,
        'createdAt': $createdAt,
        'changedAt': $changedAt,
        'graceUntil': $stack.StackStatus in ${updated} ? $changedAt + ${noticeMinutes * minuteMs} : 0,
        'deletedAt': $exists($stack.DeletionTime) ? $toMillis($stack.DeletionTime) : ${now},
        'hoursOld': $hoursOld,
        'whole': $whole,
        'withoutDatabases': ${price.withoutDatabases},
        'endsAt': ${price.endsAt},
        'dollars': $type($whole) = 'number' ? $hoursOld * $whole : null
      }
    )`),
  );
  const choice = Choice.jsonata(scope, 'TimeIsUp')
    .when(ifTrue(`${input}.state = 'DELETE_IN_PROGRESS'`), whileDeleting(scope, { remains, notYet }))
    .when(ifTrue(`${input}.state in ['DELETE_FAILED', 'ROLLBACK_FAILED']`), afterFailure(scope, deleteStack));
  if (steps.lifetimeHours !== undefined) {
    choice.when(ifTrue(`${input}.hoursOld >= ${steps.lifetimeHours}`), spent, {
      outputs: add({
        why: "'its lifetime has expired'",
        reachedAt: `${input}.createdAt + ${steps.lifetimeHours * hourMs}`,
      }),
    });
  }
  const next = steps.deploy === undefined ? notYet : lookAtRun(scope, steps.deploy, steps, { remove, notYet });
  return look.next(choice.otherwise(lookAtBill(scope, steps, { spent, next })));
}

/** A template of these may have new limits. The time of an update may be there from the beginning, if a change set made it. */
const updated = "['UPDATE_COMPLETE', 'UPDATE_COMPLETE_CLEANUP_IN_PROGRESS']";

/** Records why, sends one message if there is a topic, and deletes the stack. If it did so before, it only deletes. */
function removal(scope: Construct, { results, topicArn }: DeletionSteps, deleteStack: State): State {
  const bill = `(${known('dollars')}
    ? ' It has cost at most ' & $formatNumber(${input}.dollars, '#,##0.00') & ' dollars.' : '')`;
  // Before the deletion, which also deletes a topic of the stack.
  const first = announce(
    scope,
    { recordId: 'RecordDeletion', tellId: 'Tell' },
    { results, topicArn },
    {
      state: 'begun',
      fields: { why: `${input}.why`, dollars: `${input}.dollars` },
      subject: 'pgduet: a stack deletes itself',
      message: `'The stack ${Aws.STACK_NAME} is deleting itself: ' & ${input}.why & '.' & ${bill} & ' Its results: s3://${results.bucket}/${results.prefix}'`,
      next: deleteStack,
    },
  );
  const choice = Choice.jsonata(scope, 'WasAnnounced')
    // A record from before the last change of the stack is about another end of it.
    .when(ifTrue(`${input}.recordedAt > ${input}.changedAt`), deleteStack, { outputs: isCancelled })
    .otherwise(first);
  return lookAtRecord(scope, 'LookAtAnnouncement', { results, state: 'begun', next: choice, unknown: '0' });
}

import { Aws } from 'aws-cdk-lib';
import { Choice, Errors, type IChainable, type State, Succeed } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { type BillSteps, lookAtBill, priceFields } from './bill.ts';
import { lookAtRun, type RunSteps } from './run.ts';
import {
  add,
  callStack,
  hourMs,
  ifTrue,
  input,
  inTurn,
  jsonata,
  known,
  lookAtRecord,
  minuteMs,
  now,
  record,
  tell,
} from './tasks.ts';

export interface DeletionSteps extends BillSteps, RunSteps {
  /** Hours of the stack's lifetime; undefined if it does not expire. */
  readonly lifetimeHours: string | undefined;
  /** The deploy whose run allows the deletion by its end or by its silence; undefined if no run does. */
  readonly deploy: string | undefined;
}

/**
 * One check of the stack, which needs no driver. It deletes the stack if its lifetime is over, if its bill has reached the
 * limit of the experiment, if its run has ended and allowed the deletion, or if the run has shown no sign of life for an
 * hour, and for half an hour more after a message. Before it sends a message or deletes the stack, it records why in S3.
 * It tries a failed deletion again, with a message each hour.
 */
export function deletionSteps(scope: Construct, steps: DeletionSteps): IChainable {
  const notYet = Succeed.jsonata(scope, 'NotYet');
  const deleteStack = callStack(scope, 'DeleteStack', 'deleteStack', jsonata(input));
  const remove = removal(scope, steps, deleteStack);
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
      {
        'state': $stack.StackStatus,
        'createdAt': $createdAt,
        'changedAt': $exists($stack.LastUpdatedTime) ? $toMillis($stack.LastUpdatedTime) : $createdAt,
        'hoursOld': $hoursOld,
        'whole': $whole,
        'withoutDatabases': ${price.withoutDatabases},
        'endsAt': ${price.endsAt},
        'dollars': $type($whole) = 'number' ? $hoursOld * $whole : null
      }
    )`),
  );
  const choice = Choice.jsonata(scope, 'TimeIsUp')
    .when(ifTrue(`${input}.state = 'DELETE_IN_PROGRESS'`), notYet)
    .when(ifTrue(`${input}.state = 'DELETE_FAILED'`), afterFailure(scope, steps, deleteStack));
  if (steps.lifetimeHours !== undefined) {
    choice.when(ifTrue(`${input}.hoursOld >= ${steps.lifetimeHours}`), remove, {
      outputs: add({ why: "'its lifetime is over'" }),
    });
  }
  const next = steps.deploy === undefined ? notYet : lookAtRun(scope, steps.deploy, steps, { remove, notYet });
  return look.next(choice.otherwise(lookAtBill(scope, steps, { remove, next })));
}

/** Records why, sends one message if there is a topic, and deletes the stack. */
function removal(scope: Construct, { results, topicArn }: DeletionSteps, deleteStack: State): State {
  const bill = `(${known('dollars')}
    ? ' It has cost at most ' & $formatNumber(${input}.dollars, '#,##0.00') & ' dollars.' : '')`;
  return inTurn(
    [
      record(scope, 'RecordDeletion', {
        results,
        state: 'begun',
        fields: { why: `${input}.why`, dollars: `${input}.dollars` },
      }),
      // Before the deletion, which also deletes a topic of the stack.
      ...tell(scope, 'Tell', {
        topicArn,
        subject: 'pgduet: a stack deletes itself',
        message: `'The stack ${Aws.STACK_NAME} is deleting itself: ' & ${input}.why & '.' & ${bill} & ' Its results: s3://${results.bucket}/${results.prefix}'`,
      }),
    ],
    deleteStack,
  );
}

/** Tries a failed deletion again. Once an hour, it says what is left and what that costs. */
function afterFailure(scope: Construct, { results, topicArn }: DeletionSteps, deleteStack: State): State {
  const parts = '$states.result.StackResourceSummaries';
  const failed = `${parts}[ResourceStatus = 'DELETE_FAILED'].(LogicalResourceId & ' (' & ResourceType & ')')`;
  const databases = `${parts}[ResourceStatus != 'DELETE_COMPLETE' and ResourceType in ['AWS::RDS::DBInstance', 'AWS::RDS::DBCluster']]`;
  const whatIsLeft = callStack(
    scope,
    'WhatIsLeft',
    'listStackResources',
    add({
      left: `$substring($join([${failed}], ', '), 0, 1000)`,
      dollarsPerHour: `$exists(${databases}) ? ${input}.whole : ${input}.withoutDatabases`,
    }),
  );
  const cost = `(${known('dollarsPerHour')}
    ? 'at most ' & $formatNumber(${input}.dollarsPerHour, '#,##0.00') & ' dollars an hour' : 'an unknown price')`;
  const told = inTurn(
    [
      record(scope, 'RecordFailure', {
        results,
        state: 'failed',
        fields: { left: `${input}.left`, dollarsPerHour: `${input}.dollarsPerHour` },
      }),
      ...tell(scope, 'TellFailure', {
        topicArn,
        subject: 'pgduet: a stack could not be deleted',
        message: `'The stack ${Aws.STACK_NAME} could not be deleted, and costs ' & ${cost} & '. What could not be deleted: ' & ${input}.left & '. Its events in CloudFormation say why. It tries again every few minutes.'`,
      }),
    ],
    deleteStack,
  );
  whatIsLeft.addCatch(told, { errors: [Errors.ALL], outputs: add({ left: "'unknown'", dollarsPerHour: 'null' }) });
  whatIsLeft.next(told);
  const choice = Choice.jsonata(scope, 'ToldWithinAnHour')
    // Looks are five minutes apart, but not to the second.
    .when(ifTrue(`${now} - ${input}.recordedAt < ${58 * minuteMs}`), deleteStack)
    .otherwise(whatIsLeft);
  return lookAtRecord(scope, 'LookAtFailure', { results, state: 'failed', next: choice });
}

import { Aws } from 'aws-cdk-lib';
import { Choice, Errors, type State } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import {
  add,
  announce,
  type Announcing,
  callStack,
  hourMs,
  ifTrue,
  input,
  known,
  lookAtRecord,
  minuteMs,
  now,
} from './tasks.ts';

/** Looks are five minutes apart, but not to the second. */
const wasToldWithinAnHour = ifTrue(`${now} - ${input}.recordedAt < ${58 * minuteMs}`);

const cost = `(${known('dollarsPerHour')}
    ? 'at most ' & $formatNumber(${input}.dollarsPerHour, '#,##0.00') & ' dollars an hour' : 'an unknown price')`;

const eventsSayWhy = 'Its events in CloudFormation say why. It retries every few minutes.';

/** Tries a deletion that failed, also that of a creation that is rolled back, again, and says what is left. */
export function afterFailure(scope: Construct, deleteStack: State): State {
  const parts = '$states.result.StackResourceSummaries';
  const failed = `${parts}[ResourceStatus = 'DELETE_FAILED'].(LogicalResourceId & ' (' & ResourceType & ')')`;
  const databases = `${parts}[ResourceStatus != 'DELETE_COMPLETE' and ResourceType in ['AWS::RDS::DBInstance', 'AWS::RDS::DBCluster']]`;
  const whatIsLeft = callStack(
    scope,
    'WhatIsLeft',
    'listStackResources',
    add({
      stays: `'What could not be deleted: ' & $substring($join([${failed}], ', '), 0, 1000) & '. ${eventsSayWhy}'`,
      // There may be databases on a page that is not read.
      dollarsPerHour: `$exists(${databases}) or $exists($states.result.NextToken) ? ${input}.whole : ${input}.withoutDatabases`,
    }),
  );
  whatIsLeft.addCatch(deleteStack, {
    errors: [Errors.ALL],
    outputs: remaining(`'Its deletion failed. ${eventsSayWhy}'`),
  });
  whatIsLeft.next(deleteStack);
  return whatIsLeft;
}

/** Why the stack stays, in sentences, and fields for what `tellRemaining` says. */
export function remaining(stays: string): string {
  return add({ stays, dollarsPerHour: `${input}.whole` });
}

/** What `remaining` says of a deletion that began, and of which nothing is to be seen. */
export const isCancelled = remaining(
  `'CloudFormation has cancelled its deletion, as if another stack uses an output of it. ${eventsSayWhy}'`,
);

/** Once an hour, says why the stack is still there and what that costs. */
export function tellRemaining(scope: Construct, { results, topicArn }: Announcing, notYet: State): State {
  const telling = announce(
    scope,
    { recordId: 'RecordRemaining', tellId: 'TellRemaining' },
    { results, topicArn },
    {
      state: 'failed',
      fields: { why: `${input}.stays`, dollarsPerHour: `${input}.dollarsPerHour` },
      subject: 'pgduet: a stack is not deleted',
      message: `'The stack ${Aws.STACK_NAME} is still there, and costs ' & ${cost} & '. ' & ${input}.stays`,
      next: notYet,
    },
  );
  const choice = Choice.jsonata(scope, 'ToldOfIt').when(wasToldWithinAnHour, notYet).otherwise(telling);
  return lookAtRecord(scope, 'LookAtRemaining', { results, state: 'failed', next: choice });
}

/**
 * A deletion that takes long is announced as one that fails, whoever began it: `deletedAt` is when it began, as stacks in
 * DELETE_IN_PROGRESS show it.
 */
export function whileDeleting(scope: Construct, { remains, notYet }: { remains: State; notYet: State }): State {
  return Choice.jsonata(scope, 'TakesAnHour')
    .when(ifTrue(`${now} - ${input}.deletedAt >= ${hourMs}`), remains, {
      outputs: remaining(
        "'Its deletion began more than an hour ago, and has not ended. Its events in CloudFormation say what it waits for.'",
      ),
    })
    .otherwise(notYet);
}

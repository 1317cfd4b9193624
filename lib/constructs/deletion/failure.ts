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

/** Tries a failed deletion again. Once an hour, it says what is left and what that costs. */
export function afterFailure(scope: Construct, { results, topicArn }: Announcing, deleteStack: State): State {
  const parts = '$states.result.StackResourceSummaries';
  const failed = `${parts}[ResourceStatus = 'DELETE_FAILED'].(LogicalResourceId & ' (' & ResourceType & ')')`;
  const databases = `${parts}[ResourceStatus != 'DELETE_COMPLETE' and ResourceType in ['AWS::RDS::DBInstance', 'AWS::RDS::DBCluster']]`;
  const whatIsLeft = callStack(
    scope,
    'WhatIsLeft',
    'listStackResources',
    add({
      left: `$substring($join([${failed}], ', '), 0, 1000)`,
      // There may be databases on a page that is not read.
      dollarsPerHour: `$exists(${databases}) or $exists($states.result.NextToken) ? ${input}.whole : ${input}.withoutDatabases`,
    }),
  );
  const told = announce(
    scope,
    { recordId: 'RecordFailure', tellId: 'TellFailure' },
    { results, topicArn },
    {
      state: 'failed',
      fields: { left: `${input}.left`, dollarsPerHour: `${input}.dollarsPerHour` },
      subject: 'pgduet: a stack could not be deleted',
      message: `'The stack ${Aws.STACK_NAME} could not be deleted, and costs ' & ${cost} & '. What could not be deleted: ' & ${input}.left & '. Its events in CloudFormation say why. It tries again every few minutes.'`,
      next: deleteStack,
    },
  );
  whatIsLeft.addCatch(told, { errors: [Errors.ALL], outputs: add({ left: "'unknown'", dollarsPerHour: 'null' }) });
  whatIsLeft.next(told);
  const choice = Choice.jsonata(scope, 'ToldWithinAnHour').when(wasToldWithinAnHour, deleteStack).otherwise(whatIsLeft);
  return lookAtRecord(scope, 'LookAtFailure', { results, state: 'failed', next: choice });
}

/** What `tellRemaining` says, in sentences, and fields for it. */
export function remaining(why: string): string {
  return add({ why, dollarsPerHour: `${input}.whole` });
}

/** Once an hour, says why the stack is still there and what that costs. */
export function tellRemaining(scope: Construct, { results, topicArn }: Announcing, notYet: State): State {
  const told = announce(
    scope,
    { recordId: 'RecordRemaining', tellId: 'TellRemaining' },
    { results, topicArn },
    {
      state: 'failed',
      fields: { why: `${input}.why`, dollarsPerHour: `${input}.dollarsPerHour` },
      subject: 'pgduet: a stack is not deleted',
      message: `'The stack ${Aws.STACK_NAME} is still there, and costs ' & ${cost} & '. ' & ${input}.why`,
      next: notYet,
    },
  );
  const choice = Choice.jsonata(scope, 'ToldOfIt').when(wasToldWithinAnHour, notYet).otherwise(told);
  return lookAtRecord(scope, 'LookAtRemaining', { results, state: 'failed', next: choice });
}

/** A deletion that takes long is announced as one that fails. What was recorded before the last deploy is of an earlier one. */
export function whileDeleting(
  scope: Construct,
  { results }: Announcing,
  { remains, notYet }: { remains: State; notYet: State },
): State {
  const choice = Choice.jsonata(scope, 'TakesAnHour')
    .when(ifTrue(`${input}.recordedAt > ${input}.changedAt and ${now} - ${input}.recordedAt >= ${hourMs}`), remains, {
      outputs: remaining(
        "'Its deletion began more than an hour ago, and has not ended. Its events in CloudFormation say what it waits for.'",
      ),
    })
    .otherwise(notYet);
  return lookAtRecord(scope, 'LookAtDeletion', { results, state: 'begun', next: choice });
}

import { Aws, Duration } from 'aws-cdk-lib';
import { Choice, Condition, Errors, type State, Timeout } from 'aws-cdk-lib/aws-stepfunctions';
import { CallAwsService } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import type { Construct } from 'constructs';
import { type DeletionState, deletionName, noticeMinutes } from '../../../runner/rds/contract/deletion.ts';
import { toolVersion } from '../../../runner/contract/tool-version.ts';
import { lookMinutes } from '../../../runner/rds/prices/margin.ts';

/** Where results, status and the records of the deletion are. */
export interface ResultsPlace {
  readonly bucket: string;
  readonly prefix: string;
}

/** Where the stack says what it does. */
export interface Announcing {
  readonly results: ResultsPlace;
  /** The topic that gets a message before the deletion; undefined for none. */
  readonly topicArn: string | undefined;
}

export const now = '$toMillis($states.context.State.EnteredTime)';
export const input = '$states.input';
export const minuteMs = 60_000;
export const hourMs = 3_600_000;

/** A service that never answers must not use up the time of the execution, in which the stack is to be deleted. */
export const answerTimeout = Timeout.duration(Duration.seconds(10));

/** JSONata as a state machine has it. */
export function jsonata(expression: string): string {
  return `{% ${expression.replaceAll(/\s+/g, ' ').trim()} %}`;
}

export function ifTrue(expression: string): Condition {
  return Condition.jsonata(jsonata(expression));
}

/** The input of a state with more fields, each by an expression. */
export function add(fields: Readonly<Record<string, string>>): string {
  const added = Object.entries(fields).map(([name, expression]) => `'${name}': ${expression}`);
  return jsonata(`$merge([${input}, {${added.join(', ')}}])`);
}

/** The field of the input that holds a number, if it is known; a comparison with an unknown one would be an error. */
export function known(
  field: 'dollars' | 'whole' | 'withoutDatabases' | 'endsAt' | 'databasesAt' | 'dollarsPerHour',
): string {
  return `$type(${input}.${field}) = 'number'`;
}

/** The number of the stack's Region, which a template may not know; null if there is none. */
export function byRegion(numbers: ReadonlyMap<string, number>): string {
  const table = [...numbers].map(([region, number]) => `'${region}': ${number}`).join(', ');
  const found = `$lookup({${table}}, '${Aws.REGION}')`;
  return `($exists(${found}) ? ${found} : null)`;
}

/**
 * Whether a call to S3 failed for a reason that passes. Its error's name says it no more than whether there is an object:
 * without the right to list a bucket, a missing one is answered with 403. So its status counts, which the cause has.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html under "Permissions"
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html for 500, and 503 of too many requests
 */
export const isPassing = `($contains($states.errorOutput.Error, 'SdkClient')
  or $contains($states.errorOutput.Cause, 'Status Code: 5') or $contains($states.errorOutput.Cause, 'Status Code: 429'))`;

/** Tries again at once: the next look comes in minutes. */
export const retry = { errors: [Errors.ALL], maxAttempts: 2, interval: Duration.seconds(2), backoffRate: 1 };

/** A call about this stack. By id, not by name: a later stack of the same name must not be deleted. */
export function callStack(scope: Construct, id: string, action: string, outputs: string): CallAwsService {
  const call = CallAwsService.jsonata(scope, id, {
    service: 'cloudformation',
    action,
    parameters: { StackName: Aws.STACK_ID },
    iamResources: [Aws.STACK_ID],
    outputs,
  });
  call.addRetry(retry);
  return call;
}

/**
 * Adds when a record was written, as `recordedAt`; 0 if there is none. Then goes on with `next`.
 *
 * @param unknown what counts if S3 does not answer. @default now: nothing begins or is said because of that
 */
export function lookAtRecord(
  scope: Construct,
  id: string,
  {
    results,
    state,
    next,
    unknown = now,
  }: { results: ResultsPlace; state: DeletionState; next: Choice; unknown?: string },
): CallAwsService {
  const { Bucket, Key, arn } = recordAt(results, state);
  const look = CallAwsService.jsonata(scope, id, {
    service: 's3',
    action: 'headObject',
    parameters: { Bucket, Key },
    iamResources: [arn],
    taskTimeout: answerTimeout,
    outputs: add({ recordedAt: '$toMillis($states.result.LastModified)' }),
  });
  look.addRetry(retry);
  look.addCatch(next, { errors: [Errors.ALL], outputs: add({ recordedAt: `${isPassing} ? ${unknown} : 0` }) });
  look.next(next);
  return look;
}

interface Announcement {
  state: DeletionState;
  /** Of the record, by expressions. */
  fields: Readonly<Record<string, string>>;
  subject: string;
  /** An expression. */
  message: string;
}

/**
 * Records what happens now, says it if there is a topic, and goes on with `next`, even if either fails. Without the record,
 * every look would say it again. So it says it only when it is due, and each half hour after that.
 */
export function announce(
  scope: Construct,
  { recordId, tellId }: { recordId: string; tellId: string },
  { results, topicArn }: Announcing,
  { state, fields, subject, message, next }: Announcement & { next: State },
): State {
  const first = record(scope, recordId, { results, state, fields });
  first.addRetry(retry);
  if (topicArn === undefined) {
    first.addCatch(next, { errors: [Errors.ALL], outputs: jsonata(input) });
    first.next(next);
    return first;
  }
  const telling = tell(scope, tellId, { topicArn, subject, message });
  telling.addRetry(retry);
  telling.addCatch(next, { errors: [Errors.ALL], outputs: jsonata(input) });
  telling.next(next);
  const dueAt = `($exists(${input}.reachedAt) ? $max([${input}.reachedAt, ${input}.changedAt]) : 0)`;
  const withoutRecord = Choice.jsonata(scope, `${tellId}-without-record`)
    .when(ifTrue(`(${now} - ${dueAt}) % ${noticeMinutes * minuteMs} < ${(lookMinutes + 1) * minuteMs}`), telling)
    .otherwise(next);
  first.addCatch(withoutRecord, { errors: [Errors.ALL], outputs: jsonata(input) });
  first.next(telling);
  return first;
}

/** Writes what happens now, and why, beside the results. */
function record(
  scope: Construct,
  id: string,
  { results, state, fields }: { results: ResultsPlace; state: DeletionState; fields: Readonly<Record<string, string>> },
): CallAwsService {
  const { Bucket, Key, arn } = recordAt(results, state);
  return CallAwsService.jsonata(scope, id, {
    service: 's3',
    action: 'putObject',
    parameters: {
      Bucket,
      Key,
      ContentType: 'application/json',
      Body: {
        kind: 'pgduet-deletion',
        schemaVersion: 1,
        toolVersion,
        state,
        at: jsonata('$states.context.State.EnteredTime'),
        stackName: Aws.STACK_NAME,
        ...Object.fromEntries(Object.entries(fields).map(([name, expression]) => [name, jsonata(expression)])),
      },
    },
    iamResources: [arn],
    taskTimeout: answerTimeout,
    outputs: jsonata(input),
  });
}

function recordAt(
  { bucket, prefix }: ResultsPlace,
  state: DeletionState,
): { Bucket: string; Key: string; arn: string } {
  const Key = `${prefix}${deletionName(state)}`;
  return { Bucket: bucket, Key, arn: s3Arn({ bucket, prefix }, deletionName(state)) };
}

/** ARN of an object among the results. */
export function s3Arn({ bucket, prefix }: ResultsPlace, name: string): string {
  return `arn:${Aws.PARTITION}:s3:::${bucket}/${prefix}${name}`;
}

/** A message, by an expression. */
function tell(
  scope: Construct,
  id: string,
  { topicArn, subject, message }: { topicArn: string; subject: string; message: string },
): CallAwsService {
  return CallAwsService.jsonata(scope, id, {
    service: 'sns',
    action: 'publish',
    parameters: { TopicArn: topicArn, Subject: subject, Message: jsonata(message) },
    iamResources: [topicArn],
    taskTimeout: answerTimeout,
    outputs: jsonata(input),
  });
}

import { Aws } from 'aws-cdk-lib';
import { Choice, Condition, Errors, type IChainable, Succeed } from 'aws-cdk-lib/aws-stepfunctions';
import { CallAwsService } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import type { Construct } from 'constructs';
import { deleteAfterKey, deployKey, statusHeadBytes } from '../../runner/contract/status.ts';

export interface DeletionSteps {
  /** Hours of the stack's lifetime; undefined if it does not expire. */
  readonly lifetimeHours: string | undefined;
  /**
   * The object in which the run says when its stack may be deleted; undefined if the end of the run deletes nothing.
   */
  readonly status: { readonly bucket: string; readonly key: string; readonly deploy: string } | undefined;
  /** The topic that gets a message before the deletion; undefined for none. */
  readonly topicArn: string | undefined;
  readonly results: string;
  /** What the whole stack costs, in US dollars; undefined if that is not known. */
  readonly dollarsPerHour: number | undefined;
}

/** What the steps tell the next one. */
const carried = { state: '{% $states.input.state %}', hoursOld: '{% $states.input.hoursOld %}' };
const now = '$toMillis($states.context.State.EnteredTime)';

/**
 * One check of the stack. If its lifetime is over, or its run has ended and allowed the deletion, deletes the stack.
 */
export function deletionSteps(scope: Construct, steps: DeletionSteps): IChainable {
  const { lifetimeHours, status } = steps;
  const notYet = Succeed.jsonata(scope, 'NotYet');
  const remove = removal(scope, steps);
  const look = CallAwsService.jsonata(scope, 'LookAtStack', {
    service: 'cloudformation',
    action: 'describeStacks',
    parameters: { StackName: Aws.STACK_ID },
    iamResources: [Aws.STACK_ID],
    outputs: {
      state: '{% $states.result.Stacks[0].StackStatus %}',
      hoursOld: `{% (${now} - $toMillis($states.result.Stacks[0].CreationTime)) / 3600000 %}`,
    },
  });
  const choice = Choice.jsonata(scope, 'TimeIsUp').when(
    Condition.jsonata("{% $states.input.state = 'DELETE_IN_PROGRESS' %}"),
    notYet,
  );
  if (lifetimeHours !== undefined) {
    choice.when(Condition.jsonata(`{% $states.input.hoursOld >= ${lifetimeHours} %}`), remove, {
      outputs: { ...carried, why: 'its lifetime is over' },
    });
  }
  return look.next(choice.otherwise(status ? lookAtRun(scope, status, remove, notYet) : notYet));
}

/**
 * Reads the status of the run. It is JSON, but only its beginning is read: a response of more than 256 KiB would end
 * the execution (quota of Step Functions), and a run of many trials has a longer status. If there is no object, the
 * read is refused, or the text is from another deploy or lacks the key, the run counts as not ended.
 */
function lookAtRun(
  scope: Construct,
  { bucket, key, deploy }: NonNullable<DeletionSteps['status']>,
  remove: IChainable,
  notYet: Succeed,
): IChainable {
  const text = '$states.result.Body';
  const time = `$substringBefore($substringAfter(${text}, '${deleteAfterKey}'), '"')`;
  const look = CallAwsService.jsonata(scope, 'LookAtRun', {
    service: 's3',
    action: 'getObject',
    parameters: { Bucket: bucket, Key: key, Range: `bytes=0-${statusHeadBytes - 1}` },
    iamResources: [`arn:${Aws.PARTITION}:s3:::${bucket}/${key}`],
    outputs: {
      ...carried,
      mayGo: `{% $contains(${text}, '${deployKey}${deploy}"') and $contains(${text}, '${deleteAfterKey}') ? $toMillis(${time}) <= ${now} : false %}`,
    },
  });
  look.addCatch(notYet, { errors: [Errors.ALL] });
  return look.next(
    Choice.jsonata(scope, 'RunHasEnded')
      .when(Condition.jsonata('{% $states.input.mayGo %}'), remove, {
        outputs: { ...carried, why: 'its run has ended, and all its results are in S3' },
      })
      .otherwise(notYet),
  );
}

/** Sends one message, if there is a topic, and deletes the stack. */
function removal(scope: Construct, { topicArn, results, dollarsPerHour }: DeletionSteps): IChainable {
  // By id, not by name: a later stack of the same name must not be deleted.
  const remove = CallAwsService.jsonata(scope, 'DeleteStack', {
    service: 'cloudformation',
    action: 'deleteStack',
    parameters: { StackName: Aws.STACK_ID },
    iamResources: [Aws.STACK_ID],
  });
  if (topicArn === undefined) return remove;
  // Its databases are younger than the stack.
  const bill =
    dollarsPerHour === undefined
      ? ''
      : ` & ' It has cost at most ' & $formatNumber($states.input.hoursOld * ${dollarsPerHour}, '#,##0.00') & ' dollars.'`;
  // Before the deletion, which also deletes a topic of the stack.
  const tell = CallAwsService.jsonata(scope, 'Tell', {
    service: 'sns',
    action: 'publish',
    parameters: {
      TopicArn: topicArn,
      Subject: 'pgduet: a stack deletes itself',
      Message: `{% 'The stack ${Aws.STACK_NAME} is deleting itself: ' & $states.input.why & '.'${bill} & ' Its results: ${results}' %}`,
    },
    iamResources: [topicArn],
  });
  tell.addCatch(remove, { errors: [Errors.ALL] });
  // A failed deletion is retried every few minutes, without another message.
  return Choice.jsonata(scope, 'IsFirstTry')
    .when(Condition.jsonata("{% $states.input.state = 'DELETE_FAILED' %}"), remove)
    .otherwise(tell.next(remove));
}

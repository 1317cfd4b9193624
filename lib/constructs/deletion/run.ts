import { Aws } from 'aws-cdk-lib';
import { Choice, Errors, type State } from 'aws-cdk-lib/aws-stepfunctions';
import { CallAwsService } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import type { Construct } from 'constructs';
import { noticeMinutes, silenceMinutes } from '../../../runner/contract/deletion.ts';
import { deleteAfterKey, deployKey, savedKey, statusHeadBytes, statusName } from '../../../runner/contract/status.ts';
import { preflightSeconds } from '../../../runner/contract/waiting-times.ts';
import {
  add,
  announce,
  ifTrue,
  input,
  known,
  lookAtRecord,
  minuteMs,
  now,
  type ResultsPlace,
  retry,
  s3Arn,
} from './tasks.ts';

export interface RunSteps {
  readonly results: ResultsPlace;
  /** The topic that gets a message before the deletion; undefined for none. */
  readonly topicArn: string | undefined;
  /** Minutes from the end of a run to the deletion, where its status does not say when that is. */
  readonly graceMinutes: number;
}

/**
 * Reads the status of the run. It is JSON, but only its beginning is read: a response of more than 256 KiB would end
 * the execution (quota of Step Functions), and a run of many trials has a longer status. If there is no object, the
 * read is refused, or the text is from another deploy or lacks the key, the run counts as not ended.
 *
 * A run whose stack was to be kept ends without a time for the deletion. If a later deploy lets the stack go, the grace
 * time counts from the run's last status.
 *
 * @param deploy only the run of this deploy may end the stack
 */
export function lookAtRun(
  scope: Construct,
  deploy: string,
  steps: RunSteps,
  { remove, notYet }: { remove: State; notYet: State },
): State {
  const { bucket, prefix } = steps.results;
  const text = '$states.result.Body';
  const time = `$substringBefore($substringAfter(${text}, '${deleteAfterKey}'), '"')`;
  const hasEnded = `($contains(${text}, '${deployKey}${deploy}"') and $contains(${text}, '${savedKey}'))`;
  const lastWritten = '$toMillis($states.result.LastModified)';
  const goesAt = `($contains(${text}, '${deleteAfterKey}') ? $toMillis(${time}) : ${lastWritten} + ${steps.graceMinutes * minuteMs})`;
  const look = CallAwsService.jsonata(scope, 'LookAtRun', {
    service: 's3',
    action: 'getObject',
    parameters: { Bucket: bucket, Key: `${prefix}${statusName}`, Range: `bytes=0-${statusHeadBytes - 1}` },
    iamResources: [s3Arn(steps.results, statusName)],
    outputs: add({
      hasEnded,
      mayGo: `${hasEnded} ? ${goesAt} <= ${now} : false`,
      aliveAt: lastWritten,
    }),
  });
  const choice = Choice.jsonata(scope, 'RunHasEnded')
    .when(ifTrue(`${input}.mayGo`), remove, {
      outputs: add({ why: "'its run has ended, and all its results are in S3'" }),
    })
    .when(ifTrue(`${input}.hasEnded`), notYet)
    .when(ifTrue(isSilent), afterSilence(scope, steps, { remove, notYet }))
    .otherwise(notYet);
  look.addRetry(retry);
  look.addCatch(choice, {
    errors: [Errors.ALL],
    outputs: add({ hasEnded: 'false', mayGo: 'false', aliveAt: '0' }),
  });
  look.next(choice);
  return look;
}

/**
 * Whether the run has shown no sign of life for too long. It writes its first status after the pre-flight, which waits for
 * the databases. Until then, only an available database shows that there should soon be a run.
 */
const isSilent = `(
  $isBilled := ${known('databasesAt')};
  $from := $isBilled ? $max([${input}.databasesAt, ${input}.changedAt]) : ${input}.changedAt;
  $last := ${input}.aliveAt > $from ? ${input}.aliveAt : ($isBilled ? $from + ${preflightSeconds * 1000} : ${now});
  ${now} - $last >= ${silenceMinutes * minuteMs}
)`;

/** Sends one message, and deletes the stack later if the run is silent still. */
function afterSilence(
  scope: Construct,
  { results, topicArn }: RunSteps,
  { remove, notYet }: { remove: State; notYet: State },
): State {
  const why = `'its run has shown no sign of life for an hour'`;
  const minutes = `(${now} - ${input}.recordedAt) / ${minuteMs}`;
  // An older record is about an earlier silence, which ended.
  const isWarned = `${input}.recordedAt > $max([${input}.aliveAt, ${input}.changedAt])`;
  const warn = announce(
    scope,
    { recordId: 'RecordSilence', tellId: 'Warn' },
    { results, topicArn },
    {
      state: 'silent',
      fields: { why },
      subject: 'pgduet: no sign of life',
      message: `'The stack ${Aws.STACK_NAME} deletes itself in ${noticeMinutes} minutes: ' & ${why} & '. What is not in S3 by then is lost. To keep the stack, deploy it again with whenDone: keep.'`,
      next: notYet,
    },
  );
  const choice = Choice.jsonata(scope, 'WasWarned')
    .when(ifTrue(`${isWarned} and ${minutes} >= ${noticeMinutes}`), remove, { outputs: add({ why }) })
    .when(ifTrue(isWarned), notYet)
    .otherwise(warn);
  return lookAtRecord(scope, 'LookAtWarning', { results, state: 'silent', next: choice });
}

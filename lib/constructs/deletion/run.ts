import { Choice, Errors, type State } from 'aws-cdk-lib/aws-stepfunctions';
import { CallAwsService } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import type { Construct } from 'constructs';
import { silenceMinutes } from '../../../runner/rds/contract/deletion.ts';
import { deleteAfterKey, deployKey, savedKey, statusHeadBytes, statusName } from '../../../runner/contract/status.ts';
import { preflightSeconds } from '../../../runner/rds/contract/waiting-times.ts';
import {
  add,
  type Announcing,
  answerTimeout,
  ifTrue,
  input,
  isPassing,
  known,
  minuteMs,
  now,
  retry,
  s3Arn,
} from './tasks.ts';
import { afterWarning, silence } from './warning.ts';

export interface RunSteps extends Announcing {
  /** Minutes from the end of a run to the deletion, where its status does not say when that is. */
  readonly graceMinutes: number;
}

/**
 * Reads the status of the run. It is JSON, but only its beginning is read: a response of more than 256 KiB would end
 * the execution (quota of Step Functions), and a run of many trials has a longer status. If there is no object, the
 * read is refused, or the text is from another deploy or lacks the key, the run counts as not ended. If S3 does not answer,
 * this look does not end it, either.
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
  const isOfDeploy = `$contains(${text}, '${deployKey}${deploy}"')`;
  const isSaved = `$contains(${text}, '${savedKey}')`;
  const hasEnded = `(${isOfDeploy} and ${isSaved})`;
  const lastWritten = '$toMillis($states.result.LastModified)';
  const goesAt = `($contains(${text}, '${deleteAfterKey}') ? $toMillis(${time}) : ${lastWritten} + ${steps.graceMinutes * minuteMs})`;
  const look = CallAwsService.jsonata(scope, 'LookAtRun', {
    service: 's3',
    action: 'getObject',
    parameters: { Bucket: bucket, Key: `${prefix}${statusName}`, Range: `bytes=0-${statusHeadBytes - 1}` },
    iamResources: [s3Arn(steps.results, statusName)],
    taskTimeout: answerTimeout,
    outputs: add({
      hasEnded,
      mayGo: `${hasEnded} ? ${goesAt} <= ${now} : false`,
      reachedAt: `${hasEnded} ? $max([${goesAt}, ${input}.changedAt]) : 0`,
      aliveAt: lastWritten,
      formerEndedAt: `${isSaved} and $not(${isOfDeploy}) ? ${lastWritten} : 0`,
    }),
  });
  const choice = Choice.jsonata(scope, 'RunHasEnded')
    .when(ifTrue(`${input}.mayGo`), remove, {
      outputs: add({ why: "'its run has ended, and all its results are in S3'" }),
    })
    .when(ifTrue(`${input}.hasEnded`), notYet)
    .when(ifTrue(isSilent), afterWarning(scope, steps, silence, { remove, notYet }), {
      outputs: add({ why: "'its run has sent no update for an hour'" }),
    })
    .otherwise(notYet);
  look.addRetry(retry);
  look.addCatch(choice, {
    errors: [Errors.ALL],
    outputs: add({
      hasEnded: 'false',
      mayGo: 'false',
      reachedAt: '0',
      aliveAt: `${isPassing} ? ${now} : 0`,
      formerEndedAt: '0',
    }),
  });
  look.next(choice);
  return look;
}

/**
 * Whether the run has shown no sign of life for too long. It writes its first status after the pre-flight, which waits for
 * the databases, and for the end of a former deploy's run. Until then, only an available database shows that there should
 * soon be a run.
 */
const isSilent = `(
  $isBilled := ${known('databasesAt')};
  $from := $max([$isBilled ? ${input}.databasesAt : 0, ${input}.changedAt, ${input}.formerEndedAt]);
  $last := ${input}.aliveAt > $from ? ${input}.aliveAt : ($isBilled ? $from + ${preflightSeconds * 1000} : ${now});
  ${now} - $last >= ${silenceMinutes * minuteMs}
)`;

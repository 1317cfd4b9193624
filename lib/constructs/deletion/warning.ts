import { Aws } from 'aws-cdk-lib';
import { Choice, type State } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { noticeMinutes } from '../../../runner/contract/deletion.ts';
import { announce, type Announcing, ifTrue, input, lookAtRecord, minuteMs, now } from './tasks.ts';

/** A run that is silent; it may come back. */
export const silence = {
  state: 'silent',
  lastedSince: `${input}.aliveAt`,
  subject: 'pgduet: no sign of life',
  remedy: 'with whenDone: keep',
} as const;

/** An end that an update of the stack may have brought nearer than a run knows. */
const newLimit = {
  state: 'limit',
  lastedSince: '0',
  subject: 'pgduet: a stack deletes itself soon',
  remedy: 'with a later expiry, or a higher limits.dollars',
} as const;

/**
 * Sends one message, and deletes the stack half an hour later, if it is still to go. The reason is `why` of the input. A
 * message from before the reason, or before the last change of the stack, was about something else.
 */
export function afterWarning(
  scope: Construct,
  { results, topicArn }: Announcing,
  { state, lastedSince, subject, remedy }: typeof silence | typeof newLimit,
  { remove, notYet }: { remove: State; notYet: State },
): State {
  const why = `${input}.why`;
  const minutes = `(${now} - ${input}.recordedAt) / ${minuteMs}`;
  const isWarned = `${input}.recordedAt > $max([${lastedSince}, ${input}.changedAt])`;
  const id = (verb: string): string => `${verb}-${state}`;
  const warn = announce(
    scope,
    { recordId: id('Record'), tellId: id('Warn') },
    { results, topicArn },
    {
      state,
      fields: { why },
      subject,
      message: `'The stack ${Aws.STACK_NAME} deletes itself in ${noticeMinutes} minutes: ' & ${why} & '. What is not in S3 by then is lost. To keep the stack, deploy it again ${remedy}.'`,
      next: notYet,
    },
  );
  const choice = Choice.jsonata(scope, id('WasWarned'))
    .when(ifTrue(`${isWarned} and ${minutes} >= ${noticeMinutes}`), remove)
    .when(ifTrue(isWarned), notYet)
    .otherwise(warn);
  return lookAtRecord(scope, id('LookAt'), { results, state, next: choice });
}

/**
 * The end of a lifetime or of the money. A run knows them, and has saved by then. Only an update of the stack can have
 * lowered them: the run learns of that between two trials, and a person by a message. The state of the stack says whether
 * there was one: its time of the last update may be there from the beginning, if a change set made it.
 */
export function atLimit(
  scope: Construct,
  steps: Announcing,
  { remove, notYet }: { remove: State; notYet: State },
): State {
  const isUpdated = `$contains(${input}.state, 'UPDATE_') and $not($contains(${input}.state, 'ROLLBACK'))`;
  return Choice.jsonata(scope, 'LimitMayBeNew')
    .when(ifTrue(isUpdated), afterWarning(scope, steps, newLimit, { remove, notYet }))
    .otherwise(remove);
}

import { Aws } from 'aws-cdk-lib';
import { Choice, type State } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { noticeMinutes } from '../../../runner/rds/contract/deletion.ts';
import { announce, type Announcing, ifTrue, input, lookAtRecord, minuteMs, now } from './tasks.ts';

/** A run that is silent; it may come back. */
export const silence = {
  state: 'silent',
  lastedSince: `$max([${input}.aliveAt, ${input}.changedAt])`,
  subject: 'pgduet: no sign of life',
  remedy: 'with whenDone: keep',
  inMinutes: `${noticeMinutes}`,
} as const;

/**
 * An end that an update of the stack may have brought nearer than a run knows. Not every update is a reason to wait anew:
 * a stack that is updated again and again would never go.
 */
const newLimit = {
  state: 'limit',
  // S3 says when a record was written without the fractions of a second.
  lastedSince: `${input}.reachedAt - ${minuteMs}`,
  subject: 'pgduet: a stack deletes itself soon',
  remedy: 'with a later expiry, or a higher limits.dollars',
  inMinutes: `$ceil((${input}.graceUntil - ${now}) / ${minuteMs})`,
} as const;

/**
 * Sends one message, and deletes the stack half an hour later at most, if it is still to go. The reason is `why` of the input. A
 * message from before the reason was about something else.
 */
export function afterWarning(
  scope: Construct,
  { results, topicArn }: Announcing,
  { state, lastedSince, subject, remedy, inMinutes }: typeof silence | typeof newLimit,
  { remove, notYet }: { remove: State; notYet: State },
): State {
  const why = `${input}.why`;
  const minutes = `(${now} - ${input}.recordedAt) / ${minuteMs}`;
  const isWarned = `${input}.recordedAt > ${lastedSince}`;
  const id = (verb: string): string => `${verb}-${state}`;
  const warn = announce(
    scope,
    { recordId: id('Record'), tellId: id('Warn') },
    { results, topicArn },
    {
      state,
      fields: { why },
      subject,
      message: `'The stack ${Aws.STACK_NAME} deletes itself in ' & ${inMinutes} & ' minutes: ' & ${why} & '. What is not in S3 by then is lost. To keep the stack, deploy it again ${remedy}.'`,
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
 * lowered them: the run learns of that between two trials, and a person by a message. Half an hour after the update began,
 * it has. That is known without S3, which may refuse the record of the message.
 */
export function atLimit(
  scope: Construct,
  steps: Announcing,
  { remove, notYet }: { remove: State; notYet: State },
): State {
  return Choice.jsonata(scope, 'LimitMayBeNew')
    .when(ifTrue(`${now} < ${input}.graceUntil`), afterWarning(scope, steps, newLimit, { remove, notYet }))
    .otherwise(remove);
}

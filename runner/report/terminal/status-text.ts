import { createColors } from 'picocolors';
import type { Measures } from '../../contract/metric.ts';
import { hasEnded, type RunStatus } from '../../contract/status.ts';
import { conditionsWords } from '../../contract/trial.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { durationText, formatDecimal, quantity, wholePercent } from '../../contract/format.ts';

/**
 * A driver writes its status every 15 seconds. After this time without a new status, something is wrong with the driver.
 */
const silenceSeconds = 120;

/** One line about a trial that has ended. */
export function trialLine(trial: RunStatus['trials'][number], planned: number, colour: boolean): string {
  const { red } = createColors(colour);
  const outcome =
    trial.state === 'finished'
      ? firstLook(trial.measures)
      : red(`${trial.state} in ${trial.error ?? 'an unknown stage'}`);
  return `${trialNumber(trial.number, planned)}  block ${trial.block}  ${conditionsWords(trial.conditions)}  ${outcome}`;
}

/** Text such as `trial  3 of 12`; `repeat` for a trial of a block that is measured again. */
export function trialNumber(number: number | null, planned: number): string {
  return number === null ? 'repeat' : `trial ${String(number).padStart(String(planned).length)} of ${planned}`;
}

/**
 * The metrics of a trial that a reader looks at first, and the declared one, such as `1,234 tps, p99 4.50 ms`.
 *
 * @param measures none if they are hidden
 */
function firstLook(measures: Measures): string {
  if (Object.keys(measures).length === 0) return 'measured';
  const parts = Object.entries(measures).flatMap(([name, value]) => {
    const metric = metricNamed(name);
    if (!metric || value === null) return [];
    if (name === 'tps') return [tpsWords(value)];
    return [`${metric.statistic ?? metric.label} ${quantity(value, metric.kind)}`];
  });
  return parts.join(', ') || 'nothing measured';
}

/** Such as `1,234 tps`, or `0.050 tps` for one transaction in 20 s. */
function tpsWords(tps: number): string {
  return `${tps === 0 ? '0' : quantity(tps, 'rate')} tps`;
}

/** One line about the present: what is being done, the time and the money so far, and the time that is left. */
export function currentLine(status: RunStatus, now: Date): string {
  return [...doingWords(status), ...timeWords(status, now)].join('  ');
}

/**
 * What is being done, such as `trial 3 of 12`, `with-dlv`, `measure`, `2 min`, `13,397 tps`.
 *
 * @param emphasise how the medium makes the variant of a trial stand out
 */
export function doingWords({ state, current, plannedTrials }: RunStatus, emphasise?: Emphasis): string[] {
  if (!current) return [state];
  return [
    ...stepWords(current, plannedTrials, emphasise),
    ...(current.done === null ? [] : [wholePercent(current.done)]),
    ...(current.elapsedSeconds === null ? [] : [durationText(current.elapsedSeconds)]),
    ...(current.tps === null ? [] : [tpsWords(current.tps)]),
  ];
}

/** The time and the money so far, and the time that is left. */
export function timeWords(status: RunStatus, now: Date): string[] {
  if (!status.current) return spent(status, now);
  const silent = (now.getTime() - Date.parse(status.updatedAt)) / 1000;
  return [
    ...spent(status, now),
    ...(silent > silenceSeconds ? [`no update for ${durationText(silent)}`] : expectedEnd(status, now)),
  ];
}

type Emphasis = (text: string) => string;

/** What is done to a server outside of trials, by the stage of a status. */
const serverWork: Readonly<Record<string, string>> = {
  load: 'loading',
  touch: 'hydrating',
  snapshot: 'saving a snapshot of',
  'try-out': 'testing the scripts on',
};

/** Which step or stage is running, without the numbers that change between two looks. */
export function stepWords(
  { stage, conditions, trialNumber: number, waitingFor }: NonNullable<RunStatus['current']>,
  planned: number,
  emphasise: Emphasis = (text) => text,
): string[] {
  const work = serverWork[stage];
  const waited = waitingFor === null ? [] : [waitingFor];
  if (conditions === null) return [stage, ...waited];
  const server = conditionsWords(conditions);
  if (work !== undefined) return [`${work} ${server}`, ...waited];
  return [trialNumber(number, planned), emphasise(server), stage, ...waited];
}

/** What happens to the stack after its run, and what it bills until then. */
export function endLine(status: RunStatus, now: Date): string {
  const { saved, deleteAfter, whenDone, dollarsPerHour, expiresAt } = status;
  const costs = `costs ${dollarsPerHour === null ? 'money' : `$${formatDecimal(dollarsPerHour, 2)} an hour`}`;
  const latest = expiresAt === null ? '' : `, or until it expires at ${timeText(expiresAt)}`;
  if (!hasEnded(status)) return `The run has not ended: the stack ${costs}.`;
  if (saved === null) {
    return `Some results are not in S3 yet, so the stack stays and ${costs}. The driver keeps trying${expiresAt === null ? '' : `; at ${timeText(expiresAt)} the stack expires, and anything not in S3 by then is lost`}.`;
  }
  if (deleteAfter !== null && Date.parse(deleteAfter) <= now.getTime()) {
    return `The stack has been deleting itself since ${timeText(deleteAfter)}, and ${costs} until that completes.`;
  }
  if (deleteAfter !== null) return `The stack deletes itself at ${timeText(deleteAfter)} and ${costs} until then.`;
  const kept = whenDone === 'keep' ? 'The stack is kept: it' : 'The stack';
  return `${kept} ${costs} until you destroy it${latest}.`;
}

/** Such as `14:05 UTC on 2026-11-21`. */
function timeText(iso: string): string {
  return `${iso.slice(11, 16)} UTC on ${iso.slice(0, 10)}`;
}

/** The time of the run, and the money since the stack bills, which it does after the run, too. */
function spent(
  { startedAt, endedAt, limitHours, dollarsPerHour, billedSince, deleteAfter }: RunStatus,
  now: Date,
): string[] {
  const secondsTo = (end: number, from: string): number => Math.max(0, (end - Date.parse(from)) / 1000);
  const seconds = secondsTo(endedAt === null ? now.getTime() : Date.parse(endedAt), startedAt);
  const billedTo = deleteAfter === null ? now.getTime() : Math.min(now.getTime(), Date.parse(deleteAfter));
  const billed = secondsTo(billedTo, billedSince ?? startedAt);
  const limit = limitHours === null ? '' : ` of at most ${durationText(limitHours * 3600)}`;
  const money = dollarsPerHour === null ? [] : [`$${formatDecimal((billed / 3600) * dollarsPerHour, 2)}`];
  return [`${durationText(seconds)}${limit}`, ...money];
}

/** The time that is left, if anything says it. */
export function expectedEnd({ expectedEndAt, mayStopEarly }: RunStatus, now: Date): string[] {
  if (expectedEndAt === null) return [];
  return [leftWords((Date.parse(expectedEndAt) - now.getTime()) / 1000, mayStopEarly)];
}

/** Such as `about 5 min left`. A run that may stop at any of its looks may take less. */
function leftWords(seconds: number, mayStopEarly: boolean): string {
  return `${mayStopEarly ? 'up to about' : 'about'} ${durationText(Math.max(1, seconds))} left`;
}

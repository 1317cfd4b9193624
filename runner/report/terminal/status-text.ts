import { createColors } from 'picocolors';
import { durationText } from '../words/duration-text.ts';
import type { RunStatus } from '../../contract/status.ts';

/** A driver writes every 15 seconds; this long without a word, something is wrong with it. */
const silenceSeconds = 120;

/** One trial that has ended, in a line. */
export function trialLine(trial: RunStatus['trials'][number], planned: number, colour: boolean): string {
  const { red } = createColors(colour);
  const number =
    trial.number === null ? 'repeat' : `trial ${String(trial.number).padStart(String(planned).length)} of ${planned}`;
  const p99 = trial.p99Seconds === null ? '' : `, p99 ${(trial.p99Seconds * 1000).toPrecision(3)} ms`;
  const outcome =
    trial.state === 'finished'
      ? `${Math.round(trial.tps ?? 0).toLocaleString('en')} tps${p99}`
      : red(`${trial.state} in ${trial.error ?? 'an unknown stage'}`);
  return `${trial.endedAt.slice(11, 19)}  ${number}  block ${trial.block}  ${trial.variant}  ${outcome}`;
}

/** What goes on, in a line: what is being done, how long and how much money so far, how long still. */
export function currentLine(status: RunStatus, now: Date): string {
  const { current, plannedTrials } = status;
  if (!current) return [status.state, ...spent(status, now)].join('  ');
  const silent = (now.getTime() - Date.parse(status.updatedAt)) / 1000;
  return [
    ...(current.trialNumber === null ? [] : [`trial ${current.trialNumber} of ${plannedTrials}`]),
    ...(current.variant === null ? [] : [current.variant]),
    current.stage,
    ...(current.done === null ? [] : [`${Math.round(current.done * 100)} %`]),
    ...(current.elapsedSeconds === null ? [] : [durationText(current.elapsedSeconds)]),
    ...(current.tps === null ? [] : [`${Math.round(current.tps).toLocaleString('en')} tps`]),
    ...spent(status, now),
    ...(silent > silenceSeconds ? [`no sign of life for ${durationText(silent)}`] : expectedEnd(status, now)),
  ].join('  ');
}

function spent({ startedAt, endedAt, limitHours, dollarsPerHour }: RunStatus, now: Date): string[] {
  const seconds = Math.max(
    0,
    ((endedAt === null ? now.getTime() : Date.parse(endedAt)) - Date.parse(startedAt)) / 1000,
  );
  const limit = limitHours === null ? '' : ` of at most ${durationText(limitHours * 3600)}`;
  const money = dollarsPerHour === null ? [] : [`$${((seconds / 3600) * dollarsPerHour).toFixed(2)}`];
  return [`${durationText(seconds)}${limit}`, ...money];
}

function expectedEnd({ expectedEndAt }: RunStatus, now: Date): string[] {
  if (expectedEndAt === null) return [];
  return [`about ${durationText(Math.max(1, (Date.parse(expectedEndAt) - now.getTime()) / 1000))} left`];
}

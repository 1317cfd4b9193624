import { createColors } from 'picocolors';
import type { Measures } from '../../contract/metric.ts';
import type { RunStatus } from '../../contract/status.ts';
import { conditionsWords } from '../../contract/trial.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { durationText } from '../words/duration-text.ts';
import { quantity } from '../words/quantities.ts';

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
  return `${trial.endedAt.slice(11, 19)}  ${trialNumber(trial.number, planned)}  block ${trial.block}  ${conditionsWords(trial.conditions)}  ${outcome}`;
}

/** Text such as `trial  3 of 12`; `repeat` for a trial of a block that is measured again. */
export function trialNumber(number: number | null, planned: number): string {
  return number === null ? 'repeat' : `trial ${String(number).padStart(String(planned).length)} of ${planned}`;
}

/** The metrics of a trial that a reader looks at first, and the declared one, such as `1,234 tps, p99 4.50 ms`. */
export function firstLook(measures: Measures): string {
  const parts = Object.entries(measures).flatMap(([name, value]) => {
    const metric = metricNamed(name);
    if (!metric || value === null) return [];
    if (name === 'tps') return [`${Math.round(value).toLocaleString('en')} tps`];
    return [`${metric.label.replace('latency ', '')} ${quantity(value, metric.kind)}`];
  });
  return parts.join(', ') || 'nothing measured';
}

/** One line about the present: what is being done, the time and the money so far, and the time that is left. */
export function currentLine(status: RunStatus, now: Date): string {
  const { current, plannedTrials } = status;
  if (!current) return [status.state, ...spent(status, now)].join('  ');
  const silent = (now.getTime() - Date.parse(status.updatedAt)) / 1000;
  return [
    ...stepWords(current, plannedTrials),
    ...(current.done === null ? [] : [`${Math.round(current.done * 100)} %`]),
    ...(current.elapsedSeconds === null ? [] : [durationText(current.elapsedSeconds)]),
    ...(current.tps === null ? [] : [`${Math.round(current.tps).toLocaleString('en')} tps`]),
    ...spent(status, now),
    ...(silent > silenceSeconds ? [`no sign of life for ${durationText(silent)}`] : expectedEnd(status, now)),
  ].join('  ');
}

/** Which step or stage is running, without the numbers that change between two looks. */
export function stepWords(current: NonNullable<RunStatus['current']>, planned: number): string[] {
  return [
    ...(current.trialNumber === null ? [] : [trialNumber(current.trialNumber, planned)]),
    ...(current.conditions === null ? [] : [conditionsWords(current.conditions)]),
    current.stage,
    ...(current.waitingFor === null ? [] : [current.waitingFor]),
  ];
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

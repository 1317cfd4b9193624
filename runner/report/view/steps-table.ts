import type { CarriedOutStep, Result } from '../../contract/result.ts';
import { durationText } from '../words/duration-text.ts';
import { quantity } from '../words/quantities.ts';
import { left, right, type Table } from './table.ts';

/** What was carried out besides the trials, and what it found. Without rows if nothing was kept of it. */
export function stepsTable({ steps }: Result): Table {
  return {
    title: 'What was done besides the trials',
    columns: [left('step'), right('took'), left('found')],
    rows: steps.map((step) => ({
      cells: [step.step, durationText(secondsOf(step)), findings(step).join('; ')],
      emphasis: step.error === undefined ? undefined : 'muted',
    })),
    notes: [],
  };
}

function findings({ loads = [], touched = [], switches = [], snapshot, error }: CarriedOutStep): string[] {
  return [
    ...loads.map((load) => {
      const took = durationText(secondsOf(load));
      if (load.outcome === 'failed') return `${load.server} failed after ${took}: ${load.error ?? ''}`;
      return load.outcome === 'loaded' ? `${load.server} in ${took}` : `${load.server} was loaded before`;
    }),
    ...touched.map(
      ({ server, bytes, seconds }) =>
        `${server}: ${quantity(bytes, 'bytes')} read in ${durationText(seconds)}, ${quantity(bytes / Math.max(seconds, 0.001), 'bytes')} per second`,
    ),
    ...switches.map(
      ({ instance, logVolume, downtimeSeconds }) =>
        `log volume of ${instance} switched ${logVolume}, ${durationText(downtimeSeconds)} without a connection`,
    ),
    ...(snapshot
      ? [
          `snapshot ${snapshot.name} of ${snapshot.source} is kept, and billed until it is deleted: ${snapshot.deleteCommand}`,
        ]
      : []),
    ...(error === undefined ? [] : [`not finished: ${error}`]),
  ];
}

function secondsOf({ startedAt, endedAt }: { startedAt: string; endedAt: string }): number {
  return (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
}

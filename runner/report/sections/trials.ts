import { movableIn } from '../../analysis/movable.ts';
import { decidingMetric } from '../../contract/experiment/schema.ts';
import type { CarriedOutStep, Result } from '../../contract/result.ts';
import { conditionsWords, type Trial } from '../../contract/trial.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { valueOf } from '../../metrics/value.ts';
import { absent, durationText, inScale, quantity, withNoun } from '../../contract/format.ts';
import { labelWithUnit, metricScale } from '../metric-words.ts';
import { type Column, left, right, type Row, type Table } from '../media/table.ts';
import type { Reported } from '../reported.ts';
import { trialRemarks } from '../trial-remarks.ts';
import { tableSection } from './section.ts';

/** Metrics of every trial that are shown besides the declared one. */
const shown = ['tps', 'latency.p99', 'checkpoints.count', 'wal.bytesPerTransaction'];

/** Every trial in the order in which it was measured. Trials that do not count are shown, too. */
function trialsTable({ result, counted, isUnderWay }: Reported): Table {
  const { trials, experiment } = result;
  const movable = movableIn(result);
  const finished = trials.filter(({ state }) => state === 'finished');
  const metrics = [...new Set([decidingMetric(experiment.definition.decision), ...shown])].flatMap((name) => {
    const metric = metricNamed(name);
    return metric && movable.metric(name) && finished.some((trial) => valueOf(metric, trial) !== null) ? [metric] : [];
  });
  const columns = metrics.map((metric): { column: Column; cell: (trial: Trial) => string } => {
    const scale = metricScale(
      metric.name,
      metric.kind,
      finished.map((trial) => valueOf(metric, trial)),
    );
    return {
      column: right(labelWithUnit({ label: metric.label, per: '' }, scale)),
      cell: (trial) => (trial.state === 'finished' ? inScale(valueOf(metric, trial), scale) : absent),
    };
  });
  // Blocks that were measured more than once show which attempt it was.
  const attempts = trials.some(({ attempt }) => attempt > 1);
  return {
    title: 'Trials',
    columns: [
      right('block'),
      ...(attempts ? [right('attempt')] : []),
      right('place'),
      left('variant'),
      left('state'),
      ...columns.map(({ column }) => column),
      left('remarks'),
    ],
    rows: trials.map((trial): Row => ({
      cells: [
        String(trial.block),
        ...(attempts ? [String(trial.attempt)] : []),
        String(trial.position),
        conditionsWords(trial.conditions),
        trial.state,
        ...columns.map(({ cell }) => cell(trial)),
        [...notCounted(trial, counted), ...trialRemarks(trial)].join(' '),
      ],
      more: { 0: { trial: trial.id } },
      emphasis: counted.has(trial.id) ? undefined : 'muted',
    })),
    summary: `${withNoun(trials.length, 'trial')}, ${trials.filter(({ id }) => counted.has(id)).length} valid`,
    notes: [`In measured order. Grey: excluded trials${isUnderWay ? ', or trials of incomplete blocks' : ''}.`],
  };
}

function notCounted({ id, state }: Trial, counted: ReadonlySet<string>): string[] {
  return state === 'finished' && !counted.has(id) ? ['Excluded.'] : [];
}

/** Steps besides the trials, and what they found. Without rows if nothing was recorded of them. */
export function stepsTable({ steps }: Result): Table {
  return {
    title: 'Other steps',
    columns: [left('step'), right('took'), left('found')],
    rows: steps.map((step) => ({
      cells: [step.step, durationText(secondsOf(step)), findings(step).join('; ')],
      more: { 1: { value: secondsOf(step) } },
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
      if (load.outcome !== 'loaded') return `${load.server} was already loaded`;
      const prepared = load.prepared?.map(({ sql, seconds }) => `, with ${sql} in ${durationText(seconds)}`) ?? [];
      return `${load.server} in ${took}${prepared.join('')}`;
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
          `snapshot ${snapshot.name} of ${snapshot.source} is kept, and billed until you delete it: ${snapshot.deleteCommand}`,
        ]
      : []),
    ...(error === undefined ? [] : [`not finished: ${error}`]),
  ];
}

function secondsOf({ startedAt, endedAt }: { startedAt: string; endedAt: string }): number {
  return (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
}

export const trialsSection = tableSection('trials', trialsTable);

export const stepsSection = tableSection('steps', ({ result }) => stepsTable(result), { layout: 'texts' });

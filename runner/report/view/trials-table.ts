import type { FinishedTrial, Result, Trial } from '../../contract/result.ts';
import { trialValue } from '../words/metrics.ts';
import { absent, inScale, scaleFor } from '../words/quantities.ts';
import { walBytesPerTransaction } from './server-table.ts';
import { left, right, type Row, type Table } from './table.ts';

/** Every trial in the order in which it was measured; what failed stays visible. */
export function trialsTable({ trials }: Result): Table {
  const finished = trials.filter((trial) => trial.state === 'finished');
  const column = (kind: Parameters<typeof scaleFor>[0], value: (trial: FinishedTrial) => number | null) => {
    const scale = scaleFor(kind, finished.map(value));
    return {
      unit: scale.unit === '' ? '' : ` (${scale.unit})`,
      cell: (trial: Trial) => (trial.state === 'finished' ? inScale(value(trial), scale) : absent),
    };
  };
  const tps = column('rate', (trial) => trialValue(trial, 'tps'));
  const p99 = column('latency', (trial) => trialValue(trial, 'latency.p99'));
  const checkpoints = column('count', checkpointCount);
  const wal = column('bytes', walBytesPerTransaction);

  return {
    title: 'Trials',
    columns: [
      right('block'),
      right('place'),
      left('variant'),
      left('state'),
      right('TPS'),
      right(`p99${p99.unit}`),
      right('checkpoints'),
      right(`WAL per transaction${wal.unit}`),
      left('remarks'),
    ],
    rows: trials.map((trial): Row => ({
      cells: [
        String(trial.block),
        String(trial.position),
        trial.variant,
        trial.state,
        tps.cell(trial),
        p99.cell(trial),
        checkpoints.cell(trial),
        wal.cell(trial),
        trialRemarks(trial).join(' '),
      ],
      emphasis: trial.state === 'finished' ? undefined : 'muted',
    })),
    notes: ['In the order in which they were measured. Trials that did not finish count for nothing.'],
  };
}

/** What is to be said of one trial, each a sentence. */
export function trialRemarks(trial: Trial): string[] {
  if (trial.state !== 'finished') {
    const happened = trial.state === 'failed' ? 'Failed' : 'Interrupted';
    return [asSentence(`${happened} during ${trial.stage}: ${trial.error}`)];
  }
  const { warnings, checks, run, server } = trial;
  // Results of before there were checks tell their problems themselves.
  const found = checks
    ? checks.flatMap(({ name, state, finding }) =>
        state === 'fail' ? [`Failed check: ${name}: ${finding}`] : state === 'warn' ? [`See: ${name}`] : [],
      )
    : [...run.problems, ...(server?.problems ?? [])];
  return [...warnings, ...found].map(asSentence);
}

function checkpointCount({ server }: FinishedTrial): number | null {
  const checkpoints = server?.checkpoints;
  return checkpoints ? checkpoints.timed + checkpoints.requested : null;
}

function asSentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

import path from 'node:path';
import type { Run } from '../../contract/tool-output.ts';
import { absent, quantity } from '../words/quantities.ts';
import { left, right, type Row } from '../view/table.ts';
import { tableParts, type TerminalOptions } from './terminal-table.ts';
import { hanging } from './wrap.ts';

/**
 * Runs that were read from files: a row for each run, and for each script if there are several. Problems stand below. Gives
 * some lines at a time, since there may be thousands of runs.
 */
export function* renderRuns(runs: readonly { file: string; run: Run }[], options: TerminalOptions): Generator<string> {
  // Only tools that tell new orders have such columns.
  const perMinute = runs.some(({ run }) => run.nopm !== undefined);
  yield* tableParts(
    {
      title: '',
      columns: [
        left('run'),
        left('version', 3),
        right('clients', 2),
        right('scale', 1),
        right('transactions', 5),
        right('failed', 4),
        right('tps'),
        right('latency'),
        ...(perMinute ? [right('NOPM'), right('TPM')] : []),
        left('complete'),
      ],
      rows: runs.flatMap(({ file, run }) => [
        runRow(path.basename(file), run, perMinute),
        ...scriptRows(run, perMinute),
      ]),
      notes: [],
    },
    options,
  );
  for (const { file, run } of runs) {
    yield* run.problems.flatMap((problem) => hanging('! ', `${file}: ${problem}`, options.columns));
  }
}

function runRow(name: string, run: Run, perMinute: boolean): Row {
  return {
    cells: [
      name,
      [run.clientVersion, run.database].filter(Boolean).join(', ') || absent,
      quantity(run.clients, 'count'),
      quantity(run.scale, 'count'),
      quantity(run.transactions, 'count'),
      quantity(run.failedTransactions, 'count'),
      quantity(run.tps, 'rate'),
      quantity(run.latencyAverageSeconds, 'latency'),
      ...(perMinute ? [quantity(run.nopm ?? null, 'rate'), quantity(run.tpm ?? null, 'rate')] : []),
      run.complete ? 'yes' : 'NO',
    ],
    emphasis: run.complete ? undefined : 'muted',
  };
}

function scriptRows({ scripts }: Run, perMinute: boolean): Row[] {
  if (scripts.length < 2) return [];
  return scripts.map((script) => ({
    cells: [
      `  ${script.name}`,
      '',
      '',
      '',
      quantity(script.transactions, 'count'),
      '',
      quantity(script.tps, 'rate'),
      quantity(script.latencyAverageSeconds, 'latency'),
      ...(perMinute ? ['', ''] : []),
      '',
    ],
  }));
}

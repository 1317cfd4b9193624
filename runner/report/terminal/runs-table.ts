import path from 'node:path';
import type { Metric } from '../../contract/metric.ts';
import type { ToolRun } from '../../contract/tool-output.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { tableParts, type TerminalOptions } from '../media/terminal-table.ts';
import { hanging } from '../media/wrap.ts';
import { absent, quantity } from '../../contract/format.ts';
import { left, right, type Row } from '../media/table.ts';

/**
 * Runs that were read from files: a row for each run, and for each script if there are several. Problems are listed
 * below, with the line where their run begins. Yields the lines bit by bit, since there may be thousands of runs.
 */
export function* renderRuns(
  runs: readonly { file: string; run: ToolRun }[],
  options: TerminalOptions,
): Generator<string> {
  const names = new Set(runs.flatMap(({ run }) => Object.keys(run.measures ?? {})));
  const own = [...names].flatMap((name) => metricNamed(name) ?? []);
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
        ...own.map(({ label }) => right(label)),
        left('complete'),
      ],
      rows: runs.flatMap(({ file, run }) => [runRow(path.basename(file), run, own), ...scriptRows(run, own)]),
      notes: [],
    },
    options,
  );
  const notes = new Set<string>();
  for (const { file, run } of runs) {
    const where = run.place ? `${file}:${run.place.fromLine}, run ${run.place.run}` : file;
    yield* run.problems.flatMap((problem) => hanging('! ', `${where}: ${problem}`, options.columns));
    for (const note of run.notes ?? []) notes.add(`${file}: ${note}`);
  }
  for (const note of notes) yield* hanging('  ', note, options.columns);
}

/** @param own the metrics that only some tools report */
function runRow(name: string, run: ToolRun, own: readonly Metric[]): Row {
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
      ...own.map((metric) => quantity(run.measures?.[metric.name] ?? null, metric.kind)),
      run.complete ? 'yes' : 'NO',
    ],
    emphasis: run.complete ? undefined : 'muted',
  };
}

function scriptRows({ scripts }: ToolRun, own: readonly Metric[]): Row[] {
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
      ...own.map(() => ''),
      '',
    ],
  }));
}

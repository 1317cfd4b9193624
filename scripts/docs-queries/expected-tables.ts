import type { OpenedResult } from '../../runner/analysis/open-result.ts';
import { chartSubjects } from '../../runner/report/charts/subject.ts';
import { addWaits, meansOfWaits, noWaits } from '../../runner/report/timeline/waits.ts';
import { median } from '../../runner/statistics/summaries.ts';

/** Charts leave out the first and the last second of a trial. */
const always = { from: 0, until: Infinity, cadence: 1 };

type Cell = string | number | null;

export interface QueriedTable {
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
}

/**
 * What the queries of the documentation must show for a run, computed by our own code. No two tables have the same
 * columns.
 */
export async function expectedTables(run: OpenedResult): Promise<QueriedTable[]> {
  return [await throughputOfTrials(run), await firstTrial(run), await chartOfWaits(run)];
}

/** The first five in the order of their names. */
async function throughputOfTrials({ result, series }: OpenedResult): Promise<QueriedTable> {
  const trials = [...result.trials].sort((one, other) => (one.id < other.id ? -1 : 1)).slice(0, 5);
  const rows = trials.map(async (trial) => {
    const seconds = (await series.read(trial)).get('tps') ?? [];
    return [trial.id, seconds.length, median(seconds.map(({ value }) => value))];
  });
  return { columns: ['trial', 'seconds', 'tps'], rows: await Promise.all(rows) };
}

async function firstTrial({ result, series }: OpenedResult): Promise<QueriedTable> {
  const [first] = result.trials;
  const points = first ? [...(await series.read(first))] : [];
  const rows = points.flatMap(([name, own]) => own.map(({ second, value }) => [second, name, value]));
  return { columns: ['second', 'name', 'value'], rows };
}

/** Second by second, with every event: a chart may average seconds, and fold small events. */
async function chartOfWaits({ result, series }: OpenedResult): Promise<QueriedTable> {
  const rows: Cell[][] = [];
  for (const { variants, trials, counts } of chartSubjects(result)) {
    for (const { name: variant } of variants) {
      const own = trials.filter((trial) => trial.conditions.variant === variant && counts(trial));
      const read = await Promise.all(own.map((trial) => series.read(trial)));
      const seconds = read.flatMap((one) => [...one.values()].flat()).map(({ second }) => Math.floor(second) + 1);
      const clock = { step: 1, steps: seconds.reduce((a, b) => Math.max(a, b), 0) };
      const sums = noWaits(clock);
      for (const one of read) addWaits(sums, one, clock, always);
      for (const [event, means] of meansOfWaits(sums, 1)) {
        rows.push(...means.map((mean, second) => [variant, event, second, mean ?? 0]));
      }
    }
  }
  return { columns: ['variant', 'event', 'second', 'sessions'], rows };
}

/**
 * Says in which row a table is not as expected, in any order of the rows; null if all rows are. The last column is the
 * value, and the others name it. A chart draws zero where nothing was measured, so a value of zero may be left out.
 */
export function differenceBetween(found: QueriedTable, expected: QueriedTable): string | null {
  const twice = twiceIn(found);
  if (twice !== undefined) return `${twice} appears twice`;
  const [ours, theirs] = [expected, found].map(valuesByName) as [Map<string, number>, Map<string, number>];
  for (const name of new Set([...ours.keys(), ...theirs.keys()])) {
    const [own, their] = [ours.get(name) ?? 0, theirs.get(name) ?? 0];
    // Sums of the same values in another order.
    if (!(Math.abs(own - their) <= 1e-9 * Math.abs(own))) {
      return `${name} is ${String(theirs.get(name))}, but ${String(ours.get(name))} in the report`;
    }
  }
  return null;
}

function valuesByName({ rows }: QueriedTable): Map<string, number> {
  return new Map(rows.map((row) => [nameOf(row), Number(row.at(-1))]));
}

function twiceIn({ rows }: QueriedTable): string | undefined {
  const visited = new Set<string>();
  return rows.map(nameOf).find((name) => visited.size === visited.add(name).size);
}

function nameOf(row: readonly Cell[]): string {
  return row.slice(0, -1).join(', ');
}

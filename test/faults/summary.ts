import Table from 'cli-table3';
import type { Kind } from './cases.ts';
import type { Injection } from './plan.ts';

/** How one injection ended. */
export interface Outcome {
  injection: Omit<Injection, 'draw'>;
  /** What was done; null if the target was not there any more. */
  what: string | null;
  phase: string;
  exitCode: number | null;
  seconds: number;
  violations: { invariant: string; seen: string }[];
}

const kinds: readonly Kind[] = ['STOP', 'KILL', 'refuse', 'slow', 'full', 'vanish'];

/** A row for each target and phase that was hit, and a column for each kind of fault. */
export function summaryTable(outcomes: readonly Outcome[]): string {
  const hits = outcomes.filter(({ what }) => what !== null);
  const table = new Table({
    head: ['target', 'phase', ...kinds, 'seconds', 'violations'],
    style: { head: [], border: [] },
  });
  const rowOf = ({ injection, phase }: Outcome): string => `${injection.place} ${injection.target}\n${phase}`;
  for (const row of [...new Set(hits.map(rowOf))].sort()) {
    const [target = '', phase = ''] = row.split('\n');
    const group = hits.filter((one) => rowOf(one) === row);
    const counts = kinds.map((kind) => group.filter(({ injection }) => injection.kind === kind).length || '');
    const seconds = group.reduce((sum, one) => sum + one.seconds, 0) / group.length;
    const violated = group.filter(({ violations }) => violations.length > 0).length;
    table.push([target, phase, ...counts, seconds.toFixed(1), violated || '']);
  }
  return table.toString();
}

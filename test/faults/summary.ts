import { renderTable } from '../../runner/report/media/terminal-table.ts';
import type { Kind } from './cases.ts';
import type { Injection } from './plan.ts';
import { left, right, type Row } from '../../runner/report/media/table.ts';

/** How one injection ended. */
export interface Outcome {
  injection: Omit<Injection, 'draw'>;
  /** What was done; null if it did not hit. */
  what: string | null;
  /** Why it did not hit; null if it did. */
  missed: string | null;
  /** Where the run was when it was hit, or was to be hit. */
  phase: string;
  exitCode: number | null;
  seconds: number;
  violations: { invariant: string; observed: string }[];
}

const kinds: readonly Kind[] = ['STOP', 'KILL', 'refuse', 'slow', 'drip', 'full', 'vanish', 'swap'];

/**
 * How many have hit and how many have not, and why; each violation with what repeats it.
 *
 * @param repeat the command line that repeats one injection, without its number
 */
export function summary(
  outcomes: readonly Outcome[],
  { minutes, repeat }: { minutes: number; repeat: string },
): string {
  const missed = outcomes.flatMap((one) => one.missed ?? []);
  const violated = outcomes.filter(({ violations }) => violations.length > 0);
  return [
    table(outcomes),
    'A figure counts hits; in parentheses, what did not hit.',
    `${outcomes.length - missed.length} of ${outcomes.length} injections hit in ${minutes.toFixed(1)} minutes; ${missed.length} did not${inGroups(missed)}.`,
    ...violated.flatMap((outcome) => [
      `Violated with seed ${outcome.injection.seed}, number ${outcome.injection.number}; repeat it: ${repeatedBy(outcome, repeat)}`,
      ...outcome.violations.map(({ invariant, observed }) => `    ${invariant}: ${observed}`),
    ]),
    `${violated.length} with a violated invariant.`,
  ].join('\n');
}

export function repeatedBy({ injection }: Pick<Outcome, 'injection'>, repeat: string): string {
  return `${repeat} --only ${injection.number}`;
}

function inGroups(reasons: readonly string[]): string {
  const groups = [...new Set(reasons)].map((reason) => `${reasons.filter((one) => one === reason).length}: ${reason}`);
  return groups.length === 0 ? '' : ` (${groups.join('; ')})`;
}

/** A row for each part and stage, and a column for each kind of fault. */
function table(outcomes: readonly Outcome[]): string {
  const rowOf = ({ injection, phase }: Outcome): string => `${injection.place} ${injection.target}\n${phase}`;
  const rows = [...new Set(outcomes.map(rowOf))].sort().map((row): Row => {
    const [part = '', stage = ''] = row.split('\n');
    const group = outcomes.filter((one) => rowOf(one) === row);
    const seconds = group.reduce((sum, one) => sum + one.seconds, 0) / group.length;
    const violated = group.filter(({ violations }) => violations.length > 0).length;
    const counts = kinds.map((kind) => count(group.filter(({ injection }) => injection.kind === kind)));
    return { cells: [part, stage, ...counts, seconds.toFixed(1), violated === 0 ? '' : String(violated)] };
  });
  const columns = [left('part'), left('stage'), ...[...kinds, 'seconds', 'violations'].map((label) => right(label))];
  return renderTable({ title: '', columns, rows, notes: [] }, { columns: 120, colour: false });
}

function count(outcomes: readonly Outcome[]): string {
  const missed = outcomes.filter((one) => one.missed !== null).length;
  const hit = outcomes.length - missed;
  return [...(hit === 0 ? [] : [String(hit)]), ...(missed === 0 ? [] : [`(${missed})`])].join(' ');
}

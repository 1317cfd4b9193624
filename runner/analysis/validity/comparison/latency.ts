import type { Measured } from '../../../metrics/value.ts';
import { type CheckDefinition, type Finding, warn } from '../check.ts';

type Side = { label: string; measured: readonly Measured[] };

/** Without a deviation, pgbench divides the time of all transactions, also of failed ones, by their number. */
export const latency: CheckDefinition & { judge: (...sides: [before: Side, after: Side]) => Finding | null } = {
  id: 'latency',
  name: 'latency',
  remedy: 'Compare outputs that both report the standard deviation of latency.',
  judge: (...sides) => {
    const [including, others] = [true, false].map((wanted) =>
      sides.filter(({ measured }) => measured.some(includesFailures) === wanted).map(({ label }) => label),
    );
    if (!including?.length || !others?.length) return null;
    return warn(`latency average includes failed transactions in ${including.join()}, but not in ${others.join()}`);
  },
};

function includesFailures({ measures }: Measured): boolean {
  const { 'latency.stddev': deviation = null, 'transactions.failed': failed } = measures;
  return deviation === null && Boolean(failed);
}

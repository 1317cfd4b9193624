import type { Comparison } from '../../../contract/comparison.ts';
import type { Decision } from '../../../contract/experiment/schema.ts';
import { type Measures, scriptMetric } from '../../../contract/metric.ts';
import { metricNamed } from '../../../metrics/catalogue.ts';
import type { Measured } from '../../../metrics/value.ts';
import { mean } from '../../../statistics/summaries.ts';
import { fail, type Finding, notAssessed, type PairCheck, pass } from '../check.ts';

/**
 * A latency percentile leaves out a hundredth of the work or less, so what is missing must be little compared with
 * that.
 */
const maxLostForLatency = 0.001;
const maxLostForOthers = 0.01;
/**
 * A share of what was carried out moves by as much as is missing, so this must be little compared with the threshold.
 */
const maxThresholdShare = 0.1;

/**
 * Whether both sides did the same share of the offered work. Transactions that failed, or were skipped because they
 * lagged behind, have no latency: the side that loses more of them looks faster. If one script decides, only its
 * transactions count: a script that hardly ever runs may lose all of them, while the run loses hardly any.
 */
export const work: PairCheck = {
  id: 'work',
  name: 'completed work',
  couldChange: 'answer',
  remedy: 'Lower the offered load until both sides keep up.',
  needsEdit: true,
  judge: ({ experiment }, { comparison, baseline, candidate }) =>
    judgeWork(experiment.definition.decision, comparison, baseline.measured, candidate.measured),
};

/** The same for runs of two sides that belong to no blocks. */
export function judgeWork(
  { script, practicalThreshold }: Decision,
  comparison: Comparison,
  ...sides: [before: readonly Measured[], after: readonly Measured[]]
): Finding | null {
  const metric = metricNamed(comparison.metric);
  if (metric?.countsLost) return null;
  const isShare = metric?.compared === 'difference';
  const [before, after] = sides.map((runs) =>
    // A script's share counts its failures.
    runs.flatMap(({ measures }) => (isShare ? skippedShare(measures) : lostShare(measures, script)) ?? []),
  );
  const scriptPhrase = script === undefined ? '' : ` of ${script}`;
  if (!before?.length || !after?.length) {
    return notAssessed(`the tool does not report how many transactions${scriptPhrase} failed or were skipped`);
  }
  const [share, other] = [mean(before), mean(after)];
  const max = isShare
    ? Math.min(maxLostForOthers, maxThresholdShare * practicalThreshold)
    : metric?.kind === 'latency'
      ? maxLostForLatency
      : maxLostForOthers;
  const words = `${inPercent(share)} of the transactions${scriptPhrase} failed or were skipped on ${comparison.baseline.variant}, ${inPercent(other)} on ${comparison.candidate.variant}`;
  return Math.abs(share - other) > max
    ? fail(`${words}: transactions that never ran have no latency or throughput`)
    : pass(share + other === 0 ? 'both sides completed all of it' : words);
}

/**
 * The lost share of what was offered; null if it is not known. If the run lost nothing, no script lost anything. A
 * skipped transaction belongs to no script: it was due, but pgbench had not drawn its script yet.
 */
function lostShare(measures: Measures, script: string | undefined): number | null {
  const skipped = skippedShare(measures);
  const { transactions = null, 'transactions.failed': failed = null } = measures;
  if (skipped === null || transactions === null) return null;
  if (skipped === 0 && (failed ?? 0) === 0) return 0;
  if (script === undefined || failed === 0) return 1 - (1 - skipped) * (1 - shareOf(failed ?? 0, transactions));
  const own = measures[scriptMetric('transactions', script)] ?? null;
  const ownFailed = failed === null ? 0 : (measures[scriptMetric('transactions.failed', script)] ?? null);
  return own === null || ownFailed === null ? null : 1 - (1 - skipped) * (1 - shareOf(ownFailed, own));
}

/** The share of what was offered that was skipped; null if it is not known. */
function skippedShare(measures: Measures): number | null {
  const {
    transactions = null,
    'transactions.failed': failed = null,
    'transactions.skipped': skipped = null,
  } = measures;
  if (transactions === null || (failed === null && skipped === null)) return null;
  // Without a rate, nothing is skipped, and the tool does not mention it.
  return shareOf(skipped ?? 0, transactions + (failed ?? 0));
}

function shareOf(lost: number, done: number): number {
  return lost === 0 ? 0 : lost / (lost + done);
}

function inPercent(share: number): string {
  return `${Number((share * 100).toPrecision(2))}%`;
}

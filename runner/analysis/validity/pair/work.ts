import { type Measures, ofScript } from '../../../contract/metric.ts';
import { metricNamed } from '../../../metrics/catalogue.ts';
import { mean } from '../../../statistics/summaries.ts';
import { fail, notAssessed, type PairCheck, pass } from '../check.ts';

/** A latency percentile leaves out a hundredth of the work or less: what is missing must be little beside that. */
const mostOfLatency = 0.001;
const mostOfOthers = 0.01;
/** A share of what was carried out moves by as much as is missing, so that this must be little beside what matters. */
const mostOfThreshold = 0.1;

/**
 * Whether both sides did the same share of the offered work. Transactions that failed, or were skipped because they lagged
 * behind, have no latency: the side that loses more of them looks faster. Where one script decides, its transactions alone count:
 * a script that hardly ever runs may lose them all, and the run hardly any.
 */
export const work: PairCheck = ({ experiment }, { blocks, comparison }) => {
  const name = 'work';
  const metric = metricNamed(comparison.metric);
  if (metric?.ofAllOffered) return [];
  const { script, practicalThreshold } = experiment.definition.decision;
  const isShare = metric?.compared === 'difference';
  const lost = blocks.map(({ baseline, candidate }) =>
    // A script's share counts its failures.
    [baseline, candidate].map(({ measures }) => (isShare ? skippedShare(measures) : lostShare(measures, script))),
  );
  const [before, after] = [0, 1].map((side) => lost.flatMap((shares) => shares[side] ?? []));
  const ofWhich = script === undefined ? '' : ` of ${script}`;
  if (!before?.length || !after?.length) {
    return [notAssessed(name, `the tool does not say what${ofWhich} failed or was skipped`)];
  }
  const [share, other] = [mean(before), mean(after)];
  const most = isShare
    ? Math.min(mostOfOthers, mostOfThreshold * practicalThreshold)
    : metric?.kind === 'latency'
      ? mostOfLatency
      : mostOfOthers;
  const words = `${inPercent(share)} of the transactions${ofWhich} of ${comparison.baseline.variant} failed or were skipped, ${inPercent(other)} of ${comparison.candidate.variant}`;
  return [
    Math.abs(share - other) > most
      ? fail(name, `${words}: what was not done has no latency and no throughput`)
      : pass(name, share + other === 0 ? 'both sides did all of it' : words),
  ];
};

/**
 * The share of what was offered; null if it is not known. Of a run that lost nothing, no script lost anything. What was skipped
 * is of no script: it was due, and nobody drew what it would have been.
 */
function lostShare(measures: Measures, script: string | undefined): number | null {
  const skipped = skippedShare(measures);
  const { transactions = null, 'transactions.failed': failed = null } = measures;
  if (skipped === null || transactions === null) return null;
  if (skipped === 0 && (failed ?? 0) === 0) return 0;
  if (script === undefined || failed === 0) return 1 - (1 - skipped) * (1 - shareOf(failed ?? 0, transactions));
  const own = measures[ofScript('transactions', script)] ?? null;
  const ownFailed = failed === null ? 0 : (measures[ofScript('transactions.failed', script)] ?? null);
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
  // Nothing is skipped without a rate, and then nothing is said of it.
  return shareOf(skipped ?? 0, transactions + (failed ?? 0));
}

function shareOf(lost: number, done: number): number {
  return lost === 0 ? 0 : lost / (lost + done);
}

function inPercent(share: number): string {
  return `${Number((share * 100).toPrecision(2))} %`;
}

import { metricNamed } from '../../../metrics/catalogue.ts';
import { mean } from '../../../statistics/batches.ts';
import { fail, notAssessed, pass } from '../findings.ts';
import type { PairCheck } from '../pair-check.ts';

/** A latency percentile leaves out a hundredth of the work or less: what is missing must be little beside that. */
const mostOfLatency = 0.001;
const mostOfOthers = 0.01;

/**
 * Whether both sides did the same share of the offered work. Transactions that failed, or were skipped because they lagged
 * behind, have no latency: the side that loses more of them looks faster.
 */
export const work: PairCheck = (_, { blocks, comparison }) => {
  const name = 'work';
  const metric = metricNamed(comparison.metric);
  if (metric?.ofAllOffered) return [];
  const lost = blocks.map(({ baseline, candidate }) => [lostShare(baseline.measures), lostShare(candidate.measures)]);
  const [before, after] = [0, 1].map((side) => lost.flatMap((shares) => shares[side] ?? []));
  if (!before?.length || !after?.length) return [notAssessed(name, 'the tool does not say what failed or was skipped')];
  const [share, other] = [mean(before), mean(after)];
  const most = metric?.kind === 'latency' ? mostOfLatency : mostOfOthers;
  const words = `${inPercent(share)} of the transactions of ${comparison.baseline.variant} failed or were skipped, ${inPercent(other)} of ${comparison.candidate.variant}`;
  return [
    Math.abs(share - other) > most
      ? fail(name, `${words}: what was not done has no latency and no throughput`)
      : pass(name, share + other === 0 ? 'both sides did all of it' : words),
  ];
};

function lostShare(measures: Readonly<Record<string, number | null>>): number | null {
  const {
    transactions = null,
    'transactions.failed': failed = null,
    'transactions.skipped': skipped = null,
  } = measures;
  if (transactions === null || (failed === null && skipped === null)) return null;
  const lost = (failed ?? 0) + (skipped ?? 0);
  return lost === 0 ? 0 : lost / (transactions + lost);
}

function inPercent(share: number): string {
  return `${Number((share * 100).toPrecision(2))} %`;
}

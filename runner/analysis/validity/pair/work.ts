import type { Measures } from '../../../contract/metric.ts';
import { ofScript } from '../../../contract/metric-family.ts';
import { metricNamed } from '../../../metrics/catalogue.ts';
import { mean } from '../../../statistics/batches.ts';
import { fail, notAssessed, pass } from '../findings.ts';
import type { PairCheck } from '../pair-check.ts';

/** A latency percentile leaves out a hundredth of the work or less: what is missing must be little beside that. */
const mostOfLatency = 0.001;
const mostOfOthers = 0.01;

/**
 * Whether both sides did the same share of the offered work. Transactions that failed, or were skipped because they lagged
 * behind, have no latency: the side that loses more of them looks faster. Where one script decides, its transactions alone count:
 * a script that hardly ever runs may lose them all, and the run hardly any.
 */
export const work: PairCheck = ({ experiment }, { blocks, comparison }) => {
  const name = 'work';
  const metric = metricNamed(comparison.metric);
  if (metric?.ofAllOffered) return [];
  const { script } = experiment.definition.decision;
  const lost = blocks.map(({ baseline, candidate }) =>
    [baseline, candidate].map(({ measures }) => lostShare(measures, script)),
  );
  const [before, after] = [0, 1].map((side) => lost.flatMap((shares) => shares[side] ?? []));
  const ofWhich = script === undefined ? '' : ` of ${script}`;
  if (!before?.length || !after?.length) {
    return [notAssessed(name, `the tool does not say what${ofWhich} failed or was skipped`)];
  }
  const [share, other] = [mean(before), mean(after)];
  const most = metric?.kind === 'latency' ? mostOfLatency : mostOfOthers;
  const words = `${inPercent(share)} of the transactions${ofWhich} of ${comparison.baseline.variant} failed or were skipped, ${inPercent(other)} of ${comparison.candidate.variant}`;
  return [
    Math.abs(share - other) > most
      ? fail(name, `${words}: what was not done has no latency and no throughput`)
      : pass(name, share + other === 0 ? 'both sides did all of it' : words),
  ];
};

/** The share of what was offered; null if it is not known. Of a run that lost nothing, no script lost anything. */
function lostShare(measures: Measures, script: string | undefined): number | null {
  const counts = ['transactions.failed', 'transactions.skipped'].flatMap((metric) => {
    const ofRun = measures[metric] ?? null;
    if (ofRun === null) return [];
    return [script === undefined || ofRun === 0 ? ofRun : (measures[ofScript(metric, script)] ?? null)];
  });
  const transactions = measures[script === undefined ? 'transactions' : ofScript('transactions', script)] ?? null;
  if (transactions === null || counts.length === 0 || counts.includes(null)) return null;
  const lost = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  return lost === 0 ? 0 : lost / (transactions + lost);
}

function inPercent(share: number): string {
  return `${Number((share * 100).toPrecision(2))} %`;
}

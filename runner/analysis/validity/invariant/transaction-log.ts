import { decidingMetric } from '../../../contract/experiment/schema.ts';
import { fail, type Finding, pass, type TrialCheck, warn } from '../check.ts';
import { wholePercent } from '../../../contract/format.ts';

/**
 * Whether the log has every transaction of the run. If some are missing, the load itself may be sound, but percentiles
 * and series are not, and the trial then has none. If the log has more, the run's own numbers are too low.
 */
export const transactionLog: TrialCheck = {
  id: 'transaction-log',
  name: 'transaction log',
  couldChange: 'other-figures',
  remedy: 'Free up space on the results disk, then rerun.',
  judge: ({ measures }, { experiment: { decision } }) => {
    const found = (
      [
        ['transactions', 'log.transactions', 'transactions'],
        ['failed transactions', 'log.failed', 'transactions.failed'],
        ['skipped transactions', 'log.skipped', 'transactions.skipped'],
      ] as const
    ).flatMap(([what, inLog, runMetric]) => {
      const [logged = null, counted = null] = [measures[inLog], measures[runMetric]];
      return logged === null || counted === null ? [] : [{ what, logged, counted }];
    });
    if (found.length === 0) return null;
    const { 'log.samplingRate': samplingRate = null } = measures;
    if (samplingRate !== null) return judgeSample(found, samplingRate);
    const words = ({ what, logged, counted }: (typeof found)[number]): string =>
      `the log has ${logged.toLocaleString('en')} ${what}, the run says ${counted.toLocaleString('en')}`;
    const surplus = found.filter(({ logged, counted }) => logged > counted);
    if (surplus.length > 0) return fail(`${surplus.map(words).join('; ')}: the run did not count all of them`);
    const lacking = found.filter(({ logged, counted }) => logged < counted);
    if (lacking.length === 0) return pass(`complete: ${(found[0]?.logged ?? 0).toLocaleString('en')} transactions`);
    const refused = `${lacking.map(words).join('; ')}, so percentiles and per-second values are not shown`;
    // Without the metric that decides, the block must be measured again.
    return (measures[decidingMetric(decision)] ?? null) === null ? fail(refused) : warn(refused);
  },
};

/** Standard deviations by which the size of a sample may be off. */
const deviations = 5;

/** A sampled log should have about as many transactions as the rate says. Its percentiles are not exact. */
function judgeSample(
  found: readonly { what: string; logged: number; counted: number }[],
  samplingRate: number,
): Finding {
  const off = found.find(
    ({ logged, counted }) =>
      Math.abs(logged - counted * samplingRate) >
      deviations * Math.sqrt(counted * samplingRate * (1 - samplingRate)) + 1,
  );
  const [first] = found;
  const of = off ?? first;
  const words = `a sample of ${wholePercent(samplingRate)}: ${(of?.logged ?? 0).toLocaleString('en')} of ${(of?.counted ?? 0).toLocaleString('en')} ${of?.what ?? ''}`;
  return off ? fail(`${words}, too far off for chance`) : warn(`${words}, so percentiles are not exact`);
}

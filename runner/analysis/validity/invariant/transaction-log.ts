import { fail, pass, warn } from '../findings.ts';
import type { TrialCheck } from '../trial-check.ts';

/**
 * Whether the log has every transaction of the run. If it lacks some, the load itself may be sound, but percentiles and series
 * are not: the trial has none then. If it has more, the run's own numbers are short.
 */
export const transactionLog: TrialCheck = ({ measures }, { experiment: { decision } }) => {
  const name = 'transaction log';
  const found = (
    [
      ['transactions', 'log.transactions', 'transactions'],
      ['failed transactions', 'log.failed', 'transactions.failed'],
      ['skipped transactions', 'log.skipped', 'transactions.skipped'],
    ] as const
  ).flatMap(([what, inLog, ofRun]) => {
    const [logged = null, counted = null] = [measures[inLog], measures[ofRun]];
    return logged === null || counted === null ? [] : [{ what, logged, counted }];
  });
  if (found.length === 0) return null;
  const words = ({ what, logged, counted }: (typeof found)[number]): string =>
    `the log has ${logged.toLocaleString('en')} ${what}, the run says ${counted.toLocaleString('en')}`;
  const surplus = found.filter(({ logged, counted }) => logged > counted);
  if (surplus.length > 0) return fail(name, `${surplus.map(words).join('; ')}: the run lost some of them`);
  const lacking = found.filter(({ logged, counted }) => logged < counted);
  if (lacking.length === 0) return pass(name, `has all ${(found[0]?.logged ?? 0).toLocaleString('en')} transactions`);
  const refused = `${lacking.map(words).join('; ')}: percentiles and values by the second are not shown`;
  // Without the metric that decides, the block must be measured again.
  return (measures[decision.metric] ?? null) === null ? fail(name, refused) : warn(name, refused);
};

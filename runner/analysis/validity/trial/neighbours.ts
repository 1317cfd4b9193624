import type { Check } from '../../../contract/check.ts';
import type { Trial } from '../../../contract/trial.ts';
import { fail, notAssessed, pass, percent, type TrialCheck, type TrialContext, warn } from '../check.ts';

/** Shares of all processors. */
const taken = { warn: 0.03, fail: 0.15 };

/** Whether other programs worked on the machine of the load. Locally, they also take what the servers need. */
export const neighbours: TrialCheck = (trial, { place }) => neighboursIn(trial, place);

/** The same for any span of time that was observed like a trial. */
export function neighboursIn(
  { measures = {}, facts = {} }: Partial<Pick<Trial, 'measures' | 'facts'>>,
  place: Pick<TrialContext['place'], 'sharesMachine'>,
): Check {
  const name = 'other programs';
  const { 'driver.others': share = null } = measures;
  if (share === null) return notAssessed(name, 'processes were not observed');
  const names = (facts.neighbours ?? []).map((one) => `${one.name} ${one.processors.toFixed(2)}`);
  const whose = place.sharesMachine ? 'this machine’s' : 'the driver’s';
  const words = `other programs took ${percent(share)} of ${whose} processors${names.length > 0 ? ` (${names.join(', ')} processors)` : ''}`;
  if (share < taken.warn) return pass(name, words);
  return share >= taken.fail && place.sharesMachine ? fail(name, words, 'other programs') : warn(name, words);
}

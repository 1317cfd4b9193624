import { expect, it } from 'vitest';
import { isLost, isRepeatable } from '../../runner/analysis/counted-trials.ts';
import { externalReasons } from '../../runner/contract/external-reasons.ts';
import { trial, unfinishedTrial } from '../helpers/samples/measured-trial.ts';

it.each(externalReasons)(
  'a trial that failed a check for %s is no loss, and is measured again unless it was too fast',
  (outside) => {
    const disturbed = trial('a', 1, {}, { checks: [{ id: 'x', name: 'x', state: 'fail', finding: 'x', outside }] });
    expect(isLost(disturbed)).toBe(false);
    // The faster side has a busy driver more often: to measure it again would keep its slow trials.
    expect(isRepeatable(disturbed)).toBe(outside !== 'busy-driver');
  },
);

it('a trial that a server lost is not measured again, whatever else spoilt it', () => {
  const outside = { id: 'x', name: 'x', state: 'fail', finding: 'x', outside: 'other-programs' } as const;
  const lost = trial('a', 1, {}, { checks: [outside, { id: 'y', name: 'y', state: 'fail', finding: 'y' }] });
  expect([isLost(lost), isRepeatable(lost)]).toEqual([true, false]);
  const failed = unfinishedTrial('a', 1);
  expect([isLost(failed), isRepeatable(failed)]).toEqual([true, false]);
});

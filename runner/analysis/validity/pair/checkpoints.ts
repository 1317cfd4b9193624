import type { Trial } from '../../../contract/trial.ts';
import { mean } from '../../../statistics/summaries.ts';
import { checkpointShare, hardlyWriteAll } from '../cycles.ts';
import { notAssessed, type PairCheck, pass, warn } from '../check.ts';
import { wholePercent } from '../../../contract/format.ts';

/** If the shares of the sides differ by this much, a verdict may rest on the difference. */
const notable = 0.25;

/**
 * Whether both sides paid for checkpoints alike. A trial without one is faster than the variant is in the long run. The
 * server's log shows how long checkpoints were under way. Without the log, only the trials in which some were counted
 * are known.
 */
export const checkpoints: PairCheck = {
  id: 'checkpoints',
  name: 'checkpoints',
  isOfWrites: true,
  remedy: 'Measure longer trials, so that both sides pay alike for checkpoints.',
  judge: (_, { blocks, baseline, candidate }) => {
    if (hardlyWriteAll(blocks)) return pass('neither side writes enough for them to matter');
    const sides = [baseline.measured, candidate.measured];
    const isLogged = sides.flat().every(({ facts }) => facts.checkpoints !== undefined);
    const [before, after] = sides.map((trials) => meanOf(trials.map(isLogged ? checkpointShare : countedAny)));
    if (typeof before !== 'number' || typeof after !== 'number') {
      return notAssessed('checkpoints were neither logged nor counted');
    }
    const words = isLogged
      ? `under way for ${wholePercent(before)} of the time of ${baseline.label} and ${wholePercent(after)} of that of ${candidate.label}`
      : `counted in ${wholePercent(before)} of the trials of ${baseline.label} and ${wholePercent(after)} of those of ${candidate.label}`;
    if (Math.abs(before - after) < notable) return pass(words);
    return warn(
      `${words}: unless the experiment varies exactly that, one side paid for more checkpoints than the other. Measure longer trials`,
    );
  },
};

function countedAny({ measures }: Trial): number | null {
  const { 'checkpoints.count': count = null } = measures;
  return count === null ? null : Number(count > 0);
}

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  if (known.length === 0 || known.length < values.length) return null;
  return mean(known);
}

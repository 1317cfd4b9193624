import { hardlyWrites } from '../../../metrics/value.ts';
import { settingNumber } from '../../../postgres/setting-units.ts';
import { cycleLength, cyclesOf, isPhaseDrawn } from '../cycles.ts';
import { notAssessed, pass, type TrialCheck, warn } from '../check.ts';
import { nounFor } from '../../../contract/format.ts';

/**
 * Whether the trial includes the cost of checkpoints. This takes a whole cycle: a part of one has more or less than its
 * share. If the phases of the blocks were drawn, a single trial need not include a whole cycle. Checkpoints hardly cost
 * anything if nothing is written.
 */
export const checkpointCycle: TrialCheck = {
  id: 'checkpoint-cycle',
  name: 'checkpoint cycle',
  isOfWrites: true,
  remedy:
    'Measure longer trials, or draw their phase from whole cycles (protocol.phaseSeconds, docs/your-own-experiment.md), then rerun.',
  judge: (trial, { settings, shape, experiment }) => {
    const { measures } = trial;
    if (hardlyWrites(measures))
      return pass('the load hardly writes, so there is next to nothing for checkpoints to write');
    // The server counts a checkpoint at its end, or later. Its log also shows one that was under way all the time.
    const cycles = cyclesOf(trial);
    if (cycles !== null) {
      if (cycles.whole > 0) return pass(`${cycles.whole} whole ${nounFor(cycles.whole, 'cycle')}, from start to start`);
      const words = `no whole cycle: ${cycles.starts === 0 ? 'no checkpoint began' : 'one checkpoint began'} during the trial`;
      const isDrawn = isPhaseDrawn(experiment.protocol, cycleLength([cycles], settings));
      return isDrawn ? pass(`${words}; its phase was drawn`) : warn(words);
    }
    const { 'checkpoints.count': count = null } = measures;
    if (count === null) return notAssessed('checkpoints were not counted');
    if (count > 0) return pass(`${count} checkpoints during the trial`);
    const cycleSeconds = settingNumber(settings['checkpoint_timeout']);
    const { durationSeconds } = shape;
    if (cycleSeconds === null || durationSeconds === null || durationSeconds >= cycleSeconds) {
      return pass('no checkpoint began during the trial');
    }
    return warn(
      `no checkpoint in ${durationSeconds} s: the trial is shorter than a cycle (checkpoint_timeout: ${cycleSeconds} s)`,
    );
  },
};

import { checkpointShare } from '../checkpoint-share.ts';
import { notAssessed, pass, percent, warn } from '../findings.ts';
import { settingSeconds } from '../setting-seconds.ts';
import type { TrialCheck } from '../trial-check.ts';

/** Whether the trial includes the cost of checkpoints. */
export const checkpointCycle: TrialCheck = (trial, { settings, shape }) => {
  const name = 'checkpoint cycle';
  const { measures } = trial;
  // The server counts a checkpoint at its end, or late: its log tells of one that was under way all the time.
  const share = checkpointShare(trial);
  if (share !== null && share > 0) return pass(name, `checkpoints were under way for ${percent(share)} of the trial`);
  const { 'checkpoints.count': count = null } = measures;
  if (count === null) return notAssessed(name, 'checkpoints were not counted');
  if (count > 0) return pass(name, `${count} checkpoints in the trial`);
  const cycleSeconds = settingSeconds(settings['checkpoint_timeout']);
  const { durationSeconds } = shape;
  if (cycleSeconds === null || durationSeconds === null || durationSeconds >= cycleSeconds) {
    return pass(name, 'none began in the trial');
  }
  return warn(
    name,
    `no checkpoint in ${durationSeconds} s: shorter than a cycle (checkpoint_timeout ${cycleSeconds} s)`,
  );
};

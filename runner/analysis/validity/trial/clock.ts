import { fail, notAssessed, pass, type TrialCheck, warn } from '../check.ts';

/** From this step on, series by second and matches by time are wrong. */
const maxStepSeconds = 1;
/** A gradual adjustment moves a clock by at most half a thousandth. This step is allowed on top of it. */
const notableStepSeconds = 0.1;

/** Whether somebody set the driver's clock. */
export const clock: TrialCheck = {
  id: 'clock',
  name: 'driver clock',
  couldChange: 'other-figures',
  remedy: 'Stop the program that steps this machine’s clock, then rerun.',
  judge: ({ measures, startedAt, endedAt }) => {
    const { 'driver.clockStep': step = null } = measures;
    if (step === null) return notAssessed('the driver was not observed');
    const words = `the driver’s clock stepped by ${step.toFixed(2)} s during the trial`;
    if (Math.abs(step) >= maxStepSeconds) return fail(words, 'suspended-driver');
    const seconds = (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
    return Math.abs(step) >= notableStepSeconds + seconds * 0.0005 ? warn(words) : pass('no clock step');
  },
};

import { idAmong } from './earlier-words.ts';

/**
 * Everything that can spoil a trial from outside the compared servers, so that the trial is not a loss of its side.
 * Only for these reasons may a trial be measured again. Repeating it for any other reason would select: the stalls and
 * crashes of one side would vanish from the result.
 */
const reasons = {
  /** Other programs took processors of the machine of the load. */
  'other-programs': 'other programs',
  /** The driver, the load generator or pgduet itself was suspended, or the driver's clock was set. */
  'suspended-driver': 'suspended driver',
  /** The driver was at its limit, or pgduet used much of it: the trial measured that. */
  'busy-driver': 'busy driver',
  /** The operator of the server made a backup, or did maintenance, on a schedule of its own. */
  'backup-or-maintenance': 'backup or maintenance',
  /** Someone else's sessions worked in the measured database. */
  'other-sessions': 'other sessions',
  /** The driver could not write its files, or had no network at all. */
  'broken-driver': 'broken driver',
  /** A file of the workload was changed while the trial ran, so it is unknown what ran. */
  'changed-files': 'changed files',
} as const;

export type ExternalReason = keyof typeof reasons;
export const externalReasons = Object.keys(reasons) as ExternalReason[];
export const externalReasonSchema = idAmong(externalReasons);

export function externalReasonWords(reason: ExternalReason): string {
  return reasons[reason];
}

/**
 * Reasons that the throughput itself brings about: the faster side drives the driver to its limit more often. Such a
 * trial stays, and its failed check withholds the verdict. Measuring it again would keep the slow trials.
 */
const broughtAbout: readonly ExternalReason[] = ['busy-driver'];

/** Whether a trial that was spoilt for this reason is measured again. */
export function isMeasuredAgain(reason: ExternalReason): boolean {
  return !broughtAbout.includes(reason);
}

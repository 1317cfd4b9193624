import { z } from 'zod';

/**
 * Why a trial may be measured again: the whole list. Each reason lies outside the servers that are compared, so that
 * neither side brings it about. To repeat for any other reason would select: the stalls and crashes of one side would
 * vanish from the result.
 */
export const outsideReasons = [
  /** Other programs took processors of the machine of the load. */
  'other programs',
  /** The driver was suspended, or its clock was set. */
  'suspended driver',
  /** The driver was at its limit: the trial measured it. */
  'busy driver',
  /** The operator of the server made a backup, or did maintenance, on a schedule of its own. */
  'backup or maintenance',
  /** Sessions of somebody else worked in the measured database. */
  'other sessions',
  /** The driver could not write its files, or had no network at all. */
  'broken driver',
] as const;

export const outsideReasonSchema = z.enum(outsideReasons);
export type OutsideReason = z.output<typeof outsideReasonSchema>;

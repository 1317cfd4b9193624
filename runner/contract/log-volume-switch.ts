import { z } from 'zod';
import { instantSchema } from './instant.ts';

/** A log volume that was switched on or off in mid-run, so that each instance carries every variant once. */
export const logVolumeSwitchSchema = z.object({
  /** DBInstanceIdentifier. */
  instance: z.string(),
  logVolume: z.enum(['on', 'off']),
  /** The variant that the instance carries from then on. */
  carries: z.string(),
  startedAt: instantSchema,
  endedAt: instantSchema,
  /** Seconds for which nobody could connect, accurate to the few seconds between two tries. */
  downtimeSeconds: z.number(),
});

export type LogVolumeSwitch = z.output<typeof logVolumeSwitchSchema>;

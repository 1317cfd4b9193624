/** A log volume that was switched on or off in mid-run, so that each instance carries every variant once. */
export interface LogVolumeSwitch {
  /** DBInstanceIdentifier. */
  instance: string;
  logVolume: 'on' | 'off';
  /** The variant that the instance carries from then on. */
  carries: string;
  startedAt: string;
  endedAt: string;
  /** How long nobody could connect meanwhile, to within the few seconds between two tries. */
  downtimeSeconds: number;
}

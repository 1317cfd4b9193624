/**
 * Units of the host's systemd that a machine needs to boot, to keep a journal, to restart and to power off. No other unit
 * is there.
 */
export const baseUnits = [
  'basic.target',
  'emergency.target',
  'final.target',
  'local-fs-pre.target',
  'local-fs.target',
  'multi-user.target',
  'network-online.target',
  'network-pre.target',
  'network.target',
  'paths.target',
  'poweroff.target',
  'reboot.target',
  'shutdown.target',
  'slices.target',
  'sockets.target',
  'sysinit.target',
  'systemd-journal-flush.service',
  'systemd-journald-dev-log.socket',
  'systemd-journald.service',
  'systemd-journald.socket',
  'systemd-poweroff.service',
  'systemd-reboot.service',
  'timers.target',
  'umount.target',
];

/** The units that each target starts, by target: the links that an installation makes. */
export const wantedUnits: Record<string, string[]> = {
  'sysinit.target': ['systemd-journald.service', 'systemd-journal-flush.service'],
  'multi-user.target': ['cloud-final.service'],
};

/** The services of the driver (lib/driver/units/). */
export const driverServices = ['pgduet.service', 'pgduet-conclude.service', 'pgduet-update.service'];

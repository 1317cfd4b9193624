import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundledRunner } from '../helpers/processes/bundled-runner.ts';

/** Its version; 250 is the first with --offline. 0 if there is none. */
const reported = spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' });
const version = reported.error ? 0 : Number(/systemd (\d+)/.exec(reported.stdout)?.[1]);
/**
 * The most that `systemd-analyze security` may find for each unit, in tenths; 96 is a service without any limit. The network
 * and just-in-time compilation must stay open to the runner.
 */
const bounds = { 'pgduet.service': 18, 'pgduet-conclude.service': 18, 'pgduet-update.service': 32 };

let units: string;
beforeAll(() => {
  units = path.join(bundledRunner(), 'units');
});

const sandbox = [
  'PrivateDevices=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
];
const unprivileged = ['User=pgduet', 'CapabilityBoundingSet=', 'UMask=0077'];

it.each([
  ['pgduet.service', [...sandbox, ...unprivileged]],
  ['pgduet-conclude.service', [...sandbox, ...unprivileged]],
  ['pgduet-update.service', sandbox],
])(
  '%s has no devices and no kernel, gains nothing, and leaves no memory on the disk when it crashes',
  (unit, settings) => {
    const parts = readdirSync(path.join(units, `${unit}.d`)).map((name) => path.join(units, `${unit}.d`, name));
    const lines = parts.flatMap((part) => readFileSync(part, 'utf8').split('\n'));
    expect(lines).toEqual(expect.arrayContaining(['NoNewPrivileges=yes', 'LimitCORE=0', ...settings]));
  },
);

describe.skipIf(!(version >= 250))('the services of the driver', () => {
  it('are these', () => {
    const services = readdirSync(units).filter((name) => name.endsWith('.service'));
    expect(services.sort()).toEqual(Object.keys(bounds).sort());
  });

  it.each(Object.entries(bounds))('%s exposes little of the machine', (unit, bound) => {
    const words = ['security', '--offline=true', '--no-pager', `--threshold=${bound}`, path.join(units, unit)];
    const { status, stdout } = spawnSync('systemd-analyze', words, { encoding: 'utf8' });
    expect(status, stdout).toBe(0);
    // Without a unit that it understands, it would have nothing to say.
    expect(stdout).toContain(`Overall exposure level for ${unit}`);
  });
});

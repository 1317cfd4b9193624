import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Machine, makeMachine } from '../machine/machine.ts';
import { makePackages } from '../machine/packages.ts';

let machine: Machine;
const userData = `#!/bin/bash
set -e
date >>/root/boots
dnf install --assumeyes --quiet jq nodejs22 postgresql17-contrib
jq --version; node --version; pgbench --version
cat >/etc/systemd/system/pgduet.service <<END
[Unit]
Description=counts
[Service]
ExecStart=/bin/sh -c 'echo start >>/var/lib/counter; cat /proc/sys/kernel/random/boot_id >>/var/lib/boot-ids; trap "echo stop >>/var/lib/counter; exit 0" TERM; sleep 1000 & wait'
ProtectSystem=strict
ProtectProc=invisible
ProtectKernelTunables=yes
ReadWritePaths=/var/lib
[Install]
WantedBy=multi-user.target
END
systemctl daemon-reload
systemctl enable --now pgduet.service
`;

beforeAll(async () => {
  const folder = '/mnt/machine-test';
  mkdirSync(folder);
  await makePackages(path.join(folder, 'packages'));
  machine = await makeMachine({
    folder,
    userData,
    environment: { AWS_ENDPOINT_URL: 'http://localhost:5000' },
    packages: path.join(folder, 'packages'),
    aws: folder,
    hostsFile: '/mnt/hosts',
  });
});
afterAll(() => machine.remove());

const linesOf = (name: string): string[] => readFileSync(path.join(machine.root, name), 'utf8').trim().split('\n');
const counted = (): string[] => linesOf('var/lib/counter');

it('executes its user data by the real systemd, and nothing of it reaches the host', async () => {
  await machine.boot();
  await expect.poll(() => existsSync(path.join(machine.root, 'var/lib/counter'))).toBe(true);
  expect((await machine.run('journalctl', '-u', 'cloud-final', '--no-pager')).stdout).toMatch(/pgbench \(PostgreSQL\)/);
  expect(existsSync('/etc/systemd/system/pgduet.service')).toBe(false);
});

it('starts enabled services again after a loss of power, and its user data not', async () => {
  await machine.crash();
  await machine.boot();
  await expect.poll(counted).toEqual(['start', 'start']);
  expect(linesOf('root/boots')).toHaveLength(1);
});

it('has a boot id of its own in every boot, also for a service that hides processes', async () => {
  const { stdout: now } = await machine.run('cat', '/proc/sys/kernel/random/boot_id');
  const host = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
  await expect.poll(() => new Set([...linesOf('var/lib/boot-ids'), host.trim()])).toHaveProperty('size', 3);
  expect(linesOf('var/lib/boot-ids').at(-1)).toBe(now.trim());
});

it('stops its services when it is powered off', async () => {
  await machine.powerOff();
  expect(counted()).toEqual(['start', 'start', 'stop']);
});

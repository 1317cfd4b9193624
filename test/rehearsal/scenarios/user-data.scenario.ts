import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Account, project, scratch } from '../account/account.ts';
import { openBootstrappedAccount } from '../account/bootstrapped-account.ts';
import { type Deployment, deploy, remove } from '../account/deployment.ts';
import { makeDriver } from '../account/driver.ts';

/**
 * Mistakes in the user data, or in the script of the bundle that it goes on with: which text replaces which, and what the
 * stack's events say then.
 */
const mistakes: Record<string, { from: string; to: string; reason: RegExp }> = {
  'a package name that Amazon Linux does not have': {
    from: 'nodejs22',
    to: 'node22',
    reason: /^While installing packages: .*Unable to find a match: node22/,
  },
  'a repository that cannot be reached': {
    from: "step='installing packages'",
    to: "step='installing packages'\numount /rehearsal/packages",
    reason: /^While installing packages: .*Failed to download metadata for repo 'amazonlinux'/,
  },
  'a package that is left out': {
    from: / postgresql\d+-contrib/.source,
    to: '',
    reason: /^While installing packages: pgbench is missing after installing/,
  },
  'another name of the parameter': {
    from: "/binding'",
    to: "/bindings'",
    reason: /^While reading the binding from .*not authorized to perform: ssm:GetParameter/,
  },
  'another Region': {
    from: "region='us-east-1'",
    to: "region='eu-west-1'",
    reason: /^While reading the binding from .*(ParameterNotFound|not authorized to perform: ssm:GetParameter)/,
  },
  'another field of the binding': {
    from: '\\.assets\\.\\$asset',
    to: '.asset.$asset',
    reason: /^While fetching the runner: \/etc\/pgduet\/binding\.json names no runner/,
  },
  'an asset that is not unpacked': {
    from: 'unzip -q .*',
    to: 'true',
    reason: /^While reading the runner: .*\/opt\/pgduet\/runner\/begin\.sh: No such file/,
  },
  'a missing file': {
    from: '/opt/pgduet/runner/units/',
    to: '/opt/pgduet/runner/old-units/',
    reason: /^While setting up the service: .*old-units\/\.': No such file/,
  },
  'a unit that starts a program which is not there': {
    from: 'systemd-analyze verify',
    to: 'sed -i s,/usr/local/bin/pgduet,/usr/bin/pgduet, /etc/systemd/system/pgduet.service\nsystemd-analyze verify',
    reason: /^While setting up the service: .*\/usr\/bin\/pgduet is not executable/,
  },
  'a unit with a section that systemd does not know': {
    from: 'systemd-analyze verify',
    to: 'sed -i "s,ExecStart,ExecBegin," /etc/systemd/system/pgduet.service\nsystemd-analyze verify',
    reason: /^While setting up the service: .*Service has no ExecStart=/,
  },
  'no user for the service': {
    from: '  useradd .*',
    to: '  true',
    reason: /^While checking what needs no database: .*\/var\/lib\/pgduet: No such file/,
  },
  'no certificate authorities': {
    from: 'PGSSLROOTCERT=/opt/pgduet/runner/rds-ca.pem',
    to: 'PGSSLROOTCERT=/opt/pgduet/rds-ca.pem',
    reason: /^While checking what needs no database: PGSSLROOTCERT is .*, which does not exist/,
  },
  'another name of the unit': {
    from: 'systemctl start --no-block pgduet.service',
    to: 'systemctl start --no-block pgduet-run.service',
    reason: /^While starting the run: .*pgduet-run\.service not found/,
  },
};

interface Signal {
  Status: string;
  Reason: string;
  UniqueId: string;
}

/** What user data goes on with when it has fetched the runner. */
const begin = readFileSync(path.join(project, 'lib/driver/begin.sh'), 'utf8');

let account: Account;
let deployment: Deployment;
/** Used in place of the addresses at which the stack waits: each of these takes only one answer. */
let waitAddress: string;
const listener = createServer((request, response) => {
  void text(request).then((body) => {
    signals.push(JSON.parse(body) as Signal);
    response.end();
  });
});
let signals: Signal[] = [];
const options = {
  experiment: 'test/rehearsal/experiments/log-volume.yaml',
  profile: 'full',
  owner: 'dora',
  synthesizedOnce: true,
};

beforeEach(() => {
  signals = [];
});
beforeAll(async () => {
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  waitAddress = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`;
  account = await openBootstrappedAccount();
  deployment = await deploy(account, options);
  expect((await deployment.deployed).exitCode).toBe(0);
  await deployment.machine.run('systemctl', 'stop', 'pgduet.service');
});
afterAll(async () => {
  await remove(account, deployment, options);
  await account.close();
  listener.close();
});

describe('the stack is told, and why, of user data with', () => {
  it.each(Object.entries(mistakes))('%s', async (_, { from, to, reason }) => {
    const mistaken = (text: string): string => text.replaceAll(new RegExp(from, 'g'), to);
    const broken = mistaken(deployment.userData).replace(/^source .*begin\.sh$/m, (source) =>
      mistaken(begin) === begin ? source : `source <(cat <<'MISTAKEN'\n${mistaken(begin)}MISTAKEN\n)`,
    );
    expect(broken).not.toBe(deployment.userData);
    const userData = broken.replaceAll(/^readonly (boot|provision|wait)_url=.*$/gm, `readonly $1_url='${waitAddress}'`);
    const machine = await makeDriver({ id: 'broken', userData }, { hurried: 'user-data' });
    try {
      await machine.boot();
      await expect
        .poll(async () => (await machine.run('systemctl', 'is-failed', 'cloud-final.service')).stdout, {
          timeout: 60_000,
        })
        .toBe('failed\n');
      const log = readFileSync(path.join(machine.root, 'var/log/pgduet/boot.log'), 'utf8');
      // Where the boot itself succeeds, the driver has said so before.
      expect(signals.slice(0, -1), log).toEqual(
        signals.slice(1).map(() => expect.objectContaining({ Status: 'SUCCESS' }) as Signal),
      );
      expect(signals.at(-1), log).toMatchObject({ Status: 'FAILURE', UniqueId: 'driver' });
      expect(signals.at(-1)?.Reason.replaceAll('\n', ' ')).toMatch(reason);
    } finally {
      await machine.remove();
      rmSync(path.join(scratch, 'machines/broken'), { recursive: true });
    }
  });
});

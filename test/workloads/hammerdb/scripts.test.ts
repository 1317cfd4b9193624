import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Target } from '../../../runner/postgres/target.ts';
import { buildUsersOf, hammerdbSchema, type HammerdbWorkload } from '../../../runner/workloads/hammerdb/schema.ts';
import { buildScript } from '../../../runner/workloads/hammerdb/load.ts';
import { checkScript, libraryScript } from '../../../runner/workloads/hammerdb/session.ts';
import { runScript } from '../../../runner/workloads/hammerdb/trial-session.ts';
import { hasTcl, observed, standIn, valueIn } from '../../helpers/hammerdb/stand-in.ts';
import { ownTemporaryFolder } from '../../helpers/own-temporary-folder.ts';

const temporary = ownTemporaryFolder();

const targets = fc.record({
  server: fc.constant('a'),
  host: fc.constantFrom('127.0.0.1', '::1', 'db-1.abc.eu-central-1.rds.amazonaws.com', '/var/run/postgresql'),
  port: fc.integer({ min: 1, max: 65_535 }),
  user: fc.constantFrom('postgres', 'master_1', 'a.b-c'),
  database: fc.constantFrom('pgduet', 'my-db', 'a.b'),
  environment: fc.constantFrom<Target['environment']>({}, { PGSSLMODE: 'verify-full' }, { PGSSLMODE: 'require' }),
});

const workloads = fc
  .record({
    warehouses: fc.integer({ min: 1, max: 100_000 }),
    users: fc.integer({ min: 1, max: 10_000 }),
    durationMinutes: fc.integer({ min: 1, max: 1440 }),
    allWarehouses: fc.boolean(),
    keyingAndThinking: fc.boolean(),
    storedProcedures: fc.boolean(),
  })
  .map((keys): HammerdbWorkload => ({ ...hammerdbSchema.parse({ tool: 'hammerdb', ...keys }), users: keys.users }));

/** Lets the stand-in carry a script out, which refuses every command and option that HammerDB does not have. */
async function carryOut(install: string, script: string): Promise<string> {
  const folder = path.join(temporary(), 'session');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path.join(folder, 'script.tcl'), script);
  writeFileSync(path.join(folder, 'password'), 'a1b2c3');
  const { stdout } = await promisify(execFile)(
    path.join(install, 'hammerdbcli'),
    ['auto', path.join(folder, 'script.tcl')],
    { cwd: install, env: { PATH: process.env['PATH'], TMP: folder } },
  );
  return stdout;
}

it.skipIf(!hasTcl)('asks only for what HammerDB knows, whatever the workload and the target are', async () => {
  await fc.assert(
    fc.asyncProperty(targets, workloads, fc.integer({ min: 0, max: 60 }), async (target, workload, minutes) => {
      const install = standIn({ build: 'v6-build.log', check: 'v6-check.log', run: 'v6-run.log' });
      await carryOut(install, buildScript(target, workload, 'builder'));
      await carryOut(install, checkScript(target, workload));
      await carryOut(install, runScript(target, workload, { rampUpSeconds: 60 * minutes }));
      const [build = '', check = '', run = ''] = observed(install);
      for (const one of [build, check, run]) {
        expect(valueIn(one, 'pg_host')).toBe(target.host);
        expect(valueIn(one, 'pg_superuser')).toBe(target.user);
        expect(valueIn(one, 'pg_superuserpass')).toBe("''");
        expect(valueIn(one, 'pg_sslmode')).toBe(target.environment['PGSSLMODE'] ?? 'prefer');
      }
      expect(valueIn(build, 'pg_user')).toBe('builder');
      expect(valueIn(build, 'pg_num_vu')).toBe(String(buildUsersOf(workload)));
      expect(valueIn(build, 'pg_count_ware')).toBe(String(workload.warehouses));
      expect(valueIn(run, 'pg_rampup')).toBe(String(minutes));
      expect(valueIn(run, 'users')).toBe(String(workload.users));
    }),
    { numRuns: 10 },
  );
});

it.skipIf(!hasTcl)(
  'gives the password of the role that builds to HammerDB by a file that is gone at once, and not to its database of jobs',
  async () => {
    const install = standIn({ build: 'v6-build.log' });
    const [target] = fc.sample(targets, 1) as [Target];
    const [workload] = fc.sample(workloads, 1) as [HammerdbWorkload];
    const output = await carryOut(install, buildScript(target, workload, 'builder'));
    const [build = ''] = observed(install);
    expect(valueIn(build, 'pg_pass')).toBe('a1b2c3');
    expect(valueIn(build, 'files')).toBe('script.tcl');
    expect(output).not.toContain('a1b2c3');
  },
);

it('never sets a password by a command that repeats it', () => {
  fc.assert(
    fc.property(targets, workloads, (target, workload) => {
      const scripts = [
        buildScript(target, workload, 'builder'),
        checkScript(target, workload),
        runScript(target, workload, { rampUpSeconds: 60 }),
        libraryScript,
      ];
      expect(scripts.join('\n')).not.toMatch(/diset \w+ \w*pass/);
    }),
  );
});

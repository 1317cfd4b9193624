import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Target } from '../../../runner/postgres/target.ts';
import { hammerdbGenerator } from '../../../runner/workloads/hammerdb/generator.ts';
import { hammerdbSchema, type HammerdbWorkload } from '../../../runner/workloads/hammerdb/schema.ts';
import type { LoadGenerator } from '../../../runner/workloads/load-generator.ts';
import { hasTcl, observed, type Scenario, standIn, valueIn } from '../../helpers/hammerdb/stand-in.ts';
import { ownTemporaryFolder } from '../../helpers/own-temporary-folder.ts';

const temporary = ownTemporaryFolder();
let folder: string;
let target: Target;
let progress: { elapsedSeconds: number; tps: number }[];
const onProgress = (one: { elapsedSeconds: number; tps: number }): void => void progress.push(one);

beforeEach(() => {
  progress = [];
  folder = path.join(temporary(), 'trial');
  mkdirSync(folder);
  const passwords = path.join(temporary(), 'pgpass');
  writeFileSync(passwords, '*:*:*:master:top-secret\n', { mode: 0o600 });
  target = {
    server: 'a',
    host: '127.0.0.1',
    port: 5432,
    user: 'master',
    database: 'pgduet',
    environment: { PGPASSFILE: passwords, PGSSLMODE: 'verify-full', PGSSLROOTCERT: '/certificates.pem' },
  };
});

const workload: HammerdbWorkload = {
  ...hammerdbSchema.parse({ tool: 'hammerdb', warehouses: 2, users: 2, durationMinutes: 1 }),
  users: 2,
};

function generator(scenario: Scenario, changes: Partial<HammerdbWorkload> = {}): LoadGenerator & { install: string } {
  const install = standIn(scenario);
  vi.stubEnv('PGDUET_HAMMERDB', install);
  const options = { programs: '', scriptFolder: '', collect: [], workload: { ...workload, ...changes } };
  return { ...hammerdbGenerator(options), install };
}

const request = (signal: AbortSignal = new AbortController().signal) => ({ folder, seed: 1, signal, onProgress });

/** Nothing of a session is left: neither its folder nor its process. */
function expectNothingLeft(install: string): void {
  expect(readdirSync(temporary()).filter((name) => name.startsWith('pgduet-'))).toEqual([]);
  for (const one of observed(install)) expect(isAlive(Number(valueIn(one, 'pid')))).toBe(false);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!hasTcl)('a trial that succeeds', () => {
  it('has what HammerDB says, and the series of its counter', async () => {
    const tool = generator({ run: 'v6-run.log' });
    let pid = 0;
    const { measures, facts } = await tool.measure(target, { ...request(), onProcess: (id) => (pid = id) });
    expect(measures).toMatchObject({ nopm: 44_994, tpm: 103_096, 'procedures.neword.p99': 0.003465 });
    expect(measures['runtime']).toBeGreaterThan(0.2);
    expect(facts).toMatchObject({
      identity: { clientVersion: 'HammerDB v6.0', warehouses: 2, users: 2 },
      problems: [],
    });
    expect(progress).toContainEqual({ elapsedSeconds: expect.any(Number) as number, tps: 85_914 / 60 });
    const [first = ''] = observed(tool.install);
    expect(pid).toBe(Number(valueIn(first, 'pid')));
    expect(readFileSync(path.join(folder, 'hammerdb.log'), 'utf8')).toContain('achieved 44994 NOPM');
    expectNothingLeft(tool.install);
  });

  it('asks for the load of the experiment, without any password', async () => {
    const tool = generator(
      { run: 'v6-run.log' },
      { allWarehouses: false, keyingAndThinking: true, durationMinutes: 1 },
    );
    await tool.measure(target, request());
    const [first = ''] = observed(tool.install);
    expect(first).toContain("pg_pass '' pg_superuserpass ''");
    expect(first).not.toContain('top-secret');
    for (const [option, value] of Object.entries({
      pg_user: 'master',
      pg_superuser: 'master',
      pg_dbase: 'pgduet',
      pg_defaultdbase: 'pgduet',
      pg_rampup: 0,
      pg_duration: 1,
      pg_allwarehouse: false,
      pg_keyandthink: true,
      pg_storedprocs: true,
      pg_vacuum: false,
      pg_timeprofile: true,
      pg_raiseerror: true,
      pg_sslmode: 'verify-full',
      users: 2,
      mode: '040700',
    })) {
      expect([option, valueIn(first, option)]).toEqual([option, String(value)]);
    }
    // Where it runs as another user, it has a copy.
    expect(valueIn(first, 'PGPASSFILE')?.startsWith(temporary())).toBe(true);
    expect(valueIn(first, 'PGSSLROOTCERT')).toBe('/certificates.pem');
    const logs = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
    expect(logs.join()).not.toContain('top-secret');
  });
});

describe.skipIf(!hasTcl)('the warm-up', () => {
  it('is the ramp-up of the process that is measured, and ends with it', async () => {
    const tool = generator({ run: 'v6-run.log' });
    await tool.warmUp(target, { ...request(), seconds: 120 });
    const [first = '', ...others] = observed(tool.install);
    expect(valueIn(first, 'pg_rampup')).toBe('2');
    expect(isAlive(Number(valueIn(first, 'pid')))).toBe(true);
    const { measures } = await tool.measure(target, request());
    expect(measures['nopm']).toBe(44_994);
    expect(others.concat(observed(tool.install).slice(1))).toEqual([]);
    expectNothingLeft(tool.install);
  });

  it('fails where the process does', async () => {
    const tool = generator({ run: 'v6-fail-wrongpw.log' });
    await expect(tool.warmUp(target, { ...request(), seconds: 60 })).rejects.toThrow(
      /^HammerDB: Transaction Counter Error: .*password authentication failed/,
    );
    expectNothingLeft(tool.install);
  });

  it('leaves nothing if the trial fails before it is measured', async () => {
    const tool = generator({ run: 'v6-run.log' });
    await tool.warmUp(target, { ...request(), seconds: 60 });
    await tool.abandon?.(target);
    expectNothingLeft(tool.install);
    await tool.abandon?.(target);
  });

  it('ends with the signal, also between warm-up and measured part', async () => {
    const interrupted = new AbortController();
    const tool = generator({ run: 'v6-run.log' });
    await tool.warmUp(target, { ...request(interrupted.signal), seconds: 60 });
    interrupted.abort(new Error('Ctrl-C'));
    await expect(tool.measure(target, request())).rejects.toThrow('Ctrl-C');
    expectNothingLeft(tool.install);
  });
});

describe.skipIf(!hasTcl)('a trial that fails', () => {
  it.each([
    ['v6-fail-wrongpw.log', /^HammerDB: Transaction Counter Error: .*password authentication failed/],
    ['v6-fail-terminate-raise-true.log', /^HammerDB: Error in Virtual User 2: SSL connection has been closed/],
    ['v6-fail-terminate-raise-false.log', /^HammerDB: Vuser 2:New Order Procedure Error/],
    ['v6-run-allvus-failed-example.log', /^HammerDB: Error in Virtual User 2: ERROR: {2}function neword/],
    ['exit3', /^HammerDB exited with 3; its last line: /],
    ['tclerror', /^HammerDB: invalid command name "nosuchcommand"/],
  ])('by %s is no result, and ends at once', async (run, message) => {
    // In these recordings functions were asked for, and procedures were there.
    const tool = generator({ run, skip: 'Auto-switching|incomplete routine set' });
    const start = performance.now();
    await expect(tool.measure(target, request())).rejects.toThrow(message);
    // The stand-in, as HammerDB itself, goes on for a minute.
    expect(performance.now() - start).toBeLessThan(20_000);
    expectNothingLeft(tool.install);
  });

  it.each([
    ['v6-fail-terminate-raise-true.log', /Auto-switching pg_storedprocs to true/],
    ['v6-run-allvus-failed-example.log', /incomplete routine set detected/],
  ])('since other routines were found than were asked for (%s) is no result', async (run, message) => {
    await expect(generator({ run }).measure(target, request())).rejects.toThrow(message);
  });

  it('by hanging is ended by the signal, with its children', async () => {
    const due = new AbortController();
    const tool = generator({ run: 'hang' });
    const measured = tool.measure(target, request(due.signal));
    const children = path.join(tool.install, 'children');
    while (!existsSync(children)) await sleep(20);
    await sleep(100);
    due.abort(new Error('it should have ended long ago'));
    await expect(measured).rejects.toThrow('it should have ended long ago');
    const child = Number(readFileSync(children, 'utf8'));
    while (isAlive(child)) await sleep(20);
    expectNothingLeft(tool.install);
  });

  it('by a version without times of procedures is no result', async () => {
    const tool = generator({ run: 'v412-run.log' }, { users: 4 });
    await expect(tool.measure(target, request())).rejects.toThrow(/HammerDB did not complete: no procedure times/);
  });

  it('by another number of users than was asked for is no result', async () => {
    const tool = generator({ run: 'v6-run.log' }, { users: 3 });
    await expect(tool.measure(target, request())).rejects.toThrow('HammerDB ran 2 virtual users');
  });
});

it.skipIf(!hasTcl)('refuses names that scripts of HammerDB cannot stand', async () => {
  const tool = generator({ run: 'v6-run.log' });
  await expect(tool.measure({ ...target, user: 'o[exit]' }, request())).rejects.toThrow(
    'a: HammerDB cannot work with the user "o[exit]"',
  );
});

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { oneServerExperiment } from '../../runner/experiment/schema.ts';
import { opener } from '../../runner/places/existing/open.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';
import { type LocalCluster, queryOn, startLocalCluster } from '../helpers/servers/local-cluster.ts';
import { dumpAll } from '../helpers/servers/dump-all.ts';
import { Services, withTls } from '../helpers/servers/services.ts';
import { oneBlock, type TinyRun, tinyRun } from '../helpers/processes/tiny-run.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'existing-'));
const services = new Services();
const plain = clusterForAll();
let secure: LocalCluster;
beforeAll(async () => {
  execFileSync('chmod', ['755', folder]);
  const { parameters, authority } = await withTls(folder);
  secure = await startLocalCluster(parameters);
  const { rows } = await queryOn<{ socket: string }>(
    plain.target,
    "SELECT trim(current_setting('unix_socket_directories'), '\"') AS socket",
  );
  await services.addRole('by-socket', plain, { host: rows[0]?.socket ?? '' });
  await services.addRole('by-tls', secure, {
    host: 'localhost',
    sslmode: 'verify-full',
    sslrootcert: authority,
  });
});
afterAll(async () => {
  await secure.remove();
  rmSync(folder, { recursive: true });
});

const servers = ['--servers', 'by-socket,by-tls'];
const serverVariants = Object.fromEntries(['by-socket', 'by-tls'].map((service) => [service, { server: { service } }]));
const database = 'pgduet_tiny';

function runHere(tiny: TinyRun, ...args: string[]) {
  return tiny.runAs({ environment: services.environment }, ...args);
}

const databasesOf = async ({ target }: LocalCluster): Promise<string[]> =>
  (await queryOn<{ name: string }>(target, 'SELECT datname AS name FROM pg_database ORDER BY datname')).rows.map(
    ({ name }) => name,
  );

describe('existing servers', () => {
  it('are measured by their services, one by TLS and one by a socket, and are then as they were', async () => {
    const tiny = tinyRun();
    const { variants: _, baseline: __, common: ___, ...rest } = oneBlock;
    tiny.define({ ...oneBlock, protocol: { ...rest.protocol, reset: ['restore', 'checkpoint'] } });
    const before = [dumpAll(plain), dumpAll(secure)];
    const { exitCode, stderr, stdout } = await runHere(tiny, 'load-run', 'tiny', ...servers).ended;
    expect(exitCode, stderr).toBe(0);
    const { place, trials, variants, experiment } = tiny.result();
    expect(place.kind).toBe('existing-here');
    expect(variants.map(({ name }) => name)).toEqual(['by-socket', 'by-tls']);
    expect(trials.map(({ state }) => state)).toEqual(['finished', 'finished']);
    // The file asks whether a log volume helps: nobody asked these servers.
    expect(experiment.question).toContain('How do the servers by-socket and by-tls compare');
    expect(stdout).not.toContain('Does it run?');
    expect([dumpAll(plain), dumpAll(secure)]).toEqual(before);
    expect(readdirSync(path.join(tiny.folder, 'results/tiny')).filter((name) => name.endsWith('.json'))).toEqual([]);
    expect(JSON.stringify(tiny.result())).not.toContain('secret of');
    tiny.expectNothingLeft();
  });

  it.each(['SIGINT', 'SIGKILL'] as const)('are as they were after %s, and clean', async (signal) => {
    const tiny = tinyRun();
    const before = [dumpAll(plain), dumpAll(secure)];
    const run = runHere(tiny, 'load-run', 'tiny', ...servers, '--profile', 'long-load');
    await run.shown('load ...');
    await tiny.underLoad();
    run.process.kill(signal);
    await run.ended;
    const note = path.join(tiny.folder, 'results/tiny/pgduet_tiny@by-socket.json');
    expect(existsSync(note)).toBe(signal === 'SIGKILL');
    const cleaned = await runHere(tiny, 'clean').ended;
    expect(cleaned.stdout).toContain(
      signal === 'SIGKILL' ? `database ${database} on service by-socket` : 'Nothing to remove',
    );
    expect(existsSync(note)).toBe(false);
    expect([dumpAll(plain), dumpAll(secure)]).toEqual(before);
  });

  it('are found by sysbench, too, by a socket and by TLS', async () => {
    const tiny = tinyRun();
    const { common: _, variants: __, baseline: ___, ...rest } = oneBlock;
    const workload = { tool: 'sysbench', script: 'oltp_point_select', tableSize: 1000, clients: 2, durationSeconds: 2 };
    tiny.define({ ...rest, workload, variants: serverVariants, baseline: 'by-socket', profiles: {} });
    const { exitCode, stderr } = await runHere(tiny, 'load-run', 'tiny').ended;
    expect(exitCode, stderr).toBe(0);
    expect(tiny.result().trials.map(({ state }) => state)).toEqual(['finished', 'finished']);
    tiny.expectNothingLeft();
  });

  it('keep what `load` has loaded for `run`, until `clean`', async () => {
    const tiny = tinyRun();
    tiny.define(oneBlock);
    expect(await runHere(tiny, 'load', 'tiny', ...servers).ended).toMatchObject({ exitCode: 0 });
    expect(await databasesOf(plain)).toContain(database);
    const { exitCode, stderr } = await runHere(tiny, 'run', 'tiny', ...servers).ended;
    expect(exitCode, stderr).toBe(0);
    expect(tiny.result().steps.map(({ step }) => step)).not.toContain('load');
    await runHere(tiny, 'clean').ended;
    expect(await databasesOf(plain)).not.toContain(database);
  });
});

test('a database whose making was cut off is dropped by clean, and one that took the place of ours is not written to', async () => {
  const tiny = tinyRun();
  tiny.define(oneBlock);
  expect(await runHere(tiny, 'load', 'tiny', ...servers).ended).toMatchObject({ exitCode: 0 });
  await queryOn(plain.target, `COMMENT ON DATABASE ${database} IS NULL`);
  const experiment = oneServerExperiment('by-socket', {
    name: 'tiny',
    question: 'Whose is it?',
    variant: { storage: { type: 'existing' }, server: { service: 'by-socket' } },
    workload: oneBlock.workload,
  });
  const { open } = await opener.prepare(experiment, {
    clients: 1,
    volumes: 'auto',
    kept: true,
    results: path.join(tiny.folder, 'results/tiny'),
    environment: { ...process.env, ...services.environment },
    say: () => undefined,
    warn: () => undefined,
    signal: new AbortController().signal,
  });
  const place = await open();
  const { signal } = new AbortController();
  await place.activateOnly([], signal);
  const processes = place.ownProcesses?.();
  await plain.restart();
  await place.activateOnly([], signal);
  expect(place.ownProcesses?.()).toHaveLength(1);
  expect(place.ownProcesses?.()).not.toEqual(processes);
  await queryOn(plain.target, `ALTER DATABASE ${database} RENAME TO ours`);
  await queryOn(plain.target, `CREATE DATABASE ${database} OWNER "by-socket"`);
  await expect(place.activateOnly(['by-socket'], signal)).rejects.toThrow('pgduet did not make it');
  await queryOn(plain.target, `DROP DATABASE ${database}`);
  await queryOn(plain.target, `ALTER DATABASE ours RENAME TO ${database}`);
  await place.close({ keep: true });
  await runHere(tiny, 'clean').ended;
  expect(await databasesOf(plain)).not.toContain(database);
});

test('a database of the same name that pgduet did not make survives each verb', async () => {
  const tiny = tinyRun();
  tiny.define(oneBlock);
  await queryOn(secure.target, `CREATE DATABASE ${database}`);
  await queryOn({ ...secure.target, database }, 'CREATE TABLE mine AS SELECT 1 AS one');
  try {
    const before = dumpAll(secure);
    for (const verb of ['load', 'run', 'load-run']) {
      const { exitCode, stderr } = await runHere(tiny, verb, 'tiny', ...servers).ended;
      expect(exitCode).toBe(2);
      expect(stderr).toContain(`the database ${database} is there already, and pgduet did not make it`);
    }
    await runHere(tiny, 'clean').ended;
    expect(dumpAll(secure)).toBe(before);
    expect(await databasesOf(plain)).not.toContain(database);
  } finally {
    await queryOn(secure.target, `DROP DATABASE ${database}`);
  }
});

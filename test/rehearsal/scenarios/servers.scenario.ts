import { lookup } from 'node:dns/promises';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandResult, runCommand } from '../../../runner/process/run-command.ts';
import { type Authority, makeAuthority } from '../../helpers/servers/certificates.ts';
import { type Database, startDatabase } from '../servers/database.ts';
import { pointName } from '../servers/host-names.ts';
import { installedPostgres } from '../../helpers/servers/local-cluster.ts';

const scratch = '/mnt/servers-test';
const hostsFile = '/mnt/hosts';
const password = 'S3cretOfTheRehearsal';
const domain = 'abcdefghijkl.us-east-1.rds.amazonaws.com';
const instanceEndpoint = `with-dlv.${domain}`;
const writerEndpoint = `three.cluster-${domain}`;
const readerEndpoint = `three.cluster-ro-${domain}`;
const member = (number: number): string => `three-instance-${number}`;

let authority: Authority;
let otherAuthority: Authority;
let instance: Database;
let cluster: Database;
let psqlProgram: string;

beforeAll(async () => {
  [authority, otherAuthority] = await Promise.all([
    makeAuthority(path.join(scratch, 'ours')),
    makeAuthority(path.join(scratch, 'other')),
  ]);
  let last = 1;
  const common = {
    user: 'pgduet',
    password,
    databaseName: 'pgduet',
    authority,
    hostsFile,
    folder: path.join(scratch, 'databases'),
    nextAddress: () => `127.0.0.${++last}`,
  };
  [instance, cluster] = await Promise.all([
    startDatabase({
      ...common,
      identifier: 'with-dlv',
      endpoints: { kind: 'instance', endpoint: instanceEndpoint },
      settings: { track_wal_io_timing: '1' },
    }),
    startDatabase({
      ...common,
      identifier: 'three',
      endpoints: {
        kind: 'cluster',
        writer: writerEndpoint,
        reader: readerEndpoint,
        members: Object.fromEntries([1, 2, 3].map((number) => [member(number), `${member(number)}.${domain}`])),
      },
    }),
  ]);
  psqlProgram = path.join((await installedPostgres()).folder, 'psql');
  writeFileSync(path.join(scratch, 'pgpass'), `*:*:*:pgduet:${password}\n`, { mode: 0o600 });
});
afterAll(() => Promise.all([instance.stop(), cluster.stop()]));

interface Access {
  host?: string;
  user?: string;
  mode?: 'verify-full' | 'disable';
  trusted?: Authority;
}

/** Connects like a client on the driver, through libpq. */
function psql(statement: string, access: Access = {}): Promise<CommandResult> {
  const { host = instanceEndpoint, user = 'pgduet', mode = 'verify-full', trusted = authority } = access;
  return runCommand(
    [
      ...[psqlProgram, '--no-psqlrc', '--no-password', '--no-align', '--tuples-only'],
      ...[`--host=${host}`, `--username=${user}`, `--command=${statement}`, 'pgduet'],
    ],
    {
      environment: {
        PATH: process.env['PATH'],
        LC_ALL: 'C',
        PGCONNECT_TIMEOUT: '10',
        PGPASSFILE: path.join(scratch, 'pgpass'),
        PGSSLMODE: mode,
        PGSSLROOTCERT: trusted.certificate,
      },
    },
  );
}

async function ask(statement: string, access: Access = {}): Promise<string> {
  const { exitCode, stdout, stderr } = await psql(statement, access);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout.trim();
}

async function refusal(access: Access): Promise<string> {
  const { exitCode, stderr } = await psql('SELECT 1', access);
  expect(exitCode).toBe(2);
  return stderr;
}

const sleepers = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'";

const addressOf = async (name: string): Promise<string> => (await lookup(name)).address;

describe('a database instance', () => {
  it('takes its clients by TLS that is verified to its name', async () => {
    expect(await ask('SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()')).toBe('TLSv1.3');
    expect(readFileSync(instance.serverLogs['with-dlv'] ?? '', 'utf8')).toMatch(
      /connection authorized: user=pgduet .*SSL enabled \(protocol=TLSv1\.3/,
    );
  });

  it('is refused by a client that knows it under another name', async () => {
    const alias = `another.${domain}`;
    pointName(hostsFile, alias, await addressOf(instanceEndpoint));
    expect(await refusal({ host: alias })).toContain(`does not match host name "${alias}"`);
  });

  it('is refused by a client that trusts another authority', async () => {
    expect(await refusal({ trusted: otherAuthority })).toContain('certificate verify failed');
  });

  it('refuses a connection that is not encrypted, as rds.force_ssl does', async () => {
    expect(await refusal({ mode: 'disable' })).toMatch(/no pg_hba\.conf entry for host .*, no encryption/);
  });

  it('refuses its superuser over the network', async () => {
    expect(await refusal({ user: 'rdsadmin' })).toContain('pg_hba.conf rejects connection');
  });

  it('has a master user that is no superuser, but owns the database and may do a checkpoint', async () => {
    expect(
      await ask(`SELECT rolsuper, rolcreatedb, rolcreaterole, pg_has_role('rds_superuser', 'member')
        FROM pg_roles WHERE rolname = current_user`),
    ).toBe('f|t|t|t');
    expect(await ask('SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()')).toBe(
      'pgduet',
    );
    expect(await ask('CHECKPOINT')).toBe('CHECKPOINT');
    const { stderr } = await psql('ALTER SYSTEM SET fsync = off');
    expect(stderr).toContain('permission denied to set parameter "fsync"');
  });

  it('has the settings that were asked for', async () => {
    expect(await ask('SHOW track_wal_io_timing')).toBe('on');
  });

  it.each(['fast', 'immediate'] as const)(
    'cuts its clients off at a restart (%s) and is back with its data',
    async (mode) => {
      await ask(`CREATE TABLE before_${mode} AS SELECT 42 AS answer`);
      const sleeping = psql('SELECT pg_sleep(60)');
      await expect.poll(() => ask(sleepers)).toBe('1');
      const startedAt = await ask('SELECT pg_postmaster_start_time()');
      await instance.restart(mode);
      expect((await sleeping).stderr).toMatch(/server closed the connection unexpectedly|terminating connection/);
      expect(await ask('SELECT pg_postmaster_start_time()')).not.toBe(startedAt);
      expect(await ask(`SELECT answer FROM before_${mode}`)).toBe('42');
    },
  );

  it('presents the certificate of another authority when told to, and again its own', async () => {
    await instance.changeAuthority(otherAuthority);
    expect(await refusal({})).toContain('certificate verify failed');
    expect(await ask('SELECT 1', { trusted: otherAuthority })).toBe('1');
    await instance.changeAuthority(authority);
    expect(await ask('SELECT 1')).toBe('1');
  });

  it('shows its password to nobody who lists processes', async () => {
    const { stdout } = await runCommand(['ps', '-eo', 'args']);
    expect(stdout).toContain('/postgres -D ');
    expect(stdout).not.toContain(password);
  });
});

describe('a Multi-AZ cluster', () => {
  const writer = { host: writerEndpoint };
  const reader = { host: readerEndpoint };
  const recovering = 'SELECT pg_is_in_recovery()';

  it('has a writer with two standbys, one of which a commit waits for', async () => {
    expect(await ask(recovering, writer)).toBe('f');
    expect(await ask('SELECT application_name, sync_state FROM pg_stat_replication ORDER BY 1', writer)).toBe(
      `${member(2)}|quorum\n${member(3)}|quorum`,
    );
  });

  it('has a reader endpoint, where what was written can be read but nothing written', async () => {
    await ask('CREATE TABLE written AS SELECT 1 AS n', writer);
    await expect.poll(async () => (await psql('SELECT n FROM written', reader)).stdout).toBe('1\n');
    expect((await psql('CREATE TABLE refused ()', reader)).stderr).toContain('read-only transaction');
  });

  it('can be reached at every member by its own name', async () => {
    const names = [1, 2, 3].map((number) => `${member(number)}.${domain}`);
    const answers = names.map((host) => ask(`${recovering}, current_setting('cluster_name')`, { host }));
    expect(await Promise.all(answers)).toEqual([`f|${member(1)}`, `t|${member(2)}`, `t|${member(3)}`]);
  });

  it('fails over to a standby: clients are cut off, the endpoints move, the others follow', async () => {
    const sleeping = psql('SELECT pg_sleep(60)', writer);
    await expect.poll(() => ask(sleepers, writer)).toBe('1');
    await cluster.failOver(member(2));

    expect((await sleeping).exitCode).not.toBe(0);
    expect(cluster.writer()).toBe(member(2));
    expect(await addressOf(writerEndpoint)).toBe(await addressOf(`${member(2)}.${domain}`));
    expect(await addressOf(readerEndpoint)).toBe(await addressOf(`${member(1)}.${domain}`));
    expect(await ask('INSERT INTO written VALUES (2) RETURNING n', writer)).toContain('2');
    expect(await ask('SELECT application_name, sync_state FROM pg_stat_replication ORDER BY 1', writer)).toBe(
      `${member(1)}|quorum\n${member(3)}|quorum`,
    );
    for (const number of [1, 3]) {
      const host = `${member(number)}.${domain}`;
      await expect.poll(() => ask('SELECT count(*) FROM written', { host })).toBe('2');
    }
  });

  it('fails over back again, and refuses to fail over to its writer or to a stranger', async () => {
    await expect(cluster.failOver(member(2))).rejects.toThrow('is the writer of three already');
    await expect(cluster.failOver(member(4))).rejects.toThrow('three has no instance three-instance-4');
    await cluster.failOver(member(1));
    expect(await ask(recovering, writer)).toBe('f');
    expect(await ask('SELECT count(*) FROM written', writer)).toBe('2');
  });

  it('loses nothing that was committed when it fails over under load', async () => {
    await ask('CREATE TABLE counted (n bigint)', writer);
    const writes = Array.from({ length: 4 }, () =>
      psql('DO $$ BEGIN FOR n IN 1..1000000 LOOP INSERT INTO counted VALUES (n); COMMIT; END LOOP; END $$', writer),
    );
    await expect.poll(async () => Number(await ask('SELECT count(*) FROM counted', writer))).toBeGreaterThan(100);
    const before = Number(await ask('SELECT count(*) FROM counted', writer));
    await cluster.failOver(member(3));
    for (const { exitCode } of await Promise.all(writes)) expect(exitCode).not.toBe(0);
    const after = await ask('SELECT count(*) FROM counted', writer);
    expect(Number(after)).toBeGreaterThanOrEqual(before);
    expect(await ask('SELECT count(*) FROM counted', reader)).toBe(after);
  });

  it('is back whole after a restart', async () => {
    await cluster.restart('immediate');
    expect(await ask('INSERT INTO written VALUES (3) RETURNING n', writer)).toContain('3');
    expect(await ask('SELECT count(*) FROM pg_stat_replication', writer)).toBe('2');
  });
});

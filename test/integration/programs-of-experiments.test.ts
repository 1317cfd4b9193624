import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { withConnection } from '../../runner/postgres/connect.ts';
import { connectionString, type Target } from '../../runner/postgres/target.ts';
import { serverUser } from '../../runner/process/rights.ts';
import { runChecked } from '../../runner/process/run-command.ts';
import { findProgram } from '../../runner/workloads/hammerdb/program/find-program.ts';
import { startSession } from '../../runner/workloads/hammerdb/session.ts';
import { ownDataGenerator } from '../../runner/workloads/own-data/generator.ts';
import { ownDataSchema } from '../../runner/workloads/own-data/schema.ts';
import { resolveLevel } from '../../runner/workloads/pgbench/schema.ts';
import type { LoadGenerator } from '../../runner/workloads/load-generator.ts';
import { launcher } from '../helpers/processes/command-line.ts';
import { type LocalCluster, queryOn, startLocalCluster } from '../helpers/servers/local-cluster.ts';

/** Says who runs it, and with what, in a file of the name that it is given, which is whole at once. */
const probe = `#!/bin/sh
told="$(dirname "$0")/told"
{ id -u; grep NoNewPrivs /proc/self/status; env; } > "$told/$1.$$"
mv "$told/$1.$$" "$told/$1"
cat > /dev/null
`;

const { signal } = new AbortController();
/** Everybody may enter it. */
const folder = mkdtempSync(path.join(tmpdir(), 'probe-'));
const program = path.join(folder, 'probe');
let cluster: LocalCluster;
let target: Target;

beforeAll(async () => {
  chmodSync(folder, 0o755);
  mkdirSync(path.join(folder, 'told'));
  chmodSync(path.join(folder, 'told'), 0o777);
  writeFileSync(program, probe, { mode: 0o755 });
  chmodSync(program, 0o755);
  vi.stubEnv('CANARY', 'of the caller');
  vi.stubEnv('HOME', '/home/of-the-caller');
  vi.stubEnv('PATH', `${process.env['PATH'] ?? ''}:/path/of-the-caller`);
  cluster = await startLocalCluster({
    fsync: 'off',
    archive_mode: 'on',
    archive_command: `${program} archive_command`,
  });
  target = { ...cluster.target, database: 'own' };
  await queryOn(cluster.target, 'CREATE DATABASE own');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await cluster.remove();
  rmSync(folder, { recursive: true });
});

function expectHarmless(way: string): void {
  const [user, ...lines] = readFileSync(path.join(folder, 'told', way), 'utf8')
    .trim()
    .split('\n');
  expect({ way, user }).toEqual({ way, user: String(serverUser().uid) });
  expect(user).not.toBe('0');
  if (process.platform === 'linux') expect(lines).toContain('NoNewPrivs:\t1');
  expect(lines.filter((line) => line.includes('of-the-caller') || line.includes('of the caller'))).toEqual([]);
  expect(lines.filter((line) => line.startsWith('HOME=')).filter((line) => line !== 'HOME=/nonexistent')).toEqual([]);
}

function generator(load: object, script: string): LoadGenerator {
  writeFileSync(path.join(cluster.folder, 'mix.sql'), script, { mode: 0o600 });
  const workload = ownDataSchema.parse({
    tool: 'own-data',
    clients: 1,
    transactions: 1,
    load,
    scripts: [{ file: 'mix.sql' }],
  });
  const where = { programs: cluster.programs, scriptFolder: cluster.folder, collect: [] };
  return ownDataGenerator({ ...where, workload: resolveLevel(workload) });
}

const load = { sql: ['t.sql'] };

/** How an SQL file can run a program. */
const sqlFiles: Record<string, string> = {
  bang: '\\! PROBE bang',
  'bang-in-variable': `\\set bang '\\\\! PROBE bang-in-variable'\n:bang`,
  g: 'SELECT 1 \\g |PROBE g',
  'g-with-options': 'SELECT 1 \\g (format=unaligned) |PROBE g-with-options',
  o: `\\o |PROBE o\nSELECT 1;\n\\o`,
  'o-quoted': `\\o '|PROBE o-quoted'\nSELECT 1;\n\\o`,
  w: `SELECT 1\n\\w |PROBE w\n;`,
  'copy-to': `\\copy (SELECT 1) TO PROGRAM 'PROBE copy-to'`,
  'copy-from': `\\copy t FROM program'PROBE copy-from'`,
  backticks: '\\set x `PROBE backticks`\nSELECT 1;',
  'edit-by-variable': `\\setenv PSQL_EDITOR 'PROBE edit-by-variable;:'\nSELECT 1\n\\e\n;`,
  'copy-on-server': `COPY (SELECT 1) TO PROGRAM 'PROBE copy-on-server';`,
  'copy-in-dollars': 'COPY (SELECT 1) TO PROGRAM $$PROBE copy-in-dollars$$;',
  do: `DO $do$ BEGIN EXECUTE 'COPY (SELECT 1) TO ' || 'PRO' || $$GRAM 'PROBE do'$$; END $do$;`,
  gexec: `SELECT 'COPY (SELECT 1) TO PROGRAM ''PROBE gexec''' \\gexec`,
};

describe('a program of an experiment runs without the rights, the environment and the home of the caller', () => {
  it.each(Object.keys(sqlFiles))('in an SQL file: %s', async (way) => {
    const text = (sqlFiles[way] ?? '').replaceAll('PROBE', program);
    writeFileSync(path.join(cluster.folder, 't.sql'), `CREATE TABLE t (x text);\n${text}\n`, { mode: 0o600 });
    await generator(load, 'SELECT 1;\n').load(target, { folder: cluster.folder, signal, onProgress: () => undefined });
    expectHarmless(way);
  });

  it.each(['shell', 'setshell'])('in a script: \\%s', async (way) => {
    const command = way === 'shell' ? `\\shell ${program} shell` : `\\setshell x ${program} setshell && echo 1`;
    const one = generator(load, `${command}\nSELECT 1;\n`);
    const tried = path.join(cluster.folder, way);
    mkdirSync(tried);
    await one.tryScripts?.(target, { folder: tried, signal });
    expectHarmless(way);
    rmSync(path.join(folder, 'told', way));
    await one.warmUp(target, { folder: tried, seconds: 1, seed: 1, signal, onProgress: () => undefined });
    expectHarmless(way);
  });

  it.each(['plain', 'custom'])('in a dump: %s', async (format) => {
    const file = path.join(cluster.folder, `dump.${format}`);
    await withConnection(cluster.target, async (client) => {
      await client.query('DROP DATABASE IF EXISTS source');
      await client.query('CREATE DATABASE source');
    });
    const source = { ...target, database: 'source' };
    const body = `BEGIN COPY (SELECT 1) TO PROGRAM '${program} ${format}'; RETURN true; END`;
    await withConnection(source, async (client) => {
      await client.query(`CREATE FUNCTION tells() RETURNS boolean LANGUAGE plpgsql AS $$${body}$$`);
      // An index allows only such a function, but does not look into it.
      const outer = 'BEGIN RETURN public.tells(); END';
      await client.query(`CREATE FUNCTION told() RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$${outer}$$`);
      await client.query('CREATE TABLE t AS SELECT 1 AS x');
      await client.query('CREATE INDEX ON t ((public.told()))');
    });
    await runChecked(
      [`${cluster.programs}/pg_dump`, `--format=${format}`, `--file=${file}`, connectionString(source)],
      {
        environment: { ...source.environment },
      },
    );
    rmSync(path.join(folder, 'told', format));
    chmodSync(file, 0o600);
    const one = generator({ dump: `dump.${format}` }, 'SELECT 1;\n');
    await one.load(target, { folder: cluster.folder, signal, onProgress: () => undefined });
    expectHarmless(format);
  });

  it('in a parameter of the server', async () => {
    await queryOn(target, 'SELECT pg_switch_wal()');
    await expect.poll(() => existsSync(path.join(folder, 'told/archive_command')), { timeout: 60_000 }).toBe(true);
    expectHarmless('archive_command');
  });

  it('in an archive of HammerDB', async () => {
    const release = path.join(folder, 'HammerDB-9');
    mkdirSync(release);
    const main = path.join(release, 'hammerdbcli');
    writeFileSync(main, `#!/bin/sh\nexec ${program} hammerdb\n`);
    chmodSync(main, 0o6755);
    const archive = path.join(cluster.folder, 'release.tar.gz');
    execFileSync('tar', ['--create', '--gzip', `--file=${archive}`, `--directory=${folder}`, 'HammerDB-9']);
    chmodSync(archive, 0o600);
    const environment = { XDG_CACHE_HOME: path.join(folder, 'cache') };
    const install = await findProgram({ archive, environment, signal });
    await startSession({ install, script: 'exit', limitSeconds: 60, signal }).ended;
    const [user, ...lines] = readFileSync(path.join(folder, 'told/hammerdb'), 'utf8').trim().split('\n');
    expect(user).toBe(String(serverUser().uid));
    expect(lines).toContain('NoNewPrivs:\t1');
    expect(lines.join('\n')).not.toMatch(/of.the.caller/);
    const { stdout } = await runChecked(['find', path.dirname(install), '-printf', '%m %U\n'], {});
    const own = process.getuid?.() ?? 0;
    for (const line of stdout.trim().split('\n')) expect(line).toMatch(new RegExp(`^[0-7]?7[05][05] ${own}$`));
  });
});

it.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
  'without setpriv, doctor says that programs of an experiment may gain rights',
  () => {
    const without = 'mount --bind /dev/null /usr/bin/setpriv && exec "$@"';
    const { stdout } = spawnSync(
      'unshare',
      ['--mount', 'sh', '-c', without, 'sh', process.execPath, launcher, 'doctor'],
      {
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], HOME: folder, NO_COLOR: '1' },
      },
    );
    expect(stdout.replace(/\s+/g, ' ')).toContain('setpriv was not found, or does not work here. Install util-linux.');
  },
);

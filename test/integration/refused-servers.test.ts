import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, it, onTestFinished, test } from 'vitest';
import { freePort } from '../../runner/places/local/start-server.ts';
import { serverUser } from '../../runner/process/rights.ts';
import { runCommand } from '../../runner/process/run-command.ts';
import { waitUntil } from '../../runner/process/wait-until.ts';
import { oneBlock, tinyRun } from '../helpers/processes/tiny-run.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';
import { queryOn } from '../helpers/servers/local-cluster.ts';
import { Services } from '../helpers/servers/services.ts';

const [one, two] = [clusterForAll(), clusterForAll()];
const services = new Services();
beforeAll(async () => {
  await services.addRole('good', one);
  await services.addRole('other', two);
  await services.addRole('same', one);
  await services.addRole('may-not-create', one, {}, '');
  await services.addRole('reads', one);
  await queryOn(one.target, 'ALTER ROLE reads SET default_transaction_read_only = on');
  await services.addRole('is-limited', one, {}, 'CREATEDB CONNECTION LIMIT 0');
  const { host, port } = one.target;
  services.add('wrong-password', { host, port, user: 'good', dbname: 'postgres', passfile: '/dev/null' });
  services.add('no-database', { host, port, user: 'good', dbname: 'nowhere' });
  services.add('no-server', { host, port: await freePort(), user: 'good', dbname: 'postgres' });
  services.add('no-tls', {
    host,
    port,
    user: 'good',
    dbname: 'postgres',
    sslmode: 'verify-full',
    sslrootcert: '/dev/null',
  });
});

async function refusalOf(...servers: readonly string[]): Promise<{ exitCode: number | null; refusal: string }> {
  const tiny = tinyRun();
  tiny.define(oneBlock);
  const args = ['load-run', 'tiny', '--servers', servers.join(','), '--quiet'];
  const { exitCode, stderr } = await tiny.runAs({ environment: services.environment }, ...args).ended;
  return { exitCode, refusal: stderr.replaceAll(/\s+/g, ' ') };
}

it.each([
  ['nobody', 2, 'definition of service "nobody" not found'],
  ['wrong-password', 2, 'no password supplied'],
  ['no-database', 2, 'database "nowhere" does not exist'],
  ['no-tls', 2, 'reaches no server'],
  ['is-limited', 2, 'too many connections for role'],
  ['may-not-create', 2, 'ALTER ROLE … CREATEDB'],
  ['reads', 2, 'read-only'],
  ['no-server', 3, 'Connection refused'],
  ['same', 2, 'are the same server'],
])('%s is refused before anything is made on a server', async (service, expected, words) => {
  const { exitCode, refusal } = await refusalOf('good', service);
  expect({ exitCode, refusal }).toEqual({ exitCode: expected, refusal: expect.stringContaining(words) as string });
  expect(refusal).not.toContain('secret of');
  for (const { target } of [one, two]) {
    const { rows } = await queryOn(target, "SELECT datname FROM pg_database WHERE datname LIKE 'pgduet%tiny%'");
    expect(rows).toEqual([]);
  }
});

test('a server that others use is refused, unless the user says otherwise; then the result says so', async () => {
  const busy = queryOn(two.target, 'SELECT pg_sleep(60)').catch(() => undefined);
  onTestFinished(async () => {
    await queryOn(
      two.target,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ '^SELECT pg_sleep'",
    );
    await busy;
  });
  const { exitCode, refusal } = await refusalOf('good', 'other');
  expect({ exitCode, refusal }).toEqual({
    exitCode: 2,
    refusal: expect.stringMatching(
      /Others use these servers.* other: .*1 transaction open all the time.*--allow-activity/,
    ) as string,
  });
  const tiny = tinyRun();
  tiny.define(oneBlock);
  const args = ['load-run', 'tiny', '--servers', 'good,other', '--allow-activity'];
  const allowed = await tiny.runAs({ environment: services.environment }, ...args).ended;
  expect(allowed.exitCode, allowed.stderr).toBe(0);
  expect(allowed.stdout.replaceAll(/\s+/g, ' ')).toContain('Others use a server: other');
});

test('a pooler is refused if it takes no options or in transaction mode, and measured in session mode', async (context) => {
  // CI has installed it.
  context.skip(
    process.env['PGDUET_NEEDS_CHROMIUM'] === undefined && spawnSync('pgbouncer', ['--version']).error !== undefined,
  );
  await pooled('without-options', 'session', '');
  expect((await refusalOf('good', 'without-options')).refusal).toContain('ignore_startup_parameters');
  await pooled('by-transaction', 'transaction');
  const { exitCode, refusal } = await refusalOf('good', 'by-transaction');
  expect({ exitCode, refusal }).toEqual({
    exitCode: 2,
    refusal: expect.stringContaining('a pooler uses another session for each transaction') as string,
  });
  await pooled('by-session', 'session');
  expect(await refusalOf('good', 'by-session')).toMatchObject({ exitCode: 0 });
});

/** A PgBouncer before the second server. */
async function pooled(service: string, mode: 'transaction' | 'session', ignored = 'options'): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pooler-'));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const { host, port: behind } = two.target;
  const configuration = path.join(folder, 'pgbouncer.ini');
  writeFileSync(
    configuration,
    [
      '[databases]',
      `* = host=${host} port=${behind} user=other password='secret of other'`,
      '[pgbouncer]',
      ...[`listen_addr = ${host}`, `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = any'],
      ...[
        `pool_mode = ${mode}`,
        `ignore_startup_parameters = ${ignored}`,
        'max_client_conn = 100',
        'default_pool_size = 20',
        'server_reset_query = DISCARD ALL',
      ],
    ].join('\n'),
  );
  const { uid, gid } = serverUser();
  const pooler = spawn('pgbouncer', ['--quiet', configuration], {
    stdio: 'ignore',
    ...(process.getuid?.() === 0 && { uid, gid }),
  });
  onTestFinished(() => {
    pooler.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });
  services.add(service, { host, port, user: 'other', dbname: 'postgres' }, 'any');
  const environment = { ...process.env, ...services.environment };
  const answers = async (): Promise<boolean> => {
    const { exitCode } = await runCommand([path.join(two.programs, 'pg_isready'), '-q', '-d', `service=${service}`], {
      environment,
    });
    return exitCode === 0;
  };
  await waitUntil(answers, { seconds: 20, everyMs: 100 });
}

import { execSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { onFolders, type TinyRun, tinyRun } from '../helpers/processes/tiny-run.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';
import { queryOn } from '../helpers/servers/local-cluster.ts';
import { Services } from '../helpers/servers/services.ts';
import { counting, openShop } from '../helpers/servers/shop.ts';

/** A server that logs each call, as text, as CSV and as JSON. */
const cluster = clusterForAll({
  ...counting,
  logging_collector: true,
  log_destination: 'stderr,csvlog,jsonlog',
  log_directory: 'log',
  log_filename: 'server.log',
  log_line_prefix: '%m [%p] %q%u@%d ',
  log_min_duration_statement: 0,
});
const services = new Services();
/** Folder of the server’s data. */
let data = '';

beforeAll(async () => {
  await openShop(cluster, 1200);
  const { rows } = await queryOn<{ data: string }>(cluster.target, "SELECT current_setting('data_directory') AS data");
  data = rows[0]?.data ?? '';
  await services.addRole('shop', cluster, { dbname: cluster.target.database });
  await queryOn(cluster.target, 'GRANT pg_read_all_data, pg_read_all_stats TO shop');
  await queryOn(cluster.target, 'GRANT ALL ON orders, customer TO shop');
  // Sent as drivers do: the values apart from the statement. Both values belong together.
  for (let id = 1; id <= 30; id += 1) {
    const text = `It's ${id}: "a\\b"\n:id, $1 = '${id}'`;
    await queryOn(cluster.target, 'SELECT $1::text || $2::int AS pair', [text, id]);
  }
}, 120_000);

const printed = z.object({
  dumpCommand: z.string(),
  statements: z.array(
    z.object({
      ...{ name: z.string().nullable(), text: z.string(), calls: z.number() },
      reason: z.object({ code: z.string() }).nullable(),
      notes: z.array(z.object({ code: z.string(), value: z.number().nullable() })),
    }),
  ),
});

const log = (ending: string): string => path.join(data, 'log', `server${ending}`);

async function loadOf(tiny: TinyRun, ...options: string[]) {
  const command = tiny.runAs({ environment: services.environment }, 'workload', 'from', 'shop', '--json', ...options);
  const { exitCode, stderr, stdout } = await command.ended;
  expect(exitCode, stderr).toBe(0);
  const { statements, dumpCommand } = printed.parse(JSON.parse(stdout));
  const scriptOf = (part: string): string => {
    const name = statements.find(({ text }) => text.includes(part))?.name;
    return readFileSync(path.join(tiny.folder, 'experiments/shop', `${name ?? 'none'}.sql`), 'utf8');
  };
  return { statements, dumpCommand, scriptOf };
}

describe.each(['.log', '.csv', '.json'])('a log that ends in %s', (ending) => {
  it('has the values that were sent, also where statistics have none, and those that belong together', async () => {
    const { statements, scriptOf } = await loadOf(tinyRun(), '--log', log(ending), '--writes');
    const found = (part: string) => statements.find(({ text }) => text.includes(part));
    // All calls have this pattern, so 1 of 5,000 customers.
    expect(scriptOf('email LIKE')).toContain("email LIKE E'user12\\u0025'");
    expect(scriptOf('date_trunc(')).toContain("date_trunc(E'day', placed)");
    const pairs = [...scriptOf('AS pair').matchAll(/E'It\\u0027s (\d+)\\u003a.*?::text \|\| E'(\d+)'::int/g)];
    expect(new Set(pairs.map(([, one]) => Number(one))).size).toBe(30);
    for (const [, one, other] of pairs) expect(one).toBe(other);
    const byCustomer = scriptOf('SELECT * FROM customer WHERE id =');
    expect(byCustomer.match(/WHERE id = \d+/g)).toHaveLength(
      Math.min(100, found('SELECT * FROM customer WHERE id =')?.calls ?? 0),
    );
    // A key of a row that is there is not stored again.
    expect(found('INSERT INTO visit')?.notes.map(({ code }) => code)).not.toContain('logged');
  });
});

it('scripts with the values of a log can be run', async () => {
  const tiny = tinyRun();
  const { dumpCommand } = await loadOf(tiny, '--log', log('.log'));
  execSync(dumpCommand, { cwd: tiny.folder, env: { ...process.env, ...services.environment } });
  const { exitCode, stderr } = await tiny.run('load-run', 'shop', '--profile', 'smoke', ...onFolders.slice(1)).ended;
  expect(exitCode, stderr).toBe(0);
  tiny.expectNothingLeft();
});

it.each([
  ['that is not there', () => 'no.log'],
  ['without statements', () => path.join(data, 'PG_VERSION')],
])('a log %s is refused before anything is written', async (_, file) => {
  const tiny = tinyRun();
  const command = ['workload', 'from', 'shop', '--log', file()];
  const { exitCode, stderr } = await tiny.runAs({ environment: services.environment }, ...command).ended;
  expect(exitCode).toBe(2);
  expect(stderr).toContain(file());
  expect(readdirSync(path.join(tiny.folder, 'experiments'))).toEqual(['tiny.yaml']);
});

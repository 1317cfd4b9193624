import { execSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { onFolders, type TinyRun, tinyRun } from '../helpers/processes/tiny-run.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';
import { dumpAll } from '../helpers/servers/dump-all.ts';
import { queryOn } from '../helpers/servers/local-cluster.ts';
import { Services } from '../helpers/servers/services.ts';
import { counting, openShop } from '../helpers/servers/shop.ts';

const cluster = clusterForAll(counting);
const services = new Services();

beforeAll(async () => {
  await openShop(cluster);
  const dbname = cluster.target.database;
  await services.addRole('shop', cluster, { dbname });
  await services.addRole('stranger', cluster, { dbname });
  await services.addRole('elsewhere', cluster, { dbname: 'template1' });
  await queryOn(cluster.target, 'GRANT pg_read_all_data, pg_read_all_stats TO shop');
  await queryOn(cluster.target, 'GRANT ALL ON orders, customer, pgbench_accounts TO shop');
}, 120_000);

const printed = z.object({
  written: z.array(z.string()),
  dumpCommand: z.string().nullable(),
  covered: z.object({ statements: z.number(), calls: z.number(), time: z.number() }),
  statements: z.array(
    z.object({
      name: z.string().nullable(),
      text: z.string(),
      calls: z.number(),
      callShare: z.number(),
      weight: z.number().nullable(),
      reason: z.object({ code: z.string() }).nullable(),
      notes: z.array(z.object({ code: z.string() })),
    }),
  ),
});

function runHere(tiny: TinyRun, ...args: string[]) {
  return tiny.runAs({ environment: services.environment }, ...args).ended;
}

async function loadOf(tiny: TinyRun, ...options: string[]): Promise<z.output<typeof printed>> {
  const { exitCode, stderr, stdout } = await runHere(tiny, 'workload', 'from', 'shop', '--json', ...options);
  expect(exitCode, stderr).toBe(0);
  return printed.parse(JSON.parse(stdout));
}

/** Rows that sessions have written in all databases, as the server counts them. */
async function writtenRows(): Promise<unknown> {
  const { rows } = await queryOn(
    cluster.target,
    'SELECT sum(tup_inserted + tup_updated + tup_deleted) AS rows FROM pg_stat_database',
  );
  return rows[0];
}

describe('the load of a server', () => {
  it('becomes scripts with the shares that it has there, and a run of them finishes', async () => {
    const tiny = tinyRun();
    const before = [dumpAll(cluster), await writtenRows()];
    const { statements, covered, written, dumpCommand } = await loadOf(tiny, '--writes');
    expect([dumpAll(cluster), await writtenRows()]).toEqual(before);

    expect(covered.statements).toBeGreaterThanOrEqual(35);
    expect(covered.calls).toBeGreaterThan(0.85);
    const scripted = statements.filter(({ name }) => name !== null);
    expect(scripted).toHaveLength(covered.statements);
    const calls = scripted.reduce((sum, one) => sum + one.calls, 0);
    const weights = scripted.reduce((sum, { weight }) => sum + (weight ?? 0), 0);
    for (const { weight, calls: own, text } of scripted) {
      if (own / calls > 0.01) expect(Math.abs((weight ?? 0) / weights - own / calls), text).toBeLessThan(0.02);
    }
    // The values in scripts are of somebody's data.
    const modes = written.slice(1).map((file) => statSync(path.join(tiny.folder, file)).mode & 0o777);
    expect(new Set(modes)).toEqual(new Set([0o600]));

    execSync(dumpCommand ?? '', { cwd: tiny.folder, env: { ...process.env, ...services.environment } });
    const { exitCode, stderr } = await runHere(tiny, 'load-run', 'shop', '--profile', 'smoke', ...onFolders.slice(1));
    expect(exitCode, stderr).toBe(0);
    expect(existsSync(path.join(tiny.folder, 'results/shop/latest/report.html'))).toBe(true);
    tiny.expectNothingLeft();
  });

  it('is only read, unless --writes is given, and each statement that is left out is named with its reason', async () => {
    const tiny = tinyRun();
    const { statements } = await loadOf(tiny);
    const reasonOf = (part: string) => statements.find(({ text }) => text.includes(part))?.reason?.code ?? null;
    expect(statements.filter(({ name, text }) => name !== null && /insert|update|delete/i.test(text))).toEqual([]);
    expect(reasonOf('UPDATE orders')).toBe('writes');
    expect(reasonOf('FOR UPDATE')).toBe('writes');
    expect(reasonOf('nextval')).toBe('volatile');
    expect(reasonOf('email LIKE')).toBe('pattern');
    expect(reasonOf('date_trunc')).toBe('value-unknown');
    expect(reasonOf('INSERT INTO pgbench_history')).toBe('writes');
    expect(statements.every(({ name, reason }) => (name === null) !== (reason === null))).toBe(true);
    // Transactions, other commands, and what asks for the catalogue, are no statements of the load.
    expect(statements.filter(({ text }) => /^(begin|commit|end|vacuum)|pg_class/i.test(text))).toEqual([]);
    const yaml = readFileSync(path.join(tiny.folder, 'experiments/shop.yaml'), 'utf8');
    expect(yaml).toContain('reset: [checkpoint]');
  });

  it('does not count what pg_dump asks sequences for', async () => {
    await queryOn(cluster.target, 'SELECT last_value, is_called FROM public.visit_id_seq');
    const { statements } = await loadOf(tinyRun());
    expect(statements.filter(({ text }) => text.includes('is_called'))).toEqual([]);
  });

  it('is planned with drawn values where the role may change the table, and said to be untried elsewhere', async () => {
    const { statements } = await loadOf(tinyRun(), '--writes');
    const notes = (part: string) => statements.find(({ text }) => text.includes(part))?.notes.map(({ code }) => code);
    expect(notes('UPDATE customer SET balance')).toEqual(['step-one']);
    expect(notes('DELETE FROM visit')).toContain('unplanned');
    // Of a table without statistics, it knows nothing to insert.
    expect(statements.find(({ text }) => text.includes('INSERT INTO pgbench_history'))?.reason?.code).toBe(
      'no-statistics',
    );
  });

  it('never replaces a file', async () => {
    const tiny = tinyRun();
    tiny.put('shop.yaml', 'mine');
    const { exitCode, stderr } = await runHere(tiny, 'workload', 'from', 'shop');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('experiments/shop.yaml');
    expect(readFileSync(path.join(tiny.folder, 'experiments/shop.yaml'), 'utf8')).toBe('mine');
  });
});

describe('is refused', () => {
  it.each<[string, string, string[]]>([
    ['a service that libpq does not know', 'nobody', ['nobody']],
    ['a database without the extension', 'elsewhere', ['template1', 'CREATE EXTENSION', 'shared_preload_libraries']],
    ['a role that sees only its own statements', 'stranger', ['GRANT pg_read_all_stats TO stranger']],
  ])('%s', async (_, service, parts) => {
    const tiny = tinyRun();
    const { exitCode, stderr } = await runHere(tiny, 'workload', 'from', service);
    expect(exitCode, stderr).toBe(2);
    for (const part of parts) expect(stderr.replaceAll(/\s+/g, ' ')).toContain(part);
    expect(readdirSync(path.join(tiny.folder, 'experiments'))).toEqual(['tiny.yaml']);
  });

  it.each([
    ['a dump that is not there', ['--dump', 'no.dump'], 'no.dump'],
    ['a name that no experiment can have', ['--name', 'My Shop'], 'My Shop'],
  ])('%s', async (_, options, part) => {
    const { exitCode, stderr } = await runHere(tinyRun(), 'workload', 'from', 'shop', ...options);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(part);
  });
});

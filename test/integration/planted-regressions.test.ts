import { execSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { pairsIn } from '../../runner/report/answer/answers.ts';
import { changedScripts } from '../../runner/report/sections/scripts.ts';
import type { Result } from '../../runner/contract/result.ts';
import { partOf, scriptTime } from '../../runner/contract/metric.ts';
import { onFolders, type TinyRun, tinyRun } from '../helpers/processes/tiny-run.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';
import { queryOn } from '../helpers/servers/local-cluster.ts';
import { Services } from '../helpers/servers/services.ts';
import { counting, openShop } from '../helpers/servers/shop.ts';
import { isThorough, repeats } from '../helpers/repeats.ts';

/** The load of a shop, measured with and without something that makes statements slower. */
const cluster = clusterForAll(counting);
const other = clusterForAll({ autovacuum: false });
const services = new Services();

beforeAll(async () => {
  await openShop(cluster);
  await services.addRole('shop', cluster, { dbname: cluster.target.database });
  await services.addRole('one', cluster);
  await services.addRole('two', other);
  await queryOn(cluster.target, 'GRANT pg_read_all_data, pg_read_all_stats TO shop');
}, 120_000);

interface Planted {
  /** SQL that one variant has. */
  prepare: string | undefined;
  /** The statements that it makes slower. */
  slower: RegExp;
  /** Further ones that it may change. */
  touched: RegExp;
}

const none = /(?!)/;
const index: Planted = { prepare: 'DROP INDEX orders_by_time', slower: /placed (between|>=)/i, touched: none };
/** As if the column had one value: then no index on it is of use. */
const statistics: Planted = {
  prepare: `ALTER TABLE orders ALTER COLUMN customer SET STATISTICS 1;
    ALTER TABLE orders ALTER COLUMN customer SET (n_distinct = 1);
    ANALYZE orders;`,
  slower: /from orders where customer = \S+ order by/i,
  touched: /orders.*customer/is,
};
const nothing: Planted = { prepare: undefined, slower: none, touched: none };

const byService = ['--servers', 'as-it-is=one,changed=two', '--allow-activity'];

/** Writes the experiment anew, with trials as short as they can be. Twelve blocks are enough for forty statements. */
async function experimentOf(tiny: TinyRun, { prepare }: Planted): Promise<void> {
  const { exitCode, stderr, stdout } = await run(tiny, 'workload', 'from', 'shop', '--json');
  expect(exitCode, stderr).toBe(0);
  const { dumpCommand } = JSON.parse(stdout) as { dumpCommand: string };
  execSync(dumpCommand, { cwd: tiny.folder, env: { ...process.env, ...services.environment } });
  const file = path.join(tiny.folder, 'experiments/shop.yaml');
  const { workload, ...written } = parse(readFileSync(file, 'utf8')) as { workload: object };
  const changed = {
    ...written,
    variants: { 'as-it-is': {}, changed: prepare === undefined ? {} : { prepare } },
    baseline: 'as-it-is',
    // With one client, no statement waits for another.
    workload: { ...workload, clients: 1, threads: 1, durationSeconds: 3 },
    protocol: { blocks: 12, warmUpSeconds: 1 },
    profiles: {},
  };
  writeFileSync(file, stringify(changed));
}

function run(tiny: TinyRun, ...args: string[]) {
  return tiny.runAs({ environment: services.environment }, ...args).ended;
}

/** The text of each script that the report names. */
async function namedIn(tiny: TinyRun, planted: Planted, where: readonly string[]) {
  await experimentOf(tiny, planted);
  const { exitCode, stderr } = await run(tiny, 'load-run', 'shop', ...where);
  expect(exitCode, stderr).toBe(0);
  const folder = path.join(tiny.folder, 'results/shop/latest');
  const result = JSON.parse(readFileSync(path.join(folder, 'result.json'), 'utf8')) as Result;
  const [own = []] = pairsIn(result.comparisons);
  const found = changedScripts(own, { pairs: 1, threshold: 0.05 });
  const textsOf = (some: readonly { metric: string; change: number | null }[] = []): string[] =>
    some.map(({ metric, change }) => {
      const name = partOf(scriptTime, metric) ?? '';
      return `-- ${change}\n${readFileSync(path.join(tiny.folder, 'experiments', `${name}.sql`), 'utf8')}`;
    });
  return {
    verdict: own.find(({ primary }) => primary)?.verdict,
    judged: found?.judged.length,
    slower: textsOf(found?.slower),
    faster: textsOf(found?.faster),
    explained: textsOf(found?.explained),
  };
}

const cases: [what: string, planted: Planted, where: readonly string[]][] = [
  ['an index that is dropped on one of two servers', index, byService],
  ['a column whose statistics are wrong', statistics, onFolders],
  ['nothing, on two servers', nothing, byService],
  ['nothing, on this machine', nothing, onFolders],
];

// Each takes two minutes: `npm run lab -- planted` carries out all, five times each.
describe.each(cases.slice(0, repeats(cases.length)))('of %s', (_, planted, where) => {
  it.each(Array.from({ length: repeats(5) }, (__, index) => index + 1))(
    'a report names the statements that got slower, and no other (%s)',
    { timeout: 600_000 },
    async () => {
      const found = await namedIn(tinyRun(), planted, where);
      if (isThorough) process.stdout.write(`${JSON.stringify(found)}\n`);
      // Beside other tests, what other programs took may explain what was seen.
      const named = isThorough ? found.slower : [...found.slower, ...found.explained];
      const slower = named.filter((text) => planted.slower.test(text));
      expect(slower.length, JSON.stringify(found)).toBeGreaterThanOrEqual(planted === nothing ? 0 : 1);
      const wrong = [...found.slower, ...found.faster].filter(
        (text) => !planted.slower.test(text) && !planted.touched.test(text),
      );
      expect(wrong, JSON.stringify(found)).toEqual([]);
    },
  );
});

import fc from 'fast-check';
import pg from 'pg';
import { expect, test } from 'vitest';
import type { ParameterValue } from '../../runner/contract/experiment/variant.ts';
import { startProblems } from '../../runner/places/local/parameters.ts';
import { withConnection } from '../../runner/postgres/connect.ts';
import { formsOf, parameterProblem } from '../../runner/postgres/parameters/judge.ts';
import { unitsLike } from '../../runner/postgres/setting-units.ts';
import type { ParameterForm } from '../../runner/postgres/versions/form.ts';
import { supportedMajors, knowledgeOf } from '../../runner/postgres/versions/known.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';
import { startLocalCluster } from '../helpers/servers/local-cluster.ts';
import { repeats } from '../helpers/repeats.ts';

const cluster = clusterForAll();

/** Parameters for which a server looks at more than the value: at the machine, its build, or other parameters. */
const judgedByHooks = [
  ...['bonjour', 'huge_page_size', 'ssl', 'transaction_isolation', 'max_stack_depth', 'vacuum_buffer_usage_limit'],
  ...['recovery_prefetch', 'dynamic_shared_memory_type', 'shared_memory_type', 'io_method', 'wal_sync_method'],
  // Since 17, these must be multiples of 16.
  ...['commit_timestamp', 'multixact_member', 'multixact_offset', 'notify'].map((what) => `${what}_buffers`),
  ...['serializable_buffers', 'subtransaction_buffers', 'transaction_buffers'],
  ...['default_toast_compression', 'wal_compression', 'data_directory', 'allow_alter_system', 'io_max_concurrency'],
];

const blank = fc.constantFrom('', '', '', ' ', '  ', '\t');
const digits = fc.oneof(
  fc.integer({ min: -10, max: 100 }).map(String),
  fc.integer().map(String),
  fc.constantFrom(...'0 -1 +7 010 08 0x10 0x 0x1.8p3 0x.8 0x10p1 0x1. 1.5 .5 -.5 1. 1e3 1e 2.5e2 00 1_000'.split(' ')),
  fc.double({ min: -100, max: 100_000, noNaN: true }).map(String),
);
const words = fc.constantFrom(
  ...['', ' on', ...'on off ON Of o true T tru y no n 1 0 2 offf cheap none full local replica Minimal'.split(' ')],
  ...'debug debug2 inf nan infinity auto try remote_apply'.split(' '),
);
const unit = fc.constantFrom(...'B kB KB MB mb GB TB us ms s min h d XB ss 8kB %'.split(' '));

/** Values of a parameter: of its own kind, at the ends of its range, or of any other kind. */
function valuesOf({
  min_val: min,
  max_val: max,
  enumvals: values = [],
  unit: own,
}: ParameterForm): fc.Arbitrary<string> {
  // The servers' processes share this maximum.
  const edges = [min, max === 262_143 ? undefined : max].filter(
    (one) => one !== undefined && Math.abs(one) < 1e15,
  ) as number[];
  const near = edges.flatMap((one) => [one - 1, one, one + 1]).map(String);
  return fc.oneof(
    digits,
    words,
    fc.tuple(blank, digits, blank, unit, blank).map((parts) => parts.join('')),
    fc.tuple(digits, fc.constantFrom(...(own === undefined ? ['s'] : unitsLike(own)))).map((parts) => parts.join('')),
    ...(near.length > 0 ? [fc.constantFrom(...near)] : []),
    ...(values.length > 0 ? [fc.constantFrom(...values, ...values.map((one) => one.toUpperCase()))] : []),
  );
}

test('the judgement about names and values is that of a server', async () => {
  const { major, target } = cluster;
  expect(major).toBeGreaterThanOrEqual(supportedMajors.first);
  const judged = [...knowledgeOf(major).parameters.keys()].flatMap((name) => {
    const [form] = formsOf(name, major);
    const isJudged = form && form.vartype !== 'string' && form.context !== 'internal' && !name.includes('.');
    return isJudged && !judgedByHooks.includes(name) ? [{ name, form }] : [];
  });
  expect(judged.length).toBeGreaterThan(150);
  const samples = judged.flatMap(({ name, form }) =>
    fc.sample(valuesOf(form), { numRuns: repeats(8, 0.5), seed: 32 }).map((value) => ({ name, value })),
  );
  const disagreements = await withConnection(target, async (client) => {
    const found: string[] = [];
    for (const { name, value } of samples) {
      const refusal = await client.query(`ALTER SYSTEM SET ${name} TO ${pg.escapeLiteral(value)}`).then(
        () => null,
        (error: unknown) => String(error),
      );
      const problem = parameterProblem(name, value, major);
      if ((refusal === null) !== (problem === null))
        found.push(`${name} = '${value}': ${refusal ?? 'taken'}; ${problem?.message ?? 'taken'}`);
    }
    await client.query('ALTER SYSTEM RESET ALL');
    return found;
  });
  expect(disagreements).toEqual([]);
  expect(samples.length).toBeGreaterThan(600);
});

test('every parameter that the server has is known, and no other', async () => {
  const names = await withConnection(cluster.target, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "SELECT lower(name) AS name FROM pg_settings WHERE name NOT LIKE '%.%'",
    );
    return rows.map(({ name }) => name);
  });
  const known = [...knowledgeOf(cluster.major).parameters.keys()].filter((name) => !name.includes('.'));
  expect(known.sort()).toEqual(names.sort());
});

test.each<Record<string, ParameterValue>>([
  { max_wal_size: '24MB' },
  { wal_segment_size: '64MB', min_wal_size: 127 },
  { wal_level: 'minimal' },
  { max_connections: 3 },
])('a server does not start with %j, as foreseen', async (parameters) => {
  expect(startProblems({ engine: { version: undefined, parameters } }, 0)).toHaveLength(1);
  await expect(startLocalCluster(parameters)).rejects.toThrow(/does not start with the parameters/);
});

test.each<Record<string, ParameterValue>>([
  { max_wal_size: '32MB', min_wal_size: '32MB' },
  { wal_segment_size: '1MB', min_wal_size: 2, max_wal_size: 2 },
  { wal_level: 'minimal', max_wal_senders: 0 },
  { max_connections: 4 },
])('a server starts with %j', async (parameters) => {
  expect(startProblems({ engine: { version: undefined, parameters } }, 0)).toEqual([]);
  const other = await startLocalCluster(parameters);
  await other.remove();
});

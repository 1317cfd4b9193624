import { describe, expect, it, test } from 'vitest';
import { codesIn, problemsIn, smallExperiment } from '../helpers/samples/experiment-file.ts';

const small = smallExperiment();
const { workload } = small;

/** A change of an experiment without mistakes, and what is wrong then. */
type Case = [what: string, changes: object, ...problems: string[]];

const cluster = { deployment: 'multi-az-cluster', class: 'db.r6gd.2xlarge', dedicatedLogVolume: false };
const local = { storage: { type: 'local' } };
const climbing = { workload: { ...workload, clients: [2, 4] } };
const reason = 'HammerDB fills its caches on the way up';
const target = { metric: 'latency.p95', milliseconds: 5 };
const withB = (changes: object): object => ({ variants: { a: {}, b: { ...small.variants['b'], ...changes } } });
const index = 'CREATE INDEX ON pgbench_accounts (abalance)';
const storage = (type: string, sizeGib: number, iops?: number): object => ({ storage: { type, sizeGib, iops } });
const scripts = [{ builtin: 'select-only' }, { builtin: 'tpcb-like', weight: 2 }];
const sampled = { ...workload, scripts, samplingRate: 0.1, latencyLimitMs: 5, rate: 100 };

const cases: Record<string, Case[]> = {
  'a key or a word': [
    ['a tag that EC2 would not show to the driver', { tags: { 'cost center': 'lab' } }, 'wrong-key tags.cost center'],
    [
      'a profile’s key',
      { profiles: { smoke: { workload: { clents: 2 } } } },
      'unknown-key profiles.smoke.workload.clents',
    ],
    ['a key that is missing', { question: undefined }, 'missing question'],
    ['a word that is none of the choices', { protocol: { order: 'randm' } }, 'wrong-value protocol.order'],
    ['another name than that of the file', { name: 'other' }, 'wrong-value name'],
  ],
  'a protocol': [
    ['that looks too late', { protocol: { until: 'precision', blocks: 6 } }, 'first-look protocol.blocks'],
    ['precision without its stop', { protocol: { precision: 0.1 } }, 'precision-until protocol.precision'],
    ['futility without its stop', { protocol: { stopForFutility: true } }, 'futility-until protocol.stopForFutility'],
    ['a crossover of odd periods', { protocol: { crossover: true, blocks: 7 } }, 'crossover-blocks protocol.blocks'],
    [
      'one exchange in odd blocks',
      { protocol: { crossover: { exchanges: 1 }, blocks: 7 } },
      'crossover-blocks protocol.blocks',
    ],
    [
      'no exchange',
      { protocol: { crossover: { exchanges: 0 }, blocks: 6 } },
      'wrong-value protocol.crossover.exchanges',
    ],
    ['a crossover in words', { protocol: { crossover: 'thrice' } }, 'wrong-value protocol.crossover'],
    [
      'a crossover that may stop',
      { protocol: { crossover: true, blocks: 12, until: 'precision' } },
      'crossover-until protocol.crossover',
    ],
    [
      'a crossover of three',
      { variants: { a: {}, b: { dedicatedLogVolume: true }, c: {} }, protocol: { crossover: true, blocks: 12 } },
      'crossover-variants protocol.crossover',
    ],
    [
      'a crossover of two that differ in more',
      { ...withB({ class: 'db.r6g.large' }), protocol: { crossover: true, blocks: 12 } },
      'crossover-variants protocol.crossover',
    ],
    [
      'a crossover on this machine',
      { common: local, protocol: { crossover: true, blocks: 12 } },
      'crossover-place protocol.crossover',
    ],
    [
      'replicas of a crossover',
      { protocol: { replicas: 3, crossover: true, blocks: 18 } },
      'replica-crossover protocol.replicas',
    ],
    ['replicas on this machine', { common: local, protocol: { replicas: 2 } }, 'replica-place protocol.replicas'],
    ['too many replicas', { protocol: { replicas: 21 } }, 'wrong-value protocol.replicas'],
    ['no length of a trial', { workload: { ...workload, durationSeconds: undefined } }, 'trial-length workload'],
    [
      'two lengths of a trial',
      { workload: { ...workload, transactions: 5 } },
      'trial-length-twice workload.transactions',
    ],
  ],
  'a ladder': [
    ['that rises without a reason', { ...climbing, ladder: { order: 'rising' } }, 'rising-reason ladder.order'],
    ['in random order with a reason', { ...climbing, ladder: { reason } }, 'random-reason ladder.reason'],
    [
      'that rises and falls',
      { workload: { ...workload, clients: [4, 2] }, ladder: { order: 'rising', reason } },
      'rising-order ladder.order',
    ],
    ['of one step with a knee', { ladder: { stopPastKneeAfter: 2 } }, 'one-level ladder.stopPastKneeAfter'],
    ['of one step with a target', { ladder: { target } }, 'one-level ladder.target'],
    [
      'whose target a sample decides',
      { workload: { ...climbing.workload, samplingRate: 0.1 }, ladder: { target } },
      'metric-workload ladder.target.metric',
    ],
    [
      'that ends behind its end',
      { ...climbing, ladder: { stopPastKneeAfter: 10 } },
      'knee-blocks ladder.stopPastKneeAfter',
    ],
    [
      'that stops for two reasons',
      { ...climbing, ladder: { stopPastKneeAfter: 2 }, protocol: { until: 'precision' } },
      'knee-until ladder.stopPastKneeAfter',
    ],
  ],
  'what decides': [
    [
      'a script that is not there',
      { workload: { ...workload, scripts }, decision: { metric: 'latency.p99', script: 'tpcb' } },
      'deciding-script decision.script',
    ],
    ['a script of one', { decision: { metric: 'latency.p99', script: 'tpcb-like' } }, 'one-script decision.script'],
    [
      'a metric that scripts do not have',
      { workload: { ...workload, scripts }, decision: { metric: 'tps.p10', script: 'tpcb-like' } },
      'script-metric decision.metric',
    ],
    [
      'a log that nobody keeps',
      { workload: { ...workload, scripts }, decision: { metric: 'latency.p99', script: 'tpcb-like' }, collect: [] },
      'metric-collected decision.metric',
    ],
    [
      'a share without a threshold',
      { workload: { ...workload, latencyLimitMs: 5 }, decision: { metric: 'latency.withinLimit' } },
      'threshold-of-difference decision.practicalThreshold',
    ],
    [
      'a percentile of a sample',
      { workload: sampled, decision: { metric: 'latency.p99' } },
      'metric-workload decision.metric',
    ],
    ['a lag of a sample', { workload: sampled, decision: { metric: 'lag.p95' } }, 'metric-workload decision.metric'],
    [
      'a script’s percentile of a sample',
      { workload: sampled, decision: { metric: 'latency.p50', script: 'tpcb-like' } },
      'metric-workload decision.metric',
    ],
    [
      'a script’s share of a sample',
      {
        workload: sampled,
        decision: { metric: 'latency.withinLimit', script: 'tpcb-like', practicalThreshold: 0.001 },
      },
      'metric-workload decision.metric',
    ],
    ...[
      { metric: 'latency.withinLimit', practicalThreshold: 0.001 },
      { metric: 'lag.p99' },
      { metric: 'lag.average' },
      { metric: 'latency.connection' },
    ].map((decision): Case => [
      `${decision.metric} where it is not measured`,
      { decision },
      'metric-workload decision.metric',
    ]),
    [
      'a sample of no log',
      { workload: { ...workload, samplingRate: 0.1 }, collect: [] },
      'wrong-value workload.samplingRate',
    ],
    [
      'a limit that pgbench takes for none',
      { workload: { ...workload, latencyLimitMs: 0.0005 } },
      'wrong-value workload.latencyLimitMs',
    ],
    [
      'a script twice',
      { workload: { ...workload, scripts: [{ builtin: 'tpcb-like' }, { builtin: 'tpcb-like' }] } },
      'script-names workload.scripts.1',
    ],
  ],
  'a variant': [
    ['a log volume on gp3', withB(storage('gp3', 500)), 'log-volume-storage variants.b.dedicatedLogVolume'],
    [
      'a log volume on a cluster',
      withB({ ...cluster, dedicatedLogVolume: true }),
      'cluster-log-volume variants.b.dedicatedLogVolume',
    ],
    [
      'a version before the log volume',
      withB({ engine: { version: '14.6' } }),
      'log-volume-version variants.b.engine.version',
    ],
    [
      'a version before those that are measured',
      { common: { ...local, engine: { version: '9.6' } } },
      'measurable-version common.engine.version',
    ],
    ['a version without minor', withB({ engine: { version: '16' } }), 'minor-version variants.b.engine.version'],
    ['many IOPS for the size', withB(storage('io1', 100, 6000)), 'iops-per-gib variants.b.storage.iops'],
    ['few IOPS', withB(storage('io2', 1000, 900)), 'storage-range variants.b.storage.iops'],
    [
      'IOPS on a small gp3',
      withB({ ...storage('gp3', 100, 4000), dedicatedLogVolume: false }),
      'gp3-iops-fixed variants.b.storage.iops',
    ],
    [
      'a cluster without NVMe',
      withB({ deployment: 'multi-az-cluster', dedicatedLogVolume: false }),
      'cluster-class common.class',
    ],
    [
      'throughput on a cluster',
      withB({ ...cluster, storage: { type: 'gp3', sizeGib: 500, iops: 12_000, throughputMibps: 600 } }),
      'cluster-throughput variants.b.storage.throughputMibps',
    ],
    [
      'gp3 on a cluster without IOPS',
      withB({ ...cluster, ...storage('gp3', 500) }),
      'cluster-iops-missing common.storage.iops',
    ],
    ['small gp3 on a cluster', withB({ ...cluster, ...storage('gp3', 100) }), 'cluster-gp3 variants.b.storage.type'],
    [
      'many IOPS on a cluster',
      withB({ ...cluster, ...storage('io2', 100, 6000) }),
      'cluster-iops variants.b.storage.iops',
    ],
    [
      'a log volume without a limit',
      { common: { storage: { type: 'local', iops: 600 } } },
      'log-volume-limit common.storage.logVolumeIops',
    ],
    [
      'standbys on one machine',
      { common: { ...local, deployment: 'multi-az-instance' } },
      'local-deployment common.deployment',
    ],
    [
      'a standby without a limit',
      { common: { storage: { type: 'local', iops: 600, logVolumeIops: 300, standbys: 1 } } },
      'standby-limit common.storage.standbyIops',
    ],
    [
      'standbys that it names itself',
      {
        common: {
          storage: { type: 'local', standbys: 1 },
          engine: { parameters: { synchronous_standby_names: '' } },
        },
      },
      'parameter-start common.engine.parameters.synchronous_standby_names',
    ],
    ['three standbys', { common: { storage: { type: 'local', standbys: 3 } } }, 'wrong-value common.storage.standbys'],
    [
      'PgBouncer in RDS',
      withB({ pooler: { mode: 'transaction', poolSize: 4 } }),
      'pooler-place variants.b.pooler.mode',
    ],
    [
      'RDS Proxy on this machine',
      { common: { ...local, pooler: { mode: 'rds-proxy' } } },
      'pooler-place common.pooler.mode',
    ],
    [
      'a share of connections above all of them',
      withB({ pooler: { mode: 'rds-proxy', maxConnectionsPercent: 101 } }),
      'wrong-value variants.b.pooler.maxConnectionsPercent',
    ],
    [
      'RDS Proxy before a Multi-AZ cluster',
      withB({ ...cluster, pooler: { mode: 'rds-proxy' } }),
      'cluster-proxy variants.b.pooler',
    ],
    [
      'a pool in session mode that is smaller than the clients',
      { common: { ...local, pooler: { mode: 'session', poolSize: 1 } } },
      'pooler-session common.pooler.poolSize',
    ],
    [
      'a place that a profile moves',
      { profiles: { mixed: withB({ ...local, engine: { version: 'installed' } }) } },
      'one-place profiles.mixed.variants.b.storage.type',
    ],
    [
      'parameters that are not those of a server',
      withB({
        engine: {
          version: '16.15',
          parameters: { client_encoding: 'LATIN1', application_name: 'shop', DateStyle: 'ISO' },
        },
      }),
      'parameter variants.b.engine.parameters.application_name',
      'parameter variants.b.engine.parameters.client_encoding',
      'wrong-key variants.b.engine.parameters.DateStyle',
    ],
    ['no statement', withB({ prepare: '' }), 'wrong-value variants.b.prepare'],
    ['an empty list of statements', withB({ prepare: [] }), 'wrong-value variants.b.prepare'],
    ['a file that is not there', withB({ prepare: 'indexes.sql' }), 'named-file variants.b.prepare'],
    ['a file with blanks in its name', withB({ prepare: 'my indexes.sql' }), 'prepare-sql variants.b.prepare'],
    ['a folder that is not there', withB({ prepare: ['migrations/'] }), 'prepare-folder variants.b.prepare.0'],
    ['a script that is not there', withB({ scripts: [{ file: 'look.sql' }] }), 'named-file variants.b.scripts.0.file'],
    [
      'one script twice',
      withB({ scripts: [{ builtin: 'select-only' }, { builtin: 'select-only' }] }),
      'script-names variants.b.scripts.1',
    ],
    [
      'scripts of pgbench’s tables for own data',
      {
        workload: {
          tool: 'own-data',
          load: { sql: ['a.sql'] },
          scripts: [{ file: 'b.sql' }],
          clients: 2,
          durationSeconds: 5,
        },
        ...withB({ scripts: [{ builtin: 'select-only' }] }),
      },
      'named-file workload.load.sql.0',
      'named-file workload.scripts.0.file',
      'script-by-variant variants.b.scripts',
    ],
    [
      'scripts for a tool with its own',
      {
        workload: { tool: 'orders', warehouses: 1, clients: 2, durationSeconds: 5 },
        ...withB({ scripts: [{ builtin: 'select-only' }] }),
      },
      'script-by-variant variants.b.scripts',
    ],
    ['a command of psql', withB({ prepare: '\\i indexes.sql' }), 'prepare-sql variants.b.prepare'],
    [
      'a statement that a comma ended',
      withB({ prepare: ['CREATE INDEX ON pgbench_accounts (bid', 'abalance)'] }),
      'prepare-sql variants.b.prepare',
    ],
    ...[{ snapshot: 'loaded' }, { keep: true }].map((data): Case => [
      `an index where variants hold one snapshot: ${Object.keys(data).join()}`,
      { ...withB({ prepare: index }), data },
      'prepare-restored variants.b.prepare',
    ]),
  ],
};

describe.each(Object.entries(cases))('%s', (_, rows) => {
  it.each(rows)('is refused: %s', (_what, changes, ...problems) => {
    expect([...new Set(codesIn({ ...small, ...changes }))].sort()).toEqual(problems);
  });
});

test.each([
  [{ until: 'precision', blocks: 6 }, '8'],
  [{ crossover: true, blocks: 7 }, '6'],
  [{ crossover: { exchanges: 1 }, blocks: 7 }, '2'],
])('with the protocol %j, the number is named that would be right', (protocol, number) => {
  expect(problemsIn({ ...small, protocol })[0]?.message.split(/\W/)).toContain(number);
});

test.each([
  ['2min', '120'],
  ['500ms', '0.5'],
  ['5parsecs', 'without a unit'],
  ['1.2.3s', 'expected a number'],
])('a duration of %s is never taken for as many seconds', (value, end) => {
  const [problem] = problemsIn({ ...small, protocol: { warmUpSeconds: value } });
  expect(problem).toMatchObject({
    path: 'protocol.warmUpSeconds',
    message: expect.stringMatching(`${end}$`) as string,
  });
});

// Found by a reviewer: a mistake of the same kind at the same key hid that of the profile.
test('what is wrong in a profile is told beside the same mistake in the file, and that of the file once', () => {
  const found = problemsIn({
    ...small,
    workload: { ...workload, durationSeconds: 'six' },
    protocol: { blocks: 'four' },
    profiles: { short: { protocol: { blocks: 'seven' } } },
  });
  expect(found.map(({ path, value }) => `${path} ${value}`)).toEqual([
    'workload.durationSeconds "six"',
    'protocol.blocks "four"',
    'profiles.short.protocol.blocks "seven"',
  ]);
});

describe('a hostile file', () => {
  const refusedAtOnce = (content: unknown, refused: RegExp): void => {
    const before = process.cpuUsage();
    expect(() => {
      throw new Error(problemsIn(content)[0]?.message);
    }).toThrow(refused);
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1);
  };
  const multiplied = Array.from({ length: 12 }, (_, level) =>
    level === 0 ? 'a0: &a0 [x, x, x, x, x, x, x, x, x]' : `a${level}: &a${level} [${`*a${level - 1}, `.repeat(9)}]`,
  );
  const lines = (name: string, count: number): string =>
    Array.from({ length: count }, (_, index) => `${name}${index}: 1\n`).join('');
  const tooMany = /contains more than 5,000 keys and values/;

  test.each([
    ['aliases that multiply each other', multiplied.join('\n'), tooMany],
    ['an alias that holds itself', 'name: small\na: &a [1, [*a]]\n', /^a refers to itself/],
    ['very many keys', lines('plans', 300_000), /has [\d,]+ KiB; an experiment has no more than 256/],
    ['very many keys of few bytes', lines('k', 6000), tooMany],
    ['very many aliases of values', `a: &a x\nb: [${'*a,'.repeat(40_000)}]\n`, tooMany],
    ['very many aliases of merged maps', `a: &a {x: 1}\nb: {${'<<: *a,'.repeat(20_000)}}\n`, tooMany],
    ['nothing', '', /contains no experiment: expected a map of keys/],
    ['a key twice', 'name: small\nname: other\n', /duplicate key/],
  ])('of %s is refused within a second', (_, text, refused) => refusedAtOnce(text, refused));

  test('of a matrix that makes millions of variants is refused within a second, with their number', () => {
    const values = Object.fromEntries(Array.from({ length: 10 }, (_, axis) => [`v${axis}`, {}]));
    const matrix = Object.fromEntries(Array.from({ length: 10 }, (_, axis) => [`f${axis}`, values]));
    refusedAtOnce(
      { ...small, matrix },
      /2 variants × 10 × .* values make 20,000,000,000 variants, more than the maximum of 500;/,
    );
  });

  test('with a key that changes all maps is refused', () => {
    refusedAtOnce('name: small\n__proto__: { polluted: 1 }\n', /__proto__ cannot be a key/);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

test('a script that is not there is named before anything is measured, in the profile that needs it', () => {
  const own = { ...small, profiles: { own: { workload: { scripts: [{ file: 'no-such.sql' }] } } } };
  expect(codesIn(own)).toEqual([]);
  expect(codesIn(own, 'own')).toEqual(['named-file profiles.own.workload.scripts.0.file']);
});

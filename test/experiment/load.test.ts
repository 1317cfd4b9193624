import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { keptCosts } from '../../runner/rds/prices/estimate.ts';
import { deployable } from '../../runner/rds/deploy/deployable.ts';
import { experimentNames } from '../../runner/experiment/file/find.ts';
import { fullProfile, loadExperiment } from '../../runner/experiment/file/load.ts';
import { applyProfile } from '../../runner/experiment/file/profiles.ts';
import { designOf } from '../../runner/experiment/plan/design.ts';
import { makePlan } from '../../runner/experiment/plan/plan.ts';
import { placeOf } from '../../runner/places/registry.ts';
import { folderWithExperiment, smallExperiment } from '../helpers/samples/experiment-file.ts';

const project = path.resolve(import.meta.dirname, '../..');

function load(content: unknown, profile?: string) {
  return loadExperiment('small', { folder: folderWithExperiment('small', content), profile });
}

test('pgbench gets its variables as they are written: it tells 1.0 from 1, and reads integers beyond those of JavaScript', () => {
  const text = JSON.stringify({
    ...smallExperiment(),
    workload: { ...smallExperiment().workload, variables: { ratio: 'RATIO', big: 'BIG', skew: 1.1, rows: 1000 } },
  });
  const folder = folderWithExperiment('small', {});
  writeFileSync(
    path.join(folder, 'experiments/small.yaml'),
    text.replace('"RATIO"', '1.0').replace('"BIG"', '9007199254740993'),
  );
  const { workload } = loadExperiment('small', { folder }).experiment;
  expect(workload).toMatchObject({ variables: { ratio: '1.0', big: '9007199254740993', skew: 1.1, rows: 1000 } });
});

describe('shipped experiments', () => {
  test.each(experimentNames(project))('%s is right in each of its profiles', (name) => {
    expect(loadExperiment(name, { folder: project }).experiment.name).toBe(name);
  });

  test.each(experimentNames(project))(
    '%s, if it is deployed, may cost more than its plan and less than twice that',
    (name) => {
      const { profiles } = loadExperiment(name, { folder: project });
      for (const profile of profiles) {
        const { experiment } = loadExperiment(name, { folder: project, profile });
        if (!placeOf(experiment).isBilled) continue;
        const { expectedSeconds } = makePlan(experiment, profile);
        const costs = keptCosts(deployable(experiment, profile), expectedSeconds, 'us-east-1');
        const { low = NaN, high = NaN } = costs.run?.dollars ?? {};
        const { dollars } = experiment.limits;
        expect({ profile, dollars, isWithin: dollars !== undefined && high < dollars && dollars < 2 * low }).toEqual({
          profile,
          dollars,
          isWithin: true,
        });
      }
    },
  );

  test.each(experimentNames(project))('%s measures locally whatever PostgreSQL there is', (name) => {
    // It asks about two versions, and needs both.
    if (name === 'version-upgrade') return;
    const { profiles } = loadExperiment(name, { folder: project });
    for (const profile of profiles.filter((one) => one === 'local')) {
      const { variants } = loadExperiment(name, { folder: project, profile }).experiment;
      expect(Object.values(variants).map(({ engine }) => engine.version)).not.toContainEqual(expect.any(String));
    }
  });

  test('there is a file for each of them, a folder for those with files of their own, and the schema', () => {
    const shipped = execFileSync('git', ['ls-files', 'experiments'], { cwd: project, encoding: 'utf8' })
      .trim()
      .split('\n');
    const others = shipped.map((file) => path.relative('experiments', file)).filter((file) => !file.endsWith('.yaml'));
    expect(others.sort()).toEqual(['experiment.schema.json', 'own-data/schema.sql', 'own-data/transaction.sql']);
  });
});

describe('a right file', () => {
  test('gets defaults, and what common says in every variant', () => {
    const { experiment, profile } = load(smallExperiment());
    expect(profile).toBe(fullProfile);
    expect(experiment.variants['a']).toEqual({
      deployment: 'single-az',
      class: 'db.r6g.2xlarge',
      storage: { type: 'io2', sizeGib: 1000, iops: 10_000 },
      dedicatedLogVolume: false,
      engine: { version: '16.15', parameters: {} },
    });
    expect(experiment.variants['b']?.dedicatedLogVolume).toBe(true);
    expect(experiment.protocol).toMatchObject({ blocks: 10, order: 'random' });
    expect(experiment.protocol.reset).toEqual(['truncate-history', 'vacuum', 'checkpoint']);
    expect(experiment.network).toEqual({ mode: 'private' });
  });

  test('without a seed draws one of its own each time; one that is given counts', () => {
    const seeds = Array.from({ length: 20 }, () => load(smallExperiment()).experiment.protocol.seed);
    expect(new Set(seeds).size).toBeGreaterThan(15);
    expect(load({ ...smallExperiment(), protocol: { seed: 7 } }).experiment.protocol.seed).toBe(7);
  });

  test('a profile overrides key by key', () => {
    const { experiment } = load(
      { ...smallExperiment(), profiles: { smoke: { workload: { scale: 1 }, common: { storage: { iops: 2000 } } } } },
      'smoke',
    );
    expect(experiment.workload).toMatchObject({ scale: 1, clients: 4 });
    expect(experiment.variants['b']?.storage).toMatchObject({ sizeGib: 1000, iops: 2000 });
  });

  test('another type of storage replaces the old one instead of mixing with it', () => {
    const { experiment } = load(
      {
        ...smallExperiment(),
        profiles: { local: { common: { storage: { type: 'local', iops: 500, logVolumeIops: 200 } } } },
      },
      'local',
    );
    expect(experiment.variants['a']?.storage).toEqual({
      type: 'local',
      sizeGib: 2,
      iops: 500,
      logVolumeIops: 200,
    });
  });

  test('a profile takes the version of PostgreSQL back by `installed`', () => {
    const profiles = { local: { common: { storage: { type: 'local' }, engine: { version: 'installed' } } } };
    const { experiment } = load({ ...smallExperiment(), variants: { a: {}, b: {} }, profiles }, 'local');
    expect(experiment.variants['a']?.engine.version).toBeUndefined();
    expect(() =>
      load({ ...smallExperiment(), profiles: { full: { common: { engine: { version: 'installed' } } } } }),
    ).toThrow(/engine\.version: missing; set a version such as "16\.15", which any storage that is not local needs/);
  });

  test('a profile removes a key, and a variant, by null', () => {
    const content = {
      ...smallExperiment(),
      common: {
        ...smallExperiment().common,
        engine: { version: '16.15', parameters: { commit_delay: 5, max_wal_size: 9 } },
      },
      variants: { a: {}, b: { dedicatedLogVolume: true }, c: { description: 'once more' } },
      profiles: { few: { common: { engine: { parameters: { commit_delay: null } } }, variants: { c: null, d: null } } },
    };
    const { variants } = load(content, 'few').experiment;
    expect(Object.keys(variants)).toEqual(['a', 'b', 'd']);
    expect(variants['a']?.engine.parameters).toEqual({ max_wal_size: 9 });
    expect(Object.keys(load(content).experiment.variants)).toEqual(['a', 'b', 'c']);
  });

  test('several profiles are applied in the order in which they are named', () => {
    const profiles = {
      replicas: { protocol: { replicas: 3, blocks: 4 }, workload: { scale: 9 } },
      smoke: { workload: { scale: 1 } },
    };
    const { experiment, profile } = load({ ...smallExperiment(), profiles }, 'replicas,smoke');
    expect(profile).toBe('replicas,smoke');
    expect(experiment.protocol).toMatchObject({ replicas: 3, blocks: 4 });
    expect(experiment.workload).toMatchObject({ scale: 1 });
    expect(load({ ...smallExperiment(), profiles }, 'smoke,replicas').experiment.workload).toMatchObject({ scale: 9 });
  });

  test('a mistake that only two profiles together make is found, where the value stands', () => {
    const profiles = { few: { protocol: { blocks: 4 } }, until: { protocol: { until: 'precision' } } };
    expect(() => load({ ...smallExperiment(), profiles }, 'few')).not.toThrow();
    expect(() => load({ ...smallExperiment(), profiles }, 'few,until')).toThrow(/profiles\.few\.protocol\.blocks: 4: /);
  });

  test('a profile that limits trials by transactions takes the duration back', () => {
    const { experiment } = load(
      { ...smallExperiment(), profiles: { published: { workload: { transactions: 100 } } } },
      'published',
    );
    expect(experiment.workload.transactions).toBe(100);
    expect(experiment.workload.durationSeconds).toBeUndefined();
  });

  test('a profile that loads other data takes all back that was said of the load', () => {
    const workload = { tool: 'own-data', load: { sql: ['a.sql'], files: ['a.csv'] }, clients: 2 };
    const dump = { workload: { load: { dump: 'a.dump' } } };
    expect(applyProfile({ workload, profiles: { dump } }, 'dump')).toEqual({
      workload: { ...workload, ...dump.workload },
    });
  });

  test('what excludes each other in the workload of one tool does not in that of another', () => {
    const workload = { tool: 'orders', transactions: 100 };
    expect(applyProfile({ workload, profiles: { short: { workload: { durationSeconds: 1 } } } }, 'short')).toEqual({
      workload: { ...workload, durationSeconds: 1 },
    });
  });
});

describe('names and profiles that do not exist', () => {
  test('of several profiles, the one that is unknown is named', () => {
    expect(() => load({ ...smallExperiment(), profiles: { smoke: {} } }, 'smoke,contrl')).toThrow(
      'has no profile "contrl". It has: full, smoke.',
    );
  });

  test('an unknown profile names those that there are', () => {
    expect(() => load({ ...smallExperiment(), profiles: { smoke: {} } }, 'smok')).toThrow(
      'has no profile "smok". It has: full, smoke. Did you mean "smoke"?',
    );
  });
});

describe('the blocks that a verdict takes', () => {
  const claims = (protocol: object, variants: object) => {
    const { experiment } = load({ ...smallExperiment(), ...variants, protocol });
    const { blocksForVerdict, earliestStop } = designOf(experiment);
    return { blocksForVerdict, earliestStop };
  };
  const parameters = Array.from({ length: 11 }, (_, index) => ({ engine: { parameters: { work_mem: 64 + index } } }));
  const eleven = { variants: Object.fromEntries(parameters.map((one, index) => [`v${index}`, one])), baseline: 'v0' };

  test('of a run that may stop are those of the first look that can have one', () => {
    expect(claims({ until: 'verdict', blocks: 64 }, {})).toEqual({ blocksForVerdict: 6, earliestStop: 6 });
    expect(claims({ until: 'precision', blocks: 56 }, {})).toEqual({ blocksForVerdict: 8, earliestStop: 8 });
    expect(claims({ until: 'verdict', blocks: 30 }, eleven)).toEqual({ blocksForVerdict: 10, earliestStop: 10 });
    expect(claims({ blocks: 64 }, {})).toEqual({ blocksForVerdict: 6, earliestStop: 64 });
  });

  test('are the fewest that can be allowed, where those that are allowed have no look for one', () => {
    expect(claims({ until: 'verdict', blocks: 8 }, eleven)).toEqual({ blocksForVerdict: 9, earliestStop: 8 });
  });
});

describe('warnings', () => {
  test('a crossover of too few blocks for an interval is warned of', () => {
    const variants = { a: {}, b: { dedicatedLogVolume: true } };
    const warnings = (blocks: number, crossover: true | { exchanges: number }) =>
      load({ ...smallExperiment(), variants, protocol: { crossover, blocks } })
        .warnings.map(({ message }) => message)
        .join();
    expect(warnings(12, true)).toContain(
      'protocol.blocks is 12: a verdict needs 18 blocks, two per pair, so that enough remain without any one exchange. With crossover: { exchanges: 1 }, fewer are enough, but no host may change during the run.',
    );
    expect(warnings(18, true)).not.toContain('protocol.blocks');
    expect(warnings(10, { exchanges: 1 })).toContain(
      'protocol.blocks is 10: a verdict needs 12 blocks, two for each pair.',
    );
    expect(warnings(12, { exchanges: 1 })).not.toContain('protocol.blocks');
    // Two exchanges leave the pairs of one, which must be enough.
    expect(warnings(20, { exchanges: 2 })).toContain('a verdict needs 24 blocks');
  });

  test('a log volume on a version that no page names, few blocks, and tps at a fixed rate', () => {
    const experiment = smallExperiment();
    const { warnings } = load({
      ...experiment,
      common: { ...experiment.common, engine: { version: '16.15' } },
      workload: { ...experiment.workload, rate: 100 },
      protocol: { blocks: 3 },
    });
    expect(warnings.map(({ message }) => message).join('\n')).toContain(
      'the RDS documentation does not say whether engine version 16.15 supports a dedicated log volume',
    );
    expect(warnings.map(({ message }) => message).join('\n')).toContain(
      'protocol.blocks is 3: a verdict needs 6 blocks.',
    );
    expect(warnings.map(({ message }) => message).join('\n')).toContain(
      'This run cannot reach a verdict: the fixed rate determines TPS',
    );
  });

  test.each([
    ['runtime', 'runtime', { tool: 'pgbench', scale: 1, clients: 4, transactions: 500, rate: 100 }],
    [
      'newOrders',
      'new orders per minute',
      { tool: 'orders', warehouses: 1, clients: 4, durationSeconds: 60, rate: 20 },
    ],
  ])('%s at a fixed rate: it is what was offered, as TPS is', (metric, label, workload) => {
    const { warnings } = load({ ...smallExperiment(), workload, decision: { metric }, protocol: {} });
    expect(warnings.map(({ message }) => message).join('\n')).toContain(
      `This run cannot reach a verdict: the fixed rate determines ${label}`,
    );
    const { rate: _, ...asFastAsItCan } = workload;
    const free = load({ ...smallExperiment(), workload: asFastAsItCan, decision: { metric }, protocol: {} });
    expect(free.warnings.map(({ message }) => message).join('\n')).not.toContain('the fixed rate');
  });

  test('a parameter that loading would depend on, and that it therefore does not have', () => {
    const variants = {
      a: { engine: { version: '16.15', parameters: { datestyle: 'ISO, MDY', array_nulls: true } } },
      b: {
        engine: {
          version: '16.15',
          parameters: {
            session_replication_role: 'replica',
            array_nulls: false,
            work_mem: '1GB',
            default_text_search_config: 'german',
          },
        },
      },
    };
    const { warnings } = load({ ...smallExperiment(), variants });
    expect(warnings.flatMap(({ id, message }) => (id === 'loading' ? [message] : []))).toEqual([
      "While data is loaded, array_nulls is 'on' on every server, so that all of them have the same data. Your value applies only to trials (b: false).",
      "While data is loaded, session_replication_role is 'origin' on every server, so that all of them have the same data. Your value applies only to trials (b: replica).",
      'The variants differ in default_text_search_config, also while data is loaded, so their data may differ. Set it in the files of workload.load.',
    ]);
  });

  test('a parameter with a program of its own, also if all variants share it', () => {
    const shared = { archive_mode: 'on', archive_command: 'cp %p /srv', restore_command: '', jit: 'on' };
    const { warnings } = load({
      ...smallExperiment(),
      common: { storage: { type: 'local' }, engine: { parameters: shared } },
      variants: {
        a: { engine: { parameters: { session_preload_libraries: 'auto_explain' } } },
        b: { engine: { parameters: { session_preload_libraries: '/srv/mine.so' } } },
      },
    });
    expect(warnings.flatMap(({ id, message }) => (id === 'program-of-parameter' ? [message] : []))).toEqual(
      [
        'The parameter archive_command runs a program on the server: cp %p /srv.',
        'The parameter session_preload_libraries loads a library by its path: /srv/mine.so.',
      ].map((what) => `${what} It is not part of the run’s inputs, so a rerun may measure something different.`),
    );
  });

  test('a script that reaches for what is not kept with the run; with a byte-order mark, it is refused', () => {
    const folder = folderWithExperiment('small', {
      ...smallExperiment(),
      workload: { ...smallExperiment().workload, scripts: [{ file: 'mix.sql' }] },
    });
    const mix = path.join(folder, 'experiments/mix.sql');
    writeFileSync(mix, '\\setshell x date\nSELECT :x;\n');
    expect(
      loadExperiment('small', { folder })
        .warnings.map(({ message }) => message)
        .join(),
    ).toContain('mix.sql runs a program');
    writeFileSync(mix, '\ufeffSELECT 1;\n');
    expect(() => loadExperiment('small', { folder })).toThrow(
      /workload\.scripts\.0\.file: names the file mix\.sql, which begins with a byte-order mark/,
    );
  });
});

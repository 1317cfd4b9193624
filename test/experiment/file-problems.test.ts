import { describe, expect, test } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { folderWithExperiment, smallExperiment } from '../helpers/samples/experiment-file.ts';

function problemsOf(content: unknown, profile?: string): string {
  try {
    loadExperiment('small', { folder: folderWithExperiment('small', content), profile });
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    return (error as UserError).message;
  }
  throw new Error('expected the experiment to be refused');
}

describe('a wrong file', () => {
  const short = (workload: string, protocol: string, profile: string): string =>
    problemsOf(`name: small
question: Is b faster?
variants:
  a: { storage: { type: local } }
  b: { storage: { type: local }, dedicatedLogVolume: true }
baseline: a
workload: { tool: pgbench, scale: 10, clients: 4, ${workload} }
protocol: { ${protocol} }
profiles:
  short: { ${profile} }
`);

  // Found by a reviewer: a mistake of the same kind at the same key hid that of the profile.
  test('says what is wrong in a profile beside the same mistake in the file', () => {
    const problems = short('durationSeconds: six', 'blocks: four', 'protocol: { blocks: seven }');
    expect(problems).toContain(':8:13  protocol.blocks: "four"');
    expect(problems).toContain(':10:24  profiles.short.protocol.blocks: "seven"');
    expect(problems.match(/"six"/g)).toHaveLength(1);
  });

  test.each([
    ['2min', 'warmUpSeconds: "2min": expected a number, without a unit: 120'],
    ['500ms', 'warmUpSeconds: "500ms": expected a number, without a unit: 0.5'],
    ['5parsecs', /warmUpSeconds: "5parsecs": expected a number, without a unit$/m],
    ['1.2.3s', /warmUpSeconds: "1\.2\.3s": expected a number$/m],
  ])('a duration of %s is never taken for as many seconds', (value, words) => {
    const problems = short('durationSeconds: 6', `warmUpSeconds: ${value}`, '');
    if (typeof words === 'string') expect(problems).toContain(words);
    else expect(problems).toMatch(words);
  });

  test('that holds a second document says so', () => {
    expect(problemsOf('name: small\n---\nname: other\n')).toContain(
      'a second document begins here, but a file holds one experiment; remove the line ---',
    );
  });

  test.each([
    ['comon', 'common'],
    ['matix', 'matrix'],
    ['profles', 'profiles'],
  ])('%s is a single mistake: what is below it counts as below %s', (written, meant) => {
    const text = `name: small
question: Is b faster?
common:
  class: db.r6g.2xlarge
  storage: { type: io1, sizeGib: 1000, iops: 10000 }
  engine: { version: '16.4' }
variants:
  a: {}
  b: { dedicatedLogVolume: true }
baseline: a
workload: { tool: pgbench, scale: 10, clients: 4, durationSeconds: 10 }
matrix:
  class: { small: { class: db.r6g.large }, large: null }
profiles:
  short: { workload: { durationSeconds: 5 } }
`;
    const problems = problemsOf(text.replace(new RegExp(`^${meant}:`, 'm'), `${written}:`));
    expect(problems).toMatch(
      new RegExp(
        `has a problem:\n  experiments/small\\.yaml:\\d+:1  ${written}: unknown key; did you mean "${meant}"\\?$`,
      ),
    );
  });

  test('five mistakes are all reported, each with its line, its value and what would be right', () => {
    const message = problemsOf(`name: small
question: Is b faster?
common:
  class: db.r6g.2xlarge
  storage: { type: io3, sizeGib: 1000, iops: 10000 }
  engine: { version: '16.15' }
variants:
  a: {}
  b: { dedicatedLogVolum: true }
baseline: c
workload:
  tool: pgbench
  scale: 0
  clients: 4
  threads: 8
  durationSeconds: 10
`);
    expect(message).toContain('small.yaml has 5 problems');
    expect(message).toContain('small.yaml:5:14  common.storage.type: "io3": expected one of io1, io2, gp3, local');
    expect(message).toContain(
      'small.yaml:9:8  variants.b.dedicatedLogVolum: unknown key; did you mean "dedicatedLogVolume"?',
    );
    expect(message).toContain('small.yaml:10:1  baseline: "c": no such variant; expected one of a, b');
    expect(message).toContain('small.yaml:13:3  workload.scale: 0: expected at least 1');
    expect(message).toContain('small.yaml:15:3  workload.threads: 8: more threads than clients; expected at most 4');
  });

  test('variants at two places are refused, also where a profile moves one of them', () => {
    const small = smallExperiment();
    const [name = ''] = Object.keys(small.variants).slice(-1);
    const moved = { variants: { [name]: { storage: { type: 'local', sizeGib: 2 } } } };
    expect(problemsOf({ ...small, profiles: { mixed: moved } }, 'mixed')).toContain(
      `variants.${name}.storage.type: "local": a has `,
    );
  });

  test('a tag that EC2 would not show to the driver is refused', () => {
    expect(problemsOf({ ...smallExperiment(), tags: { 'cost center': 'lab' } })).toContain(
      'tags.cost center: the name must be letters, digits and + - = . , _ : @ only',
    );
  });

  test.each([
    [{ until: 'precision', blocks: 6 }, {}, /protocol\.blocks: 6: until: precision first looks after 8 blocks/],
    [
      { precision: 0.1 },
      {},
      /protocol\.precision: 0\.1: precision goes only with until: precision; this has until: blocks/,
    ],
    [
      { stopForFutility: true, until: 'blocks' },
      {},
      /protocol\.stopForFutility: true: stopForFutility goes only with until: verdict; this has until: blocks/,
    ],
    [
      { crossover: true, blocks: 7 },
      {},
      /protocol\.blocks: 7: each exchange of the crossover needs as many blocks before it as after it; expected a multiple of 6/,
    ],
    [{ crossover: { exchanges: 1 }, blocks: 7 }, {}, /protocol\.blocks: 7: .*; expected a multiple of 2/],
    [{ crossover: { exchanges: 0 }, blocks: 6 }, {}, /protocol\.crossover\.exchanges: 0: expected at least 1/],
    [{ crossover: 'thrice' }, {}, /protocol\.crossover: "thrice": expected true or false or a map/],
    [
      { crossover: true, until: 'precision' },
      {},
      /protocol\.crossover: true: a crossover cannot stop before its last exchange/,
    ],
    [{ crossover: true }, { c: {} }, /expected two variants that differ only in dedicatedLogVolume/],
    [{ crossover: true }, { b: { class: 'db.r6g.large' } }, /that differ only in dedicatedLogVolume/],
    [
      { crossover: true },
      { a: { storage: { type: 'local' } }, b: { storage: { type: 'local' } } },
      /volumes of this machine cannot be exchanged/,
    ],
    [
      { replicas: 3, crossover: true },
      {},
      /protocol\.replicas: 3: a crossover exchanges the log volumes of two instances; expected 1/,
    ],
    [
      { replicas: 2 },
      { a: { storage: { type: 'local' } }, b: { storage: { type: 'local', logVolumeIops: 100 } } },
      /protocol\.replicas: 2: all servers of this machine share its disks.*expected 1 with local storage/,
    ],
    [{ replicas: 21 }, {}, /protocol\.replicas: 21: expected at most 20/],
  ])('a protocol that cannot be carried out is refused: %j', (protocol, changes: Record<string, object>, message) => {
    const small = smallExperiment();
    const variants = { a: { ...changes['a'] }, b: { dedicatedLogVolume: true, ...changes['b'] } };
    const others = 'c' in changes ? { c: changes['c'] } : {};
    expect(problemsOf({ ...small, variants: { ...variants, ...others }, protocol })).toMatch(message);
  });

  test.each([
    [
      { client_encoding: 'LATIN1' },
      'client_encoding: "LATIN1": clients set it when they connect, so pgduet could not prove it; leave it out, and begin the scripts with SET client_encoding TO LATIN1',
    ],
    [
      { application_name: 'shop' },
      'application_name: "shop": the load generator sets its own when it connects; leave it out',
    ],
    [{ DateStyle: 'ISO' }, 'DateStyle: the name must be a PostgreSQL parameter name in lower case, such as datestyle'],
  ])('parameters %j cannot be those of a server', (parameters, message) => {
    const engine = { version: '16.15', parameters };
    const variants = { a: { engine }, b: { engine: { ...engine, parameters: { client_encoding: 'utf8' } } } };
    const problems = problemsOf({ ...smallExperiment(), variants });
    expect(problems).toContain(`variants.a.engine.parameters.${message}`);
    expect(problems).not.toContain('variants.b');
  });

  test('a mistake in a profile that was not asked for is reported too, at its own line', () => {
    const experiment = { ...smallExperiment(), profiles: { smoke: { workload: { clents: 2 } } } };
    expect(problemsOf(experiment)).toMatch(
      /small\.yaml:\d+:\d+ {2}profiles\.smoke\.workload\.clents: unknown key; did you mean "clients"\?/,
    );
  });

  test('a key that only another tool has is no suggestion', () => {
    const experiment = { ...smallExperiment(), profiles: { smoke: { workload: { duration: 10 } } } };
    expect(problemsOf(experiment)).toContain('workload.duration: unknown key; did you mean "durationSeconds"?');
  });

  test('a missing key is reported where it should stand', () => {
    const { question, ...rest } = smallExperiment();
    expect(question).toBeDefined();
    expect(problemsOf(rest)).toContain('small.yaml:1:1  question: missing; expected a text');
  });

  test('a word that is none of the choices suggests the nearest', () => {
    expect(problemsOf({ ...smallExperiment(), protocol: { order: 'randm' } })).toContain(
      'protocol.order: "randm": expected one of random, fixed, together; did you mean "random"?',
    );
  });

  test.each([
    [
      'a dedicated log volume on gp3',
      { storage: { type: 'gp3', sizeGib: 500 } },
      'a dedicated log volume needs storage type io1 or io2, not gp3',
    ],
    [
      'a dedicated log volume on a cluster',
      { deployment: 'multi-az-cluster', class: 'db.r6gd.2xlarge' },
      'a Multi-AZ cluster cannot have a dedicated log volume',
    ],
    [
      'a minor version from before the log volume',
      { engine: { version: '14.6' } },
      'the dedicated log volume needs PostgreSQL 14.7 or a newer minor version of 14',
    ],
    [
      'a version from before those that pgduet supports',
      { engine: { version: '9.6' }, storage: { type: 'local' } },
      'engine.version: "9.6": pgduet measures only PostgreSQL 14 to 19 and newer; expected one of these',
    ],
    ['a major version without minor', { engine: { version: '16' } }, 'name the minor version too'],
    [
      'too many IOPS for the size',
      { storage: { type: 'io1', sizeGib: 100, iops: 6000 } },
      '60 IOPS per GiB; io1 allows 0.5 to 50: for 100 GiB expected 50 to 5000',
    ],
    ['too few IOPS', { storage: { type: 'io2', sizeGib: 1000, iops: 900 } }, 'io2 allows 1000 to 256000'],
    [
      'IOPS on a small gp3',
      { storage: { type: 'gp3', sizeGib: 100, iops: 4000 }, dedicatedLogVolume: false },
      'gp3 below 400 GiB always has 3,000 IOPS',
    ],
    [
      'a cluster without NVMe',
      { deployment: 'multi-az-cluster', dedicatedLogVolume: false },
      'a Multi-AZ cluster needs a class with local NVMe disks',
    ],
    [
      'throughput on a cluster',
      {
        deployment: 'multi-az-cluster',
        class: 'db.r6gd.2xlarge',
        dedicatedLogVolume: false,
        storage: { type: 'gp3', sizeGib: 500, iops: 12000, throughputMibps: 600 },
      },
      'the throughput of a Multi-AZ cluster follows from its IOPS; leave it out',
    ],
    [
      'gp3 on a cluster without IOPS',
      {
        deployment: 'multi-az-cluster',
        class: 'db.r6gd.2xlarge',
        dedicatedLogVolume: false,
        storage: { type: 'gp3', sizeGib: 500 },
      },
      'storage.iops: missing; set the IOPS: a Multi-AZ cluster needs them on gp3, too',
    ],
    [
      'small gp3 on a cluster',
      {
        deployment: 'multi-az-cluster',
        class: 'db.r6gd.2xlarge',
        dedicatedLogVolume: false,
        storage: { type: 'gp3', sizeGib: 100 },
      },
      'a Multi-AZ cluster cannot have gp3 below 400 GiB',
    ],
    [
      'more IOPS than a cluster takes for its size',
      {
        deployment: 'multi-az-cluster',
        class: 'db.r6gd.2xlarge',
        dedicatedLogVolume: false,
        storage: { type: 'io2', sizeGib: 100, iops: 6000 },
      },
      '60 IOPS per GiB; a Multi-AZ cluster allows 0.5 to 50',
    ],
    [
      'a log volume without a limit beside a limited volume',
      { storage: { type: 'local', iops: 600 } },
      'storage.logVolumeIops: missing: the data volume has a limit',
    ],
    [
      'standbys on local storage',
      { storage: { type: 'local' }, deployment: 'multi-az-instance' },
      'storage of type local is on one machine; expected single-az. For synchronous standbys',
    ],
    [
      'a standby without a limit beside a limited volume',
      { storage: { type: 'local', iops: 600, logVolumeIops: 300, standbys: 1 } },
      'storage.standbyIops: missing: the data volume has a limit',
    ],
    [
      'that an experiment names the standbys itself',
      {
        storage: { type: 'local', standbys: 1 },
        engine: { parameters: { synchronous_standby_names: '' } },
      },
      'engine.parameters.synchronous_standby_names: "": follows from storage.standbys; leave it out',
    ],
    ['more standbys than two', { storage: { type: 'local', standbys: 3 } }, 'storage.standbys: 3: expected at most 2'],
  ])('refuses %s', (_, variant, message) => {
    const experiment = smallExperiment();
    expect(
      problemsOf({ ...experiment, variants: { a: {}, b: { ...experiment.variants['b'], ...variant } } }),
    ).toContain(message);
  });

  test('a trial needs a length, and only one', () => {
    const experiment = smallExperiment();
    const { durationSeconds, ...workload } = experiment.workload;
    expect(durationSeconds).toBeDefined();
    expect(problemsOf({ ...experiment, workload })).toContain('does not say how long a trial is');
    expect(problemsOf({ ...experiment, workload: { ...experiment.workload, transactions: 5 } })).toContain(
      'the length is given twice',
    );
  });

  test('broken YAML is reported with its line', () => {
    expect(problemsOf('name: small\nvariants: {a: 1\n')).toMatch(/small\.yaml:\d+:\d+ /);
    expect(problemsOf('')).toContain('holds no experiment');
    expect(problemsOf('name: small\nname: other\n')).toContain('unique');
  });

  test('the name has to be that of the file', () => {
    expect(problemsOf({ ...smallExperiment(), name: 'other' })).toContain(
      'the file is called small.yaml; expected "small"',
    );
  });
});

describe('a hostile file', () => {
  const tooMany = /small\.yaml holds more than 5,000 keys and values/;
  const refusedAtOnce = (content: unknown, refused: RegExp): void => {
    const before = process.cpuUsage();
    expect(problemsOf(content)).toMatch(refused);
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1);
  };

  test('of aliases that multiply each other is refused, instead of filling the memory', () => {
    const levels = Array.from({ length: 12 }, (_, level) =>
      level === 0 ? 'a0: &a0 [x, x, x, x, x, x, x, x, x]' : `a${level}: &a${level} [${`*a${level - 1}, `.repeat(9)}]`,
    );
    expect(problemsOf(levels.join('\n'))).toMatch(/holds more than 5,000 keys and values/);
  });

  test('of an alias that holds itself is refused', () => {
    expect(problemsOf('name: small\na: &a [1, [*a]]\n')).toMatch(
      /small\.yaml:2:12 +a contains itself; write the value out/,
    );
  });

  test.each([
    ['keys', 'plans', 300_000, /small\.yaml has [\d,]+ KiB; an experiment has no more than 256\./],
    ['keys of few bytes', 'k', 6000, tooMany],
  ])('of very many %s is refused within a second', (_, name, count, refused) => {
    const lines = Array.from({ length: count }, (_, index) => `${name}${index}: 1\n`);
    refusedAtOnce(lines.join(''), refused);
  });

  test.each([
    ['values', `a: &a x\nb: [${'*a,'.repeat(40_000)}]\n`],
    ['merged maps', `a: &a {x: 1}\nb: {${'<<: *a,'.repeat(20_000)}}\n`],
  ])('of very many aliases of %s is refused within a second', (_, text) => refusedAtOnce(text, tooMany));

  test('of a matrix that makes millions of variants is refused within a second, with their number', () => {
    const values = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`v${index}`, {}]));
    const matrix = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`f${index}`, values]));
    refusedAtOnce(
      { ...smallExperiment(), matrix },
      /matrix: 2 variants × 10 × .* values make 20,000,000,000 variants, which is\s+more\s+than 500; leave out axes or values/s,
    );
  });

  test('with a key that changes all maps is refused', () => {
    expect(problemsOf('name: small\n__proto__: { polluted: 1 }\n')).toContain(
      'small.yaml:2:1  __proto__ cannot be a key',
    );
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

test('a script that is not there is named before anything is measured, in the profile that needs it', () => {
  const scripts = [{ file: 'no-such.sql' }];
  const message = problemsOf({ ...smallExperiment(), profiles: { own: { workload: { scripts } } } }, 'own');
  expect(message).toMatch(
    /names the file no-such\.sql, which is not in .*experiments; paths are relative to the experiment/,
  );
});

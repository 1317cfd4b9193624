import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { folderWithExperiment, problemsIn, smallExperiment } from '../helpers/samples/experiment-file.ts';

/** Each mistake of a line is at its end: where its column is, and a part of the message. */
const planted = `
name: mistake                           #! 1 "mistake": file name is mistakes.yaml; expected "mistakes"
question: Is b faster than a?
colour: red                             #! 1 colour: unknown key; known here: name, question
common:
  class: db.r6g.2xlarg                  #! 3 "2xlarg" is not a size of AWS; … did you mean "db.r6g.2xlarge"?
  storage: { type: io2, sizeGib: 1000, iops: 2000000 } #! 40 2000 IOPS per GiB; io2 allows 0.5 to 1000 #! 40 io2 allows 1000 to 256000
  engine:
    version: '16.15'
    parameters:
      shared_buffers: 12XB              #! 7 "12XB": expected a whole number of 8kB, or one with a unit: B, kB, MB, GB, TB
      work_mem: -5                      #! 7 -5: expected 64 to 2,147,483,647 (kB)
      random_page_cost: cheap           #! 7 "cheap": expected a number without a unit; at least 0
      fsync: offf                       #! 7 "offf": expected on or off; did you mean "off"?
      max_wal_sise: 2GB                 #! 7 PostgreSQL 16 has no such parameter; did you mean "max_wal_size"?
      checkpoint_timeout: 5s            #! 7 "5s": expected 30 to 86,400 (s)
      wal_compression: zstdd            #! 7 expected one of lz4, off, on, pglz, zstd; did you mean "zstd"?
      io_method: worker                 #! 7 PostgreSQL 16 does not have it; only 18 and newer do. Remove it
      server_version: '16'              #! 7 this parameter is read-only; remove it
      auto_explain.log_min_durations: 5 #! 7 auto_explain has no such parameter; did you mean "auto_explain.log_min_duration"?
      commit_delay: 1.5ms               #! 7 "1.5ms": expected a whole number without a unit; 0 to 100,000
      bgwriter_delay: 10.0005s          #! 7 "10.0005s": not a whole number of ms
      DateStyle: ISO                    #! 7 the name must be a PostgreSQL parameter name in lower case
      client_encoding: LATIN1           #! 7 "LATIN1": clients set it when they connect
variants:
  a: {}
  b: { dedicatedLogVolum: true }        #! 8 unknown key; did you mean "dedicatedLogVolume"?
  c: { deployment: multi-az }           #! 8 expected one of single-az, multi-az-instance, multi-az-cluster
  D_d: {}                               #! 3 the name must be lower-case letters, digits and single hyphens
  e: { storage: { type: gp4 } }         #! 19 "gp4": expected one of io1, io2, gp3, local
  f: { storage: { type: gp3, sizeGib: 10 } } #! 30 10: expected at least 20
baseline: d                             #! 1 "d": no such variant; expected one of a, b, c
contrasts: [{ candidate: a, baseline: a }] #! 13 compares a variant with itself
driver: { class: r5.4xlarge, volumeGib: 4 } #! 30 4: expected at least 8
monitoring: { enhancedMonitoringSeconds: 2 } #! 15 2: expected 0 or 1 or 5 or 10 or 30 or 60
backups: { windowUtc: '25:00' }         #! 12 "25:00": expected a time of day such as 03:30
credentials: { kind: exists, secretArn: x } #! 16 "exists": expected one of generated, existing
workload:
  tool: pgbench
  scale: 0                              #! 3 0: expected at least 1
  clients: 4
  threads: 8                            #! 3 8: more threads than clients; expected at most 4
  durationSeconds: 10
  transactions: 5                       #! 3 the length is given twice; keep either this or durationSeconds
  load: { dump: app.dump }              #! 11 pgbench loads its own tables; for your data, set tool: own-data
  scripts:
    - builtin: tpcb                     #! 7 expected one of tpcb-like, simple-update, select-only, tpcb-skewed; did you mean "tpcb-like"?
    - file: none.sql                    #! 7 names the file none.sql, which is not in
    - { file: mix.sql, wieght: 2 }      #! 24 unknown key; did you mean "weight"?
protocol: { order: randm, replicas: 21 } #! 13 expected one of random, fixed, together; did you mean "random"? #! 27 21: expected at most 20
decision: { metric: tpss }              #! 13 did you mean "tps"?
expiry: { kind: after, hours: 0 }       #! 24 0: expected at least 1
tags: { 'cost center': lab }            #! 9 the name must be letters, digits and + - = . , _ : @ only
limits: { hours: -1 }                   #! 11 -1: expected more than 0
profiles:
  smoke: { workload: { clents: 2 } }    #! 24 unknown key; did you mean "clients"?
  orders: { workload: { tool: orders, warehouses: 2, clients: 2, durationSeconds: 5, waits: 3 } } #! 86 3: expected at most 1
  local: { common: { storage: { type: local, sizeGib: 0.01 } } } #! 46 0.01: expected at least 0.25
  laptop:
    common: { storage: { type: local }, engine: { version: installed, parameters: { port: 1 } } } #! 85 pgduet sets it on local servers; remove it
removal: {}
removal: {}                             #! 1 duplicate key: removal
`.slice(1);

/** What is expected, as `LINE:COLUMN PART`; in a part, an ellipsis stands for anything. */
const expected = planted.split('\n').flatMap((line, index) =>
  line
    .split('#!')
    .slice(1)
    .map((text) => {
      const [, column = '', part = ''] = /^ (\d+) (.*?) *$/.exec(text) ?? [];
      return { place: `mistakes.yaml:${index + 1}:${column}`, part };
    }),
);

async function refusalBy(text: string, ...command: string[]): Promise<{ lines: string[]; exitCode: number | null }> {
  const folder = folderWithExperiment('mistakes', text);
  writeFileSync(path.join(folder, 'experiments/mix.sql'), 'SELECT 1;\n');
  const { stdout, stderr, exitCode } = await runCommandLine(command, { workingFolder: folder, columns: 100_000 });
  expect(stdout).toBe('');
  return {
    lines: stderr
      .trim()
      .split('\n')
      .map((line) => line.replaceAll(folder, 'FOLDER')),
    exitCode,
  };
}

test('a file with over forty mistakes of all kinds reports each, in one pass, with its place, reason and remedy', async () => {
  expect(expected.length).toBeGreaterThan(45);
  const { lines, exitCode } = await refusalBy(planted, 'plan', 'mistakes');
  expect(exitCode).toBe(2);
  const found = lines.slice(1).map((line) => line.trim());
  const isAt = (line: string, place: string, part: string): boolean =>
    line.startsWith(`experiments/${place} `) && part.split('…').every((one) => line.includes(one.trim()));
  const missing = expected.filter(({ place, part }) => !found.some((line) => isAt(line, place, part)));
  expect(missing, found.join('\n')).toEqual([]);
  // Nothing else is reported: one mistake is no reason for another message.
  expect(found.filter((line) => !expected.some(({ place, part }) => isAt(line, place, part)))).toEqual([]);
  expect(lines[0]).toContain(`mistakes.yaml has ${expected.length} problems:`);
});

test('plan, load-run and a dry run say the same', async () => {
  const plan = await refusalBy(planted, 'plan', 'mistakes');
  for (const options of [[], ['--dry-run']]) {
    expect(await refusalBy(planted, 'load-run', 'mistakes', '--local', '-p', 'full', ...options)).toEqual(plan);
  }
});

test('a script gets each problem of a file with its code and the words that are allowed', async () => {
  const file = stringify({ ...smallExperiment(), protocol: { order: 'randm', sed: 1 } });
  const workingFolder = folderWithExperiment('small', file);
  const { stdout, exitCode } = await runCommandLine(['plan', 'small', '--json'], { workingFolder });
  expect(exitCode).toBe(2);
  const { error } = JSON.parse(stdout) as { error: { code: string; problems: object[] } };
  expect(error).toMatchObject({
    code: 'experiment-file',
    problems: [
      { code: 'wrong-value', path: 'protocol.order', value: '"randm"', allowed: ['random', 'fixed', 'together'] },
      { code: 'unknown-key', path: 'protocol.sed', allowed: expect.arrayContaining(['seed']) as string[] },
    ],
  });
});

const valid = `
name: mistakes
question: Is b faster than a?
common:
  storage: { type: local, sizeGib: 1, iops: 500 }
  engine:
    parameters:
      work_mem: 4MB
variants:
  a: {}
  b: {}
baseline: c
workload:
  tool: pgbench
  scale: 0
  clients: [4, 8]
  durationSeconds: 10
`.slice(1);

test.each([
  ['an open quotation', 'Is b faster than a?', '"Is b faster than a?', '2:11', 'question: "Is b faster than a?'],
  ['an open map', 'iops: 500 }', 'iops: 500', '5:3', '  engine:'],
  ['an open list', '[4, 8]', '[4, 8', '16:3', '  durationSeconds: 10'],
  ['a tab', '      work_mem', '\twork_mem', '7:1', ' work_mem: 4MB'],
  ['a wrong indentation', '  clients', '   clients', '14:10', '  scale: 0'],
  ['a line without a colon', '  b: {}', '  b {}', '10:3', '  b {}'],
  ['a second document', 'baseline: c', '---\nbaseline: c', '11:1', '---'],
])('%s is shown with its line and a caret, before anything else', async (_, right, wrong, place, line) => {
  const { lines, exitCode } = await refusalBy(valid.replace(right, wrong), 'plan', 'mistakes');
  expect(exitCode).toBe(2);
  const [, first = '', shown, caret = ''] = lines;
  expect(first.trim().split(' ')[0]).toBe(`experiments/mistakes.yaml:${place}`);
  expect(shown).toBe(`    ${line}`);
  expect(caret.indexOf('^') - 3).toBe(Number(place.split(':')[1]));
  expect(lines.join()).not.toContain('workload.scale');
});

const ruled = `
name: small
question: Is b faster than a?
common:
  storage: { type: local, sizeGib: 1, iops: 500, logVolumeIops: 500 }
variants:
  a: {}
  b: { dedicatedLogVolume: true }
matrix:
  memory: { small: null, large: { engine: { parameters: { work_mem: 64MB } } } }
baseline: a
workload:
  tool: pgbench
  scale: 1
  clients: 4
  durationSeconds: 10
  scripts: [{ builtin: select-only }]
protocol: { reset: [vacuum], until: precision, crossover: false }
profiles:
  short: { workload: { durationSeconds: 5 } }
`.slice(1);

test.each([
  ['tool', 'tool: pgbench', 'tool: pgbnch'],
  ['key of the workload', 'clients: 4', 'clints: 4'],
  ['key of the length', 'durationSeconds: 10', 'durationSecond: 10'],
  ['key of the storage', 'logVolumeIops:', 'logVolumIops:'],
  ['section', 'protocol:', 'protocl:'],
  ['list of variants', 'variants:', 'varients:'],
  ['key that all variants have', 'common:', 'comon:'],
  ['key that multiplies variants', 'matrix:', 'matix:'],
  ['list of profiles', 'profiles:', 'profles:'],
  ['choice', 'until: precision', 'until: precison'],
  ['step', 'vacuum', 'vaccum'],
  ['key that another tool has', 'scripts: [{ builtin: select-only }]', 'script: [{ builtin: select-only }]'],
  ['unit of a key that another tool has', 'durationSeconds: 10', 'durationMinutes: 10'],
])('a misspelt %s is a single mistake, with the word that was meant', (_, right, wrong) => {
  expect(problemsIn(ruled)).toEqual([]);
  const found = problemsIn(ruled.replace(right, wrong));
  const meant = right.split(/: ?/)[wrong.startsWith(right.split(':')[0] ?? '') ? 1 : 0];
  expect(found.map(({ message }) => /did you mean "(\w+)"/.exec(message)?.[1])).toEqual([meant]);
});

test.each([
  ['protocol', 'question:', 'blocks: 6\nquestion:'],
  ['workload', 'question:', 'clients: 6\nquestion:'],
  ['engine', 'a: {}', 'a: { parameters: { work_mem: 4MB } }'],
  ['common.engine', 'question:', 'parameters: { work_mem: 4MB }\nquestion:'],
  ['at the top of the file', 'a: {}', 'a: { baseline: b }'],
  ['in driver or in common', 'protocol: {', 'protocol: { class: r5.4xlarge,'],
])('a key that belongs elsewhere is a single mistake, which says %s', (place, right, wrong) => {
  const found = problemsIn(ruled.replace(right, wrong));
  expect(found).toMatchObject([{ code: 'unknown-key', message: expect.stringContaining(place) as string }]);
});

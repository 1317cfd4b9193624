import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, vi } from 'vitest';

import { folderWithExperiment, smallExperiment } from '../helpers/samples/experiment-file.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';

type Small = ReturnType<typeof smallExperiment>;

/** Files with mistakes, one for each kind of remedy. Which problems there are is tested by their codes (test/experiment). */
const mistakes: Record<string, string | ((small: Small) => void)> = {
  'no YAML': 'name: small\n  question: Is b faster?\n',
  'a property that does not exist': (small) => (small.workload['clinets'] = 4),
  'a property that is lacking': (small) => delete small.workload['scale'],
  'a value out of its range': (small) => (small.workload['clients'] = 0),
  'a text where a number belongs': (small) => (small.workload['clients'] = 'four'),
  'a tool that does not exist': (small) => (small.workload['tool'] = 'pgbnch'),
  'a baseline that is no variant': (small) => (small['baseline'] = 'c'),
  'storage that RDS does not have': (small) => (small.common['storage'] = { type: 'gp3', sizeGib: 1000, iops: 10 }),
  'a parameter that does not exist': (small) =>
    (small.variants['b'] = { engine: { parameters: { wal_bufers: '1MB' } } }),
  'a metric that does not exist': (small) => (small['decision'] = { metric: 'latency.p98' }),
  'several mistakes': (small) => {
    small['baseline'] = 'c';
    small['protocol'] = { blocks: 0, order: 'radnom' };
  },
};

const jit = ['--set', 'jit=on,off'];
const index = ['--prepare', 'a: VACUUM'];

/** Options of try that are wrong, or compare nothing. */
const wrongTries: readonly string[][] = [
  [],
  ['synchronous_commit=on,off'],
  ['--set', 'jit=on,off', 'work_mem=4MB'],
  ...['fsync', 'fsync=on', 'fsync=on,', 'fsync=on,on', 'fsync=on,true', 'wal_compression=on,pglz'].map(set),
  ...["search_path='a,b", "search_path=c,'a'b,d", "search_path='a,b',c,'a,b'", 'work_mem=4MB,64MB,4096kB'].map(set),
  ...['work-mem=1MB,4MB', 'work_mem=4XB,5XB,8MB', 'sync_commit=on,off', 'autovacuum_naptime=1s,1min'].map(set),
  set('log_autovacuum_min_duration=0,-1'),
  [...jit, ...set('JIT=off,on')],
  [...set('jitt=on,off'), ...set('fsync=offf'), '--scale', '99999999'],
  [...jit, '--clients', '0'],
  [...jit, '--keep-file', 'My File.yaml'],
  ...['tpcb-lke', 'selectonly', 'no.sql'].map((script) => [...jit, '--script', script]),
  ['--version', '15'],
  ['--version', '15,15'],
  ['--version', 'new'],
  ['--version', '9,17'],
  ['--prepare', 'VACUUM FULL'],
  [...index, '--prepare', 'a: VACUUM FULL'],
  ['--prepare', 'as-loaded: VACUUM FULL'],
  ['--prepare', 'a: indexes.sql'],
  [...index, '--baseline', 'b'],
  [...index, '--baseline', 'a'],
  [...jit, '--baseline', 'jit'],
  [...index, '--dump', 'no.dump'],
  [...index, '--dump', 'shop.dump'],
  [...index, '--dump', 'shop.dump', '--script', 'q.sql', '--scale', '7'],
  ['--dump', 'shop.dump', '--script', 'q.sql'],
  [...set('work_mem=1MB,2MB,4MB'), '--seconds', '60'],
];

function set(setting: string): string[] {
  return ['--set', setting];
}

it('options of try are told with their mistakes, and no line of a file that is not there', async () => {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'shop.dump'), 'CREATE TABLE purchase (customer int);\n');
  writeFileSync(path.join(folder, 'q.sql'), 'SELECT 1;\n');
  const told: string[] = [];
  for (const words of wrongTries) {
    const { stdout, stderr, exitCode } = await runCommandLine(['try', '--dry-run', ...words], {
      workingFolder: folder,
      columns: 100,
    });
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).not.toContain('.yaml:');
    told.push(`===== try ${words.join(' ')}\n${stderr.replaceAll(folder, '/folder')}`);
  }
  await expect(told.join('\n')).toMatchFileSnapshot('errors/options-of-try.txt');
});

it('a mistake in options of try has its problems for scripts', async () => {
  const { stdout } = await runCommandLine(['try', '--dry-run', ...set('bogus=on,off'), '--json'], {
    workingFolder: temporaryFolder(),
  });
  const { error } = JSON.parse(stdout) as { error: { code: string; problems: { code: string }[] } };
  expect(error.code).toBe('experiment-file');
  expect(new Set(error.problems.map(({ code }) => code))).toEqual(new Set(['unknown-parameter']));
});

it('folders without a run, and a folder for temporary files that is none, are told with the reason', async () => {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'file'), 'x\n');
  mkdirSync(path.join(folder, 'empty'));
  const told: string[] = [];
  for (const place of ['file', 'nowhere', 'file/below', 'empty']) {
    const { stderr } = await runCommandLine(['report', place], { workingFolder: folder, columns: 80 });
    told.push(`===== report ${place}\n${stderr.replaceAll(folder, '/folder')}`);
  }
  vi.stubEnv('TMPDIR', '/nowhere');
  const { stderr } = await runCommandLine(['clean'], { workingFolder: folder, columns: 80 });
  vi.unstubAllEnvs();
  told.push(`===== TMPDIR=/nowhere clean\n${stderr}`);
  await expect(told.join('\n')).toMatchFileSnapshot('errors/folders.txt');
});

it('mistakes in a file are told as they were', async () => {
  const told: string[] = [];
  for (const [name, mistake] of Object.entries(mistakes)) {
    const small = smallExperiment();
    if (typeof mistake !== 'string') mistake(small);
    const folder = folderWithExperiment('small', typeof mistake === 'string' ? mistake : small);
    const { stderr, exitCode } = await runCommandLine(['plan', 'small'], { workingFolder: folder, columns: 80 });
    told.push(`===== ${name}: exit code ${exitCode}\n${stderr.replaceAll(folder, '/folder')}`);
  }
  await expect(told.join('\n')).toMatchFileSnapshot('errors/mistakes-in-a-file.txt');
});

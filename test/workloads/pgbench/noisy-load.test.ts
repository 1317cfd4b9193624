import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { pgbenchGenerator } from '../../../runner/workloads/pgbench/generator.ts';
import { resolveLevel, pgbenchSchema } from '../../../runner/workloads/pgbench/schema.ts';
import { ownTemporaryFolder } from '../../helpers/own-temporary-folder.ts';

const temporary = ownTemporaryFolder();
const output = path.resolve(import.meta.dirname, '../../fixtures/pgbench/15.18/plain-timed.out');

/** A pgbench that prints these lines of the shell, and then the summary of a run. */
function measure(script: string, onEnd: () => Promise<void> = () => Promise.resolve()) {
  writeFileSync(path.join(temporary(), 'pgbench'), `#!/bin/sh\n${script}\ncat ${output}\n`, { mode: 0o755 });
  const workload = resolveLevel(pgbenchSchema.parse({ tool: 'pgbench', scale: 1, clients: 1, durationSeconds: 2 }));
  const generator = pgbenchGenerator({ workload, programs: temporary(), scriptFolder: temporary(), collect: [] });
  const target = {
    server: 'one',
    host: '127.0.0.1',
    port: 5432,
    user: 'postgres',
    database: 'pgduet',
    environment: {},
  };
  const { signal } = new AbortController();
  return generator.measure(target, { folder: temporary(), seed: 1, signal, onProgress: () => undefined, onEnd });
}

const notices = "yes 'NOTICE:  one more of them' | head -n 200000 >&2";
const progress = (second: number): string =>
  `echo 'progress: 179000000${second}.000 s, 10.0 tps, lat 1.000 ms stddev 0.000, 0 failed' >&2`;

it('is named with its remedy, its files are cut short, and no report of the load generator is lost', async () => {
  const { measures, warnings } = await measure(
    [progress(1), notices, progress(4), notices, notices, progress(5)].join('\n'),
  );
  expect(measures).toMatchObject({ 'progress.gap': 3, tps: expect.any(Number) as number });
  expect(measures['load.printed']).toBeGreaterThan(1e6);
  expect(warnings?.join()).toMatch(
    /^The load printed [\d,]+ KiB a second .* which takes up its clients’ time: .*RAISE/,
  );
  const file = path.join(temporary(), 'pgbench.stderr.log');
  expect(statSync(file).size).toBeLessThan(4.5 * 1024 ** 2);
  expect(readFileSync(file, 'utf8')).toMatch(/\n\([\d,]+ bytes left out\)\nprogress: 1790000004.000 s/);
});

it('that fails says why, although it printed much before and after', async () => {
  const error = "echo 'pgbench: error: client 0 aborted in command 4' >&2";
  await expect(measure(`${notices}\n${notices}\n${error}\n${notices}\n${notices}`)).rejects.toThrow(
    'pgbench did not complete: pgbench: error: client 0 aborted in command 4',
  );
});

it('that prints little is not named, and has ended before its output is read', async () => {
  let endScreen = '';
  const { warnings } = await measure(progress(1), () => {
    endScreen = readFileSync(path.join(temporary(), 'pgbench.stdout.log'), 'utf8');
    return Promise.resolve();
  });
  expect(warnings).toEqual([]);
  expect(endScreen).toBe(readFileSync(output, 'utf8'));
});

it('that empties the file of its reports is named, and the reports that are left tell of no silence', async () => {
  const script = [progress(1), 'sleep 0.5', 'echo note > /dev/stderr', progress(2), progress(7), 'sleep 0.5'];
  const { measures, warnings } = await measure(script.join('\n'));
  expect(measures).toMatchObject({
    'progress.gap': null,
    'progress.silence': null,
    'progress.emptied': 1,
    tps: expect.any(Number) as number,
  });
  expect(warnings).toEqual([
    expect.stringMatching(/^The load emptied pgbench\.stderr\.log while it ran, .*>> instead/),
  ]);
});

it('that empties the file of its summary says so in the error', async () => {
  const script = `(sleep 1; echo note > /dev/stdout) & cat ${output}\nwait\nexec sleep 0.5; exit`;
  await expect(measure(script)).rejects.toThrow(
    /^pgbench did not complete: .*\. The load emptied pgbench\.stdout\.log while it ran/,
  );
});

it('that writes among its output leaves all of it', async () => {
  const script = [progress(1), 'echo note >> /dev/stderr', progress(2), 'echo note >> /dev/stdout'];
  const { measures, warnings } = await measure(script.join('\n'));
  expect(measures).toMatchObject({ 'progress.gap': 1 });
  expect(measures).not.toHaveProperty('progress.emptied');
  expect(warnings).toEqual([]);
});

it('that prints without newlines hides no report of the load generator, also where the file is cut short', async () => {
  const prints = "head -c 1700000 /dev/zero | tr '\\0' x >&2";
  const script = [1, 2, 3, 4, 9].flatMap((second) => [prints, progress(second)]);
  const { measures } = await measure(script.join('\n'));
  expect(measures).toMatchObject({ 'progress.gap': 5, 'progress.silence': 3 });
  expect(readFileSync(path.join(temporary(), 'pgbench.stderr.log'), 'utf8')).toMatch(/\nprogress: 1790000003/);
});

it('that prints without a newline before the summary leaves it whole', async () => {
  const { measures } = await measure(`printf 'pgbench (15.18)\nxxx'; tail -n +2 ${output}; exit`);
  expect(measures).toMatchObject({ tps: 1048.721892 });
});

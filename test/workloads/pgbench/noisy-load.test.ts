import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { pgbenchGenerator } from '../../../runner/workloads/pgbench/generator.ts';
import { fakePgbench, nowhere } from '../../helpers/processes/fake-pgbench.ts';

const output = path.resolve(import.meta.dirname, '../../fixtures/pgbench/15.18/plain-timed.out');

/** A pgbench that prints these lines of the shell, and then the summary of a run. */
function measure(script: string, onEnd: (stdout: string) => void = () => undefined) {
  const { folder, options } = fakePgbench(`${script}\ncat ${output}`, { durationSeconds: 2 });
  const log = (stream: string): string => readFileSync(path.join(folder, `pgbench.${stream}.log`), 'utf8');
  const request = { folder, seed: 1, signal: new AbortController().signal, onProgress: () => undefined };
  const ended = (): Promise<void> => {
    onEnd(log('stdout'));
    return Promise.resolve();
  };
  const measured = pgbenchGenerator(options).measure(nowhere, { ...request, onEnd: ended });
  return { measured, stderr: () => log('stderr') };
}

const notices = "yes 'NOTICE:  one more of them' | head -n 200000 >&2";
const progress = (second: number): string =>
  `echo 'progress: 179000000${second}.000 s, 10.0 tps, lat 1.000 ms stddev 0.000, 0 failed' >&2`;

it('is named with its remedy, its files are cut short, and no report of the load generator is lost', async () => {
  const lines = [progress(1), notices, progress(4), notices, notices, progress(5)];
  const { measured, stderr } = measure(lines.join('\n'));
  const { measures, warnings } = await measured;
  expect(measures).toMatchObject({ 'progress.gap': 3, tps: expect.any(Number) as number });
  expect(measures['load.printed']).toBeGreaterThan(1e6);
  expect(warnings?.join()).toMatch(
    /^The load printed [\d,]+ KiB a second .* which takes up its clients’ time: .*RAISE/,
  );
  expect(stderr().length).toBeLessThan(4.5 * 1024 ** 2);
  expect(stderr()).toMatch(/\n\([\d,]+ bytes omitted\)\nprogress: 1790000004.000 s/);
});

it('that fails says why, although it printed much before and after', async () => {
  const error = "echo 'pgbench: error: client 0 aborted in command 4' >&2";
  await expect(measure(`${notices}\n${notices}\n${error}\n${notices}\n${notices}`).measured).rejects.toThrow(
    'pgbench did not complete: pgbench: error: client 0 aborted in command 4',
  );
});

it('that prints little is not named, and has ended before its output is read', async () => {
  let endScreen = '';
  const { measured } = measure(progress(1), (stdout) => (endScreen = stdout));
  expect((await measured).warnings).toEqual([]);
  expect(endScreen).toBe(readFileSync(output, 'utf8'));
});

it('that empties the file of its reports is named, and the reports that are left tell of no silence', async () => {
  const script = [progress(1), 'sleep 0.5', 'echo note > /dev/stderr', progress(2), progress(7), 'sleep 0.5'];
  const { measures, warnings } = await measure(script.join('\n')).measured;
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
  await expect(measure(script).measured).rejects.toThrow(
    /^pgbench did not complete: .*\. The load emptied pgbench\.stdout\.log while it ran/,
  );
});

it('that writes among its output leaves all of it', async () => {
  const script = [progress(1), 'echo note >> /dev/stderr', progress(2), 'echo note >> /dev/stdout'];
  const { measures, warnings } = await measure(script.join('\n')).measured;
  expect(measures).toMatchObject({ 'progress.gap': 1 });
  expect(measures).not.toHaveProperty('progress.emptied');
  expect(warnings).toEqual([]);
});

it('that prints without newlines hides no report of the load generator, also where the file is cut short', async () => {
  const prints = "head -c 1700000 /dev/zero | tr '\\0' x >&2";
  const script = [1, 2, 3, 4, 9].flatMap((second) => [prints, progress(second)]);
  const { measured, stderr } = measure(script.join('\n'));
  expect((await measured).measures).toMatchObject({ 'progress.gap': 5, 'progress.silence': 3 });
  expect(stderr()).toMatch(/\nprogress: 1790000003/);
});

it('that prints without a newline before the summary leaves it whole', async () => {
  const { measured } = measure(`printf 'pgbench (15.18)\nxxx'; tail -n +2 ${output}; exit`);
  expect((await measured).measures).toMatchObject({ tps: 1048.721892 });
});

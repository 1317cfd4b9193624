import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { oneBlock, tinyRun, type TinyRun } from '../helpers/processes/tiny-run.ts';

let tiny: TinyRun;
beforeEach(() => (tiny = tinyRun()));
afterEach(() => tiny.expectNothingLeft());

function define(scripts: Readonly<Record<string, string>>, workload: object = {}): void {
  for (const [name, text] of Object.entries(scripts)) tiny.put(name, text);
  const files = Object.keys(scripts).map((file) => ({ file }));
  tiny.define({ ...oneBlock, workload: { ...oneBlock.workload, scripts: files, ...workload } });
}

/** Runs a command in this process. */
async function printed(...args: string[]): Promise<{ text: string; exitCode: number | null }> {
  const { stdout, stderr, exitCode } = await runCommandLine(args, { workingFolder: tiny.folder, columns: 10_000 });
  return { text: stdout + stderr, exitCode };
}

const good = 'SELECT abalance FROM pgbench_accounts WHERE aid = 1;\n';
const unreadable = [
  ['an empty script', '', /workload: empty command list for script "mix\.sql"/],
  [
    'a command that pgbench does not know',
    `${good}\\sett a 1\n`,
    /workload: mix\.sql:2: invalid command in command "sett"\n\\sett a 1\n/,
  ],
  ['\\if without \\endif', `\\if true\n${good}`, /workload: mix\.sql:1: \\if without matching \\endif/],
  [
    'an expression without its end',
    '\\set a 1 +\nSELECT :a;\n',
    /workload: mix\.sql:1: syntax error in command "set"\n\\set a 1 \+\n {10}\^ error found here\n/,
  ],
  [
    'an expression that nobody wants to see',
    `\\set a ${'('.repeat(100_000)}\n${good}`,
    /workload: mix\.sql:1: memory exhausted in command "set"\nCorrect them/,
  ],
] as const;

describe('a script that pgbench cannot read', () => {
  it.each(unreadable)('is refused by plan and by a dry run, with file and line: %s', async (_, text, message) => {
    define({ 'good.sql': good, 'mix.sql': text });
    const plan = await printed('plan', 'tiny', '--profile', 'local');
    expect(plan.text).toMatch(message);
    expect(plan.exitCode).toBe(2);
    expect(await printed('load-run', 'tiny', '--local', '--dry-run')).toEqual(plan);
  });

  it('is refused beside others, each with its own mistake and the pgbench that found it', async () => {
    define({ 'one.sql': '\\sleep 1.5 ms\n', 'good.sql': good, 'two.sql': '\\set a randm(1, 5)\n' });
    const { text } = await printed('plan', 'tiny', '--profile', 'local');
    expect(text).toMatch(
      /workload: one\.sql:1: invalid sleep time.*\n\\sleep 1\.5 ms\n.*\ntwo\.sql:1: unexpected function name \(randm\).*\n\\set a randm\(1, 5\)\n/,
    );
    expect(text).toMatch(
      /\^ error found here\nCorrect them, or use another version of pgbench: this is \/\S+\/pgbench\.$/m,
    );
    expect(text).not.toContain('good.sql');
  });

  it('is refused by a try, with file and line', async () => {
    writeFileSync(path.join(tiny.folder, 'mine.sql'), 'SELECT 1;\n\\st a 1\n');
    const { text, exitCode } = await printed('try', '--set', 'jit=on,off', '--script', 'mine.sql', '--dry-run');
    expect(text).toMatch(/workload: mine\.sql:2: invalid command in command "st"\n\\st a 1\n/);
    expect(exitCode).toBe(2);
  });

  it('is a problem that doctor finds', async () => {
    define({ 'mix.sql': '\\gset\n' });
    const doctor = await printed('doctor', 'tiny', '--profile', 'local');
    expect(doctor.text).toMatch(/^NOT {2}scripts and options of the load\n.*mix\.sql/m);
    expect(doctor.exitCode).toBe(1);
    define({ 'mix.sql': good });
    expect((await printed('doctor', 'tiny', '--profile', 'local')).text).toMatch(
      /^ok {3}scripts and options of the load: accepted by the programs of PostgreSQL \d/m,
    );
  });

  it('ends load-run before anything is created', async () => {
    define({ 'mix.sql': `\\gset\n${good}` });
    const refusal = await tiny.refused();
    expect(refusal).toContain('pgbench rejects the scripts or options');
    expect(refusal).not.toMatch(/loaded|Loading/);
  });

  it('is not waited for where it is a pipe', async () => {
    define({ 'mix.sql': good });
    const pipe = path.join(tiny.folder, 'experiments/mix.sql');
    rmSync(pipe);
    execFileSync('mkfifo', [pipe]);
    const plan = await printed('plan', 'tiny', '--profile', 'local');
    expect(plan.text).toMatch(/mix\.sql, which is a pipe/);
    expect(plan.exitCode).toBe(2);
  });

  it('is only a warning where the pgbench of the run is newer', async () => {
    define({ 'mix.sql': `\\gset\n${good}` });
    const newer = { variants: { one: {}, two: { engine: { version: '18.999' } } } };
    tiny.define({ ...oneBlock, ...newer, workload: { ...oneBlock.workload, scripts: [{ file: 'mix.sql' }] } });
    const plan = await printed('plan', 'tiny', '--profile', 'local');
    expect(plan.text.replaceAll(/\s+/g, ' ')).toMatch(
      /Scripts of the workload are refused by the pgbench of PostgreSQL \d\S+ here, which is older than the run’s 18\. A run checks them before it loads data\. pgbench rejects .*: mix\.sql:2: \\gset must follow an SQL command/,
    );
    expect(plan.exitCode).toBe(0);
  });
});

it.each([
  [
    'a weight',
    { scripts: [{ builtin: 'select-only', weight: 2 ** 31 }] },
    /workload\.scripts\.0\.weight: 2147483648: expected at most 2147483647/,
  ],
  [
    'a number of scripts',
    { scripts: Array.from({ length: 129 }, (_, index) => ({ file: `${index}.sql` })) },
    /workload\.scripts: .*expected at most 128/,
  ],
])('%s that pgbench does not take is refused at its line', async (_, workload, message) => {
  define({}, workload);
  const plan = await printed('plan', 'tiny', '--profile', 'local');
  expect(plan.text).toMatch(message);
  expect(plan.exitCode).toBe(2);
});

import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, it } from 'vitest';
import { launcher } from '../helpers/processes/command-line.ts';
import { onFolders, oneBlock, type TinyRun, tinyExperiment, tinyRun } from '../helpers/processes/tiny-run.ts';

/** The command that a run and its page name as the next one does what it says, where it was started. */
let tiny: TinyRun;
beforeEach(() => {
  tiny = tinyRun();
  // As in a project that has pgduet.
  const programs = path.join(tiny.folder, 'node_modules/.bin');
  mkdirSync(programs, { recursive: true });
  writeFileSync(path.join(programs, 'pgduet'), `#!/bin/sh\nexec node ${launcher} "$@"\n`, { mode: 0o755 });
  writeFileSync(path.join(tiny.folder, 'package.json'), '{ "private": true }\n');
});

const always = { ...tinyExperiment.workload, durationSeconds: 1 };

/** Carries a command line out as a shell would. */
async function carryOut(command: string): Promise<string> {
  const environment = { PATH: process.env['PATH'], HOME: tiny.temporary, TMPDIR: tiny.temporary, NO_COLOR: '1' };
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', command], { cwd: tiny.folder, env: environment });
  return `${stdout}${stderr}`;
}

/** The last command that the text shows in a line of its own, or after Next. */
function nextIn(text: string): string {
  return [...text.matchAll(/^ +(?:Next +)?(npx .+)$/gm)].at(-1)?.[1] ?? '';
}

function nextOnPage(): string {
  const html = readFileSync(path.join(tiny.folder, 'results/tiny/latest/report.html'), 'utf8');
  const [, box = ''] = /<section id="next"([^]*?)<\/section>/.exec(html) ?? [];
  const [, code = ''] = /<code>([^]*?)<\/code>/.exec(box) ?? [];
  return code
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&#39;', "'")
    .trim();
}

it('after a run without a verdict', async () => {
  tiny.define({ ...oneBlock, workload: always });
  const { exitCode, stdout, stderr } = await tiny.loadRun().ended;
  expect(exitCode, stderr).toBe(0);
  // It takes more blocks: the same run would end the same way.
  const next = nextIn(`${stderr}${stdout}`);
  for (const command of [next, nextOnPage()]) {
    expect(command).toMatch(/^npx --no-install pgduet init tiny-2 --from results\/tiny\/\S+$/);
  }
  expect(await carryOut(next)).toContain('experiments/tiny-2.yaml');
  expect(await carryOut('npx --no-install pgduet plan tiny-2 --local')).toContain('tiny-2');
  tiny.expectNothingLeft();
});

it('after an inconclusive run that no number of blocks would settle', async () => {
  const protocol = { ...tinyExperiment.protocol, blocks: 6, warmUpSeconds: 0 };
  const decision = { metric: 'tps', practicalThreshold: 0.0001 };
  tiny.define({ ...tinyExperiment, workload: always, variants: { one: {}, two: {} }, protocol, decision });
  const { exitCode, stdout, stderr } = await tiny.loadRun().ended;
  expect(exitCode, stderr).toBe(0);
  const next = nextIn(`${stderr}${stdout}`);
  for (const command of [next, nextOnPage()]) {
    expect(command).toMatch(/^npx --no-install pgduet (?:init tiny-2 --from|load-run) results\/tiny\/\S+/);
  }
  if (next.includes(' init ')) expect(await carryOut(next)).toContain('experiments/tiny-2.yaml');
});

it('after a run that was cut off', async () => {
  tiny.define({ ...oneBlock, workload: { ...always, durationSeconds: 10 } });
  const command = tiny.loadRun();
  await command.shown('trial 1 of');
  command.process.kill('SIGINT');
  const { stdout, stderr } = await command.ended;
  const next = nextIn(`${stderr}${stdout}`);
  expect(next).toMatch(/--resume$/);
  expect(nextOnPage()).toMatch(/--resume$/);
  expect(await carryOut(next)).toContain('report.html');
  tiny.expectNothingLeft();
});

it('after a verdict', async () => {
  const protocol = { ...tinyExperiment.protocol, blocks: 6, warmUpSeconds: 0 };
  // One of them can do half of what is offered.
  const variants = { one: {}, two: { engine: { parameters: { commit_delay: 100_000, commit_siblings: 0 } } } };
  const workload = { tool: 'pgbench', scale: 1, clients: 2, threads: 1, durationSeconds: 1 };
  tiny.define({ ...tinyExperiment, workload, variants, protocol });
  const { exitCode, stdout, stderr } = await tiny.run('load-run', 'tiny', ...onFolders).ended;
  expect(exitCode, stderr).toBe(0);
  const next = nextIn(`${stderr}${stdout}`);
  expect(next).toMatch(/ report results\/tiny\/latest --terminal$/);
  expect(await carryOut(next)).toContain('Does it run?');
  expect(nextOnPage()).toMatch(/ load-run results\/tiny\/\S+ --local --seed \d+$/);
});

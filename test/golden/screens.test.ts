import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { commandLine } from '../../runner/cli/main.ts';
import { openFolder } from '../../runner/analysis/open-result.ts';
import type { Result } from '../../runner/contract/result.ts';
import { toolVersion } from '../../runner/contract/tool-version.ts';
import { fakeIo, type Printed, runCommandLine } from '../helpers/fakes/fake-io.ts';
import { smallExperiment } from '../helpers/samples/experiment-file.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';
import { saveResult, saveSample } from '../helpers/samples/saved-sample.ts';
import { screen, screensOf } from '../helpers/shown/screens.ts';
import { project } from '../helpers/synthesize.ts';

const parent = mkdtempSync(path.join(tmpdir(), 'screens-'));
afterAll(() => rmSync(parent, { recursive: true }));
/** A folder with experiments and no results, one with results, and one with nothing. */
const folders = { fresh: '', used: '', empty: '' };
for (const name of ['fresh', 'used', 'empty'] as const) {
  folders[name] = path.join(parent, name);
  mkdirSync(folders[name]);
}
await fill();

const names = commandLine(fakeIo().io).program.commands.map((command) => command.name());
const verbs = names.filter((name) => name !== 'completion-server');

/** The words, and where they are run. Nothing here depends on the machine, the day, or anything outside. */
const commands: Record<string, readonly [words: string, folder?: keyof typeof folders]> = {
  'the bare command in an empty folder': ['', 'empty'],
  'the bare command before the first result': ['', 'fresh'],
  'the bare command with a result': ['', 'used'],
  help: ['--help'],
  ...Object.fromEntries(verbs.map((verb): [string, [string]] => [`${verb} help`, [`${verb} --help`]])),
  list: ['list'],
  'list in an empty folder': ['list', 'empty'],
  'compare of one candidate': ['compare results/quick/latest results/quick/latest', 'used'],
  'compare of two candidates': ['compare two two', 'used'],
  'compare of two candidates by another metric': ['compare two two --metric latency.p99', 'used'],
  'compare of outputs': ['compare outputs/simple.out outputs/weights.out'],
  'plan with a pilot': ['plan quick --seed 1 -p local --pilot results/quick/latest', 'used'],
  'a dry run': ['load-run quick --seed 1 -p local --dry-run'],
  report: ['report results/quick/latest', 'used'],
  'report in the terminal': ['report results/quick/latest --terminal', 'used'],
  history: ['history quick', 'used'],
  verify: ['verify results/quick/latest', 'used'],
  parse: ['parse outputs/progress-rate-limit.out outputs/aborted-client-timed.out'],
  explain: ['explain'],
  'explain of a check': ['explain clock'],
  'explain of an unknown id': ['explain clok'],
  digest: ['digest logs/rate/pgbench_log.100 --lag'],
  'an unknown verb': ['lits'],
  'help of an unknown verb': ['help lits'],
  'help of two words': ['help plan quick'],
  'an unknown option': ['plan quick --prises live'],
  'an unknown experiment': ['plan quikc'],
  'an experiment like no other': ['load-run something-else --local'],
  'an experiment in an empty folder': ['plan quick --seed 1 -p local', 'empty'],
  'an unknown profile': ['plan quick -p smokey'],
  'an unknown metric': ['compare two two --metric latency.p90', 'used'],
  'an unknown shell': ['completion tcsh'],
  'a missing argument': ['watch'],
  'a missing option': ['preflight'],
  'options that exclude each other': ['load-run quick --local --quiet --verbose'],
  'no experiment': ['load-run --local'],
  'a file with mistakes': ['plan mistakes.yaml'],
  'a name that exists': ['init quick'],
  'a deploy of a local experiment': ['policy quick'],
};

describe('a command shows what it did', () => {
  it.each(Object.entries(commands))('%s', async (name, [words, folder = 'fresh']) => {
    const run = (columns: number): Promise<Printed> =>
      runCommandLine(words === '' ? [] : words.split(' '), { workingFolder: folders[folder], columns });
    const shown = await screensOf(run, words !== '');
    // A terminal that does not know its width breaks the lines itself.
    expect(screen('no terminal', await run(0))).toBe(shown.at(-1));
    const text = shown
      .join('\n')
      .replaceAll(folders[folder], '/folder')
      .replaceAll(toolVersion, '1.2.3')
      .replaceAll(/\b[0-9a-f]{64}\b/g, '0123456789abcdef'.repeat(4));
    await expect(text).toMatchFileSnapshot(`screens/${name.replaceAll(' ', '-')}.txt`);
  });
});

it('a dry try shows its file, whose lines stay whole, and its plan', async () => {
  const words = 'try --set work_mem=4MB,64MB --clients 2 --scale 5 --seed 1 --dry-run';
  const printed = await runCommandLine(words.split(' '), { workingFolder: folders.empty, columns: 80 });
  const text = screen('80 columns', printed).replaceAll(folders.empty, '/folder').replaceAll(toolVersion, '1.2.3');
  await expect(text).toMatchFileSnapshot('screens/a-dry-try.txt');
});

describe('the bare command', () => {
  it.each(['fresh', 'used', 'empty'] as const)('fits into a screen in a %s folder, and ends with 0', async (folder) => {
    const printed = await runCommandLine([], { workingFolder: folders[folder], columns: 80 });
    expect(printed.stdout.split('\n').length).toBeLessThanOrEqual(24);
    expect(printed).toMatchObject({ stderr: '', exitCode: 0 });
  });
});

describe('the latest result of the bare command', () => {
  const latest = async (change: (result: Result) => void): Promise<string> => {
    const folder = mkdtempSync(path.join(parent, 'latest-'));
    const run = path.join(folder, 'results/quick/latest');
    await saveSample(run, { blocks: 6 });
    const { result } = await openFolder(run);
    change(result);
    await saveResult(run, result);
    return (await runCommandLine([], { workingFolder: folder, columns: 80 })).stdout;
  };

  it('shows no figures before the run is complete: it may be a blind one', async () => {
    const planned = await latest(({ experiment }) => (experiment.definition.protocol.blocks = 6));
    expect(planned).toContain('% faster than without-log-volume');
    const interrupted = await latest((result) => {
      result.experiment.definition.protocol.blocks = 12;
      result.complete = false;
    });
    expect(interrupted).toContain('still running, or interrupted');
    expect(interrupted).not.toContain('%');
  });

  it('says how to find out why it cannot be shown', async () => {
    const folder = mkdtempSync(path.join(parent, 'damaged-'));
    const run = path.join(folder, 'results/quick/latest');
    await saveSample(run, { blocks: 6 });
    writeFileSync(path.join(run, 'result.json'), '{');
    const { stdout, exitCode } = await runCommandLine([], { workingFolder: folder, columns: 80 });
    expect(stdout).toContain('npx --no-install pgduet verify results/quick/latest');
    expect(exitCode).toBe(0);
  });
});

describe('without a terminal', () => {
  it('every problem of a file is one line', async () => {
    const { stderr } = await runCommandLine(['plan', 'mistakes.yaml'], {
      workingFolder: folders.fresh,
      columns: Infinity,
    });
    const lines = stderr.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines.slice(1)) expect(line).toMatch(/^ {2}mistakes\.yaml:\d+:\d+ +\S.*\S$/);
  });
});

describe('a terminal that is too narrow for any table', () => {
  it('gets whole lines, which it breaks itself', async () => {
    const [narrow, whole] = [20, Infinity].map((columns) => runCommandLine(['--help'], { columns }));
    expect(await narrow).toEqual(await whole);
  });

  it('begins below 40 columns', async () => {
    const { stdout } = await runCommandLine(['--help'], { columns: 40 });
    expect(stdout.split('\n').filter((line) => line.length > 40)).toEqual([]);
  });
});

describe('help', () => {
  it('does not list the verbs that only the driver and the shell call', async () => {
    const { stdout } = await runCommandLine(['--help']);
    for (const verb of ['preflight', 'await-databases', 'conclude', 'completion-server']) {
      expect(names).toContain(verb);
      expect(stdout).not.toContain(verb);
    }
  });
});

async function fill(): Promise<void> {
  const { fresh, used } = folders;
  for (const folder of [fresh, used]) {
    symlinkSync(path.join(project, 'experiments'), path.join(folder, 'experiments'));
    symlinkSync(path.join(project, 'test/fixtures/pgbench-logs/15.18'), path.join(folder, 'logs'));
    symlinkSync(path.join(project, 'test/fixtures/pgbench/15.18'), path.join(folder, 'outputs'));
  }
  const mistakes = {
    ...smallExperiment(),
    name: 'mistakes',
    profils: {},
    baseline: 'nothing',
    engine: { version: 'x' },
  };
  writeFileSync(path.join(fresh, 'mistakes.yaml'), stringify(mistakes));
  await saveSample(path.join(used, 'results/quick/2026-11-21T06-28-18Z'), { blocks: 8 });
  symlinkSync('2026-11-21T06-28-18Z', path.join(used, 'results/quick/latest'));
  const variants = { 'without-log-volume': 1, 'with-log-volume': 1.31, 'with-slow-storage': 0.8 };
  await saveResult(path.join(used, 'two'), await sampleResult({ variants, blocks: 8 }));
}

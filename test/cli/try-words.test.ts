import { truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandOf } from '../../runner/cli/try-options.ts';
import { adviceOnDump, adviceOnKeys, isAnswered } from '../../runner/cli/actions/try.ts';
import { loadRunCommand } from '../../runner/cli/actions/load-run-command.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';

describe('the advice of a try', async () => {
  const { comparisons } = await sampleResult();

  test('names its options, and how to keep the file for keys that have none', () => {
    expect(adviceOnKeys({})).toMatch(/--seconds.*--clients.*--scale.*--keep-file NAME\.yaml/);
    expect(adviceOnKeys({ keepFile: 'mine.yaml' })).toMatch(/ pgduet load-run mine\.yaml --local$/);
    expect(adviceOnKeys({ keepFile: 'mine.yaml', server: 'staging' })).toMatch(/ pgduet load-run mine\.yaml$/);
  });

  test.each([
    ['better', true],
    ['inconclusive', false],
    [null, false],
  ] as const)('is not needed where the verdict settles the question: %s', (verdict, answered) => {
    expect(isAnswered({ complete: true, comparisons: comparisons.map((one) => ({ ...one, verdict })) })).toBe(answered);
  });
});

describe('the command that repeats a try, or measures the rest of it', () => {
  test('names the run, and the options without which it would be another one', () => {
    expect(loadRunCommand('results/try-jit/latest', { out: 'results', pgBindir: ['/a'] })).toBe(
      'npx --no-install pgduet load-run results/try-jit/latest --local --pg-bindir /a',
    );
    expect(loadRunCommand('results/try-jit/1', { out: 'results' }, { isResumed: true })).toBe(
      'npx --no-install pgduet load-run results/try-jit/1 --local --resume',
    );
    expect(loadRunCommand('results/try-jit/latest', { out: 'results', isFound: true })).toBe(
      'npx --no-install pgduet load-run results/try-jit/latest',
    );
    const own = { out: 'my results', quietMachine: 'required', pgBindir: ['/a', '/b'] } as const;
    expect(loadRunCommand('my results/1', { ...own, pgBindir: [...own.pgBindir] }, { isResumed: true })).toBe(
      "npx --no-install pgduet load-run 'my results/1' --local --resume --out 'my results' --quiet-machine required --pg-bindir /a --pg-bindir /b",
    );
  });
});

test('a dump that the results do not contain is named as what a repeat needs', () => {
  const io = { workingFolder: temporaryFolder() };
  const size = (bytes: number) => {
    writeFileSync(path.join(io.workingFolder, 'shop.dump'), '');
    truncateSync(path.join(io.workingFolder, 'shop.dump'), bytes);
  };
  const words = ['That reads shop.dump again. Keep it where it is: the results do not contain it.'];
  size(2 ** 20);
  expect(adviceOnDump({ dump: 'shop.dump' }, io)).toEqual([]);
  expect(adviceOnDump({ dump: 'shop.dump', keepFile: 'mine.yaml' }, io)).toEqual(words);
  size(17 * 2 ** 20);
  expect(adviceOnDump({ dump: 'shop.dump' }, io)).toEqual(words);
  expect(adviceOnDump({}, io)).toEqual([]);
});

test('the command that is kept with an experiment names the folders of PostgreSQL and the rule for other programs', () => {
  const set = [{ name: 'jit', values: ['on', 'off'] }];
  const folders = { pgBindir: ['/opt/pg 17/bin', '/b'], quietMachine: 'awaited' } as const;
  expect(commandOf({ set, prepare: [], out: 'results', ...folders, pgBindir: [...folders.pgBindir] })).toBe(
    "npx --no-install pgduet try --set jit=on,off --quiet-machine awaited --pg-bindir '/opt/pg 17/bin' --pg-bindir /b",
  );
});

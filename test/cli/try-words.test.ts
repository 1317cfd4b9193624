import { truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandOf } from '../../runner/cli/actions/try-experiment.ts';
import { loadRunCommand, adviceOnDump } from '../../runner/cli/actions/try.ts';
import { adviceOnKeys, inOptions } from '../../runner/cli/actions/try-words.ts';
import { UserError } from '../../runner/contract/errors.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';

describe('the advice of a try', async () => {
  const { comparisons } = await sampleResult();

  test('names its options, and how to keep the file for keys that have none', () => {
    const stoppedBy = 'Stopped after block 1. With protocol.repeats: 0, a run continues nevertheless.';
    const [advice] = adviceOnKeys({ complete: false, comparisons, stoppedBy }, {});
    expect(advice).toMatch(/--seconds.*--clients.*--scale/);
    expect(advice).toContain('such as protocol.repeats, have no option: write the file with --keep-file NAME.yaml');
    expect(advice).toMatch(/npx --no-install pgduet load-run NAME\.yaml --local$/);
    expect(adviceOnKeys({ complete: false, comparisons }, { keepFile: 'mine.yaml' })).toEqual([
      expect.stringMatching(/set them in mine\.yaml, and: npx --no-install pgduet load-run mine\.yaml --local$/),
    ]);
  });

  test('comes with every result that leaves the question open, and with no other', () => {
    const withVerdict = (verdict: 'better' | 'inconclusive' | null) =>
      adviceOnKeys({ complete: true, comparisons: comparisons.map((one) => ({ ...one, verdict })) }, {}).length;
    expect(withVerdict('better')).toBe(0);
    expect(withVerdict('inconclusive')).toBe(1);
    expect(withVerdict(null)).toBe(1);
  });
});

describe('an error', () => {
  const printed = (error: unknown) => (inOptions(error, {}) as Error).message;

  test('goes by options where keys of the file have one, and says how to set the others', () => {
    expect(printed(new UserError('Make workload.durationSeconds longer.'))).toBe('Make --seconds longer.');
    expect(printed(new UserError('Set workload.verboseErrors: true.'))).toMatch(
      /^Set workload\.verboseErrors: true\. Keys of the experiment file, such as workload\.verboseErrors, have no option/,
    );
  });

  test('that may pass stays one, and one without keys stays as it is', () => {
    const isTransient = inOptions(new UserError('workload.scale is large', { isTransient: true }), {});
    expect(isTransient).toMatchObject({ message: '--scale is large', isTransient: true });
    for (const error of [
      new UserError('No room.'),
      new UserError('workload.sql and data.d/x.sql are not there.'),
      new Error('protocol.blocks'),
    ]) {
      expect(inOptions(error, {})).toBe(error);
    }
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

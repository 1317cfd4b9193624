import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFolder } from '../../runner/analysis/open-result.ts';
import { everyCheck } from '../../runner/analysis/validity/registry.ts';
import { checkSchema } from '../../runner/contract/check.ts';
import { comparisonSchema } from '../../runner/contract/comparison.ts';
import { externalReasons, externalReasonSchema } from '../../runner/contract/external-reasons.ts';
import { loadWords } from '../../runner/contract/load-words.ts';
import { trialSchema } from '../../runner/contract/trial.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { saveSample } from '../helpers/samples/saved-sample.ts';

const folder = path.resolve(import.meta.dirname, '../fixtures/results/v2');

it('a script and a check of a result of an earlier pgduet have their names of now, so that it compares with a new one', async () => {
  const { result } = await openFolder(folder);
  expect(new Set(result.trials.map(({ facts }) => facts.identity?.['scripts']))).toEqual(new Set(['simple update']));
  const states = result.trials.flatMap(({ checks }) => checks.map(({ state }) => state));
  expect(new Set(states)).toEqual(new Set(['pass', 'warn', 'not-assessed']));
});

it.each([
  ['builtin: select only (weight 3) + builtin: TPC-B (sort of)', 'select only (weight 3) + TPC-B (sort of)'],
  ['order.sql + builtin: select only', 'order.sql + select only'],
  ['my builtin: x.sql', 'my builtin: x.sql'],
])('the scripts %s of an earlier result are %s', (scripts, now) => {
  expect(trialSchema.shape.facts.parse({ identity: { scripts, clients: 2 } }).identity).toEqual({
    scripts: now,
    clients: 2,
  });
});

const undecided = comparisonSchema.shape.undecided.unwrap().out.options;

it.each([
  ['undecided', undecided, comparisonSchema.shape.undecided],
  ['outside', externalReasons, externalReasonSchema],
  ['state', checkSchema.in.shape.state.out.options, checkSchema.in.shape.state],
])('each %s of an earlier result, in words, is an id of now', (_, ids, schema) => {
  expect(ids.map((id) => schema.parse(id.replaceAll('-', ' ')))).toEqual(ids);
});

it('every check of an earlier result, which has only a name, has an id that explain knows', async () => {
  const { result } = await openFolder(folder);
  const checks = [...result.trials, ...result.comparisons].flatMap((one) => one.checks);
  const known = new Set(everyCheck.map(({ id }) => id));
  expect(checks.filter(({ id }) => !known.has(id))).toEqual([]);
  expect(checks.map(({ name }) => name)).toContain('asymmetry');
});

it('how the load worked is an id, of whatever version, and has words', () => {
  const earlier = { begins: 'at a given rate', connects: 'for each transaction', limit: 'a number of transactions' };
  const now = { begins: 'rate', connects: 'each', limit: 'transactions' };
  for (const identity of [earlier, now]) expect(trialSchema.shape.facts.parse({ identity }).identity).toEqual(now);
  expect(Object.entries(now).map(([name, id]) => loadWords(name, id))).toEqual(Object.values(earlier));
});

type Json = Record<string, unknown>;

describe('a result of an earlier pgduet that says all of this in words', () => {
  const failed = { name: 'other programs', state: 'fail', finding: 'took 40%', outside: 'other programs' };

  /** The folder above the run `earlier`. */
  function withEarlierWords(): string {
    const parent = temporaryFolder();
    const run = path.join(parent, 'earlier');
    cpSync(folder, run, { recursive: true });
    const edit = (name: string, change: (content: Json) => void): void => {
      const content = JSON.parse(readFileSync(path.join(run, name), 'utf8')) as Json;
      change(content);
      writeFileSync(path.join(run, name), JSON.stringify(content));
    };
    const fail = (trial: Json): unknown => Object.assign(trial, { checks: [...(trial['checks'] as Json[]), failed] });
    edit('trials/block-01-1-with-log-volume/trial.json', fail);
    edit('result.json', ({ trials, comparisons }) => {
      fail((trials as Json[])[0] ?? {});
      const primary = (comparisons as Json[]).find((one) => one['primary'] === true);
      const withheldBy = [{ check: 'other-programs', finding: 'took 40%' }];
      const withheld = ['other programs: took 40%'];
      Object.assign(primary ?? {}, { verdict: null, withheld, withheldBy, undecided: 'other programs' });
    });
    return parent;
  }

  it('is opened with ids', async () => {
    const { result } = await openFolder(path.join(withEarlierWords(), 'earlier'));
    expect(result.comparisons.find(({ primary }) => primary)).toMatchObject({
      undecided: 'other-programs',
      withheld: [{ id: 'other-programs', trial: 'block-01-1-with-log-volume' }],
    });
    expect(result.trials[0]?.checks.at(-1)).toMatchObject({ id: 'other-programs', outside: 'other-programs' });
  });

  it('is reported, compared with a new one, and verified as far as it can be', async () => {
    const workingFolder = withEarlierWords();
    await saveSample(path.join(workingFolder, 'now'), { blocks: 2 });
    for (const words of [
      'report earlier',
      'compare earlier now --across scale,clients --json',
      'compare now earlier --across scale,clients',
      'verify earlier --json',
    ]) {
      const { stdout, stderr, exitCode } = await runCommandLine(words.split(' '), { workingFolder });
      expect(exitCode, `${words}: ${stderr}`).toBe(words.startsWith('verify') ? 1 : 0);
      expect(stdout).not.toBe('');
    }
  });
});

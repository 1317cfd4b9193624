import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compareTrials } from '../../runner/analysis/compare.ts';
import type { Result } from '../../runner/contract/result.ts';
import { sampleResult, type SampleOptions } from '../helpers/sample-result.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'pgduet-recompute-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** With the comparisons that pgduet makes of the sample's trials. */
function comparedResult(options: SampleOptions): Result {
  return compared(sampleResult(options));
}

function compared(result: Result): Result {
  const { decision } = result.experiment.definition;
  const { comparisons } = compareTrials({
    trials: result.trials,
    baseline: result.experiment.baseline,
    variants: result.variants.map(({ name }) => name),
    decision,
    limit: 'time',
  });
  return { ...result, comparisons };
}

async function recompute(result: Result, name = 'result'): Promise<string> {
  const file = path.join(folder, `${name}.json`);
  await writeFile(file, JSON.stringify(result));
  const script = path.resolve(import.meta.dirname, '../../docs/recompute.py');
  return (await promisify(execFile)('python3', [script, file])).stdout;
}

/** Nothing else in the project needs Python. */
const hasPython = spawnSync('python3', ['--version']).status === 0;

describe.skipIf(!hasPython)('docs/recompute.py', () => {
  it.each([6, 7, 10, 23])('finds the interval of %i blocks that result.json states', async (blocks) => {
    const output = await recompute(comparedResult({ blocks, variants: { one: 1, two: 1.2, three: 0.97 } }));
    expect(output).toMatch(/^two against one, tps, .*% to .*% at the 9[5-9]\.\d\d% level$/m);
    expect(output).toMatch(/^three against one/m);
    expect(output).toContain('result.json says the same');
  });

  it('leaves out blocks in which a trial failed, as pgduet does', async () => {
    const output = await recompute(
      comparedResult({ blocks: 8, failedTrial: { block: 2, variant: 'with-log-volume' } }),
    );
    expect(output).toContain('7 blocks');
    expect(output).toContain('result.json says the same');
  });

  it('takes a repeated block from the attempt that is valid', async () => {
    const result = sampleResult({ blocks: 8 });
    const repeats = result.trials.flatMap((trial) =>
      trial.state === 'finished' && trial.block === 3
        ? [{ ...trial, attempt: 2, run: { ...trial.run, tps: (trial.run.tps ?? 0) * trial.position } }]
        : [],
    );
    const invalid = result.trials.map((trial) =>
      trial.state === 'finished' && trial.id.startsWith('block-03-1')
        ? { ...trial, checks: [{ name: 'clock', state: 'fail' as const, finding: 'set by 2 s' }] }
        : trial,
    );
    const [before, after] = await Promise.all([
      recompute(compared(result), 'before'),
      recompute(compared({ ...result, trials: [...invalid, ...repeats] }), 'after'),
    ]);
    expect(after).toContain('8 blocks');
    expect(after).not.toBe(before);
    expect(after).toContain('result.json says the same');
  });

  it('forms no interval from five blocks', async () => {
    const output = await recompute(comparedResult({ blocks: 5 }));
    expect(output).toContain('no interval\nresult.json says the same');
  });

  it('notices when result.json states another interval', async () => {
    const result = comparedResult({ blocks: 6 });
    const [first] = result.comparisons;
    if (first?.interval) first.interval.low -= 0.001;
    await expect(recompute(result)).rejects.toMatchObject({
      stdout: expect.stringContaining('something else') as string,
    });
  });
});

import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Result, resultSchema } from '../../runner/contract/result.ts';
import { renderHtml } from '../helpers/shown/render-html.ts';
import { renderMarkdown } from '../../runner/report/markdown.ts';
import { renderTerminal } from '../../runner/report/terminal/terminal.ts';
import { withEarlierStarts } from '../../runner/run/run-identity.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { sampleResult, sampleRun } from '../helpers/samples/sample-result.ts';
import { unseal } from '../helpers/samples/sealed-sample.ts';
import { saveResult } from '../helpers/samples/saved-sample.ts';

const [baseline, candidate] = ['without-log-volume', 'with-log-volume'];
const gains = [1.3, 1.34, 1.32];

let results = '';
beforeEach(() => {
  results = path.join(temporaryFolder(), 'results/quick');
});

/** A start of the same experiment on that day of November, in which the candidate is faster by the factor. */
async function startOn(day: number, gain: number, change: (result: Result) => Result = (result) => result) {
  const result = await sampleResult({ variants: { [baseline]: 1, [candidate]: gain }, seed: day });
  const folder = path.join(results, `2026-11-${String(day).padStart(2, '0')}T06-28-18Z`);
  const own = change({ ...result, startedAt: `2026-11-${String(day).padStart(2, '0')}T06:28:18.000Z` });
  await saveResult(folder, own);
  return { result: own, folder };
}

async function threeBefore(): Promise<{ result: Result; folder: string }> {
  for (const [index, gain] of gains.entries()) await startOn(index + 1, gain);
  return startOn(10, 1.33);
}

let warned: string[] = [];
beforeEach(() => void (warned = []));
const besideThem = (result: Result, folder: string): Result =>
  withEarlierStarts(result, folder, (event) => {
    if (event.kind === 'warning') warned.push(event.text);
  });

const changeOf = ({ comparisons }: Pick<Result, 'comparisons'>): number =>
  comparisons.find(({ primary }) => primary)?.change ?? NaN;
const words = (result: Result): string =>
  renderTerminal(result, { columns: 80, colour: false }).replaceAll(/\s+/g, ' ');

describe('earlier starts of the same experiment', () => {
  test('stand beside a start from the oldest, with the interval of the next one', async () => {
    const { result, folder } = await threeBefore();
    const [earlier] = besideThem(result, folder).earlier ?? [];
    expect(earlier?.starts.map(({ startedAt }) => startedAt.slice(8, 10))).toEqual(['01', '02', '03']);
    const changes = [...(earlier?.starts ?? []).map(({ change }) => change), changeOf(result)];
    expect(earlier?.next).toMatchObject({ level: 0.6, count: 4 });
    expect(earlier?.next?.high).toBeCloseTo(Math.max(...changes), 9);
    expect(earlier?.next?.low).toBeCloseTo(Math.min(...changes), 9);
  });

  test('do not count where their result was changed after it had been saved', async () => {
    const { folder: changed } = await startOn(4, 1.31);
    const { result, folder } = await threeBefore();
    const file = path.join(changed, 'result.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"complete": true', '"complete":  true'));
    const [earlier] = besideThem(result, folder).earlier ?? [];
    expect(earlier?.starts.map(({ startedAt }) => startedAt.slice(8, 10))).toEqual(['01', '02', '03']);
    expect(warned).toEqual([expect.stringContaining(`An earlier run is excluded: ${file} was changed`)]);
  });

  test('do not count where their manifest or its line was taken away, and are named', async () => {
    const [without, unnamed] = [await startOn(4, 1.31), await startOn(5, 1.31)].map((start) => start.folder);
    const { result, folder } = await threeBefore();
    rmSync(path.join(without ?? '', 'SHA256SUMS'));
    unseal(unnamed ?? '', 'result.json');
    const [earlier] = besideThem(result, folder).earlier ?? [];
    expect(earlier?.starts.map(({ startedAt }) => startedAt.slice(8, 10))).toEqual(['01', '02', '03']);
    expect(warned).toEqual([
      expect.stringContaining(`An earlier run is excluded: ${unnamed}/result.json was added, or its line was removed`),
      `An earlier run is excluded: ${without} has no SHA256SUMS, so changes since the run cannot be detected.`,
    ]);
  });

  test('stand in terminal, Markdown and HTML, and can be read back', async () => {
    const { result, folder } = await threeBefore();
    const { series } = await sampleRun({});
    const with3 = besideThem(result, folder);
    const sentence =
      /Earlier runs here: 3\d, 3\d, 3\d%; prediction for the next run: 3\d% to 3\d% \(60% confidence, from four runs\)\./;
    expect(words(with3)).toMatch(sentence);
    expect(renderMarkdown(with3)).toMatch(sentence);
    expect((await renderHtml(with3, series)).replaceAll(/\s+/g, ' ')).toMatch(sentence);
    expect(resultSchema.parse(JSON.parse(JSON.stringify(with3))).earlier).toEqual(with3.earlier);
  });

  test('are no ground to expect anything of the next while they are fewer than three', async () => {
    await startOn(1, 1.3);
    const { result, folder } = await startOn(10, 1.3);
    const with1 = besideThem(result, folder);
    expect(with1.earlier?.[0]?.next).toBeNull();
    expect(words(with1)).toMatch(/Earlier run here: \d+%\./);
  });

  test('are found again with more blocks and in other words', async () => {
    await startOn(1, 1.3, (result) => {
      const copy = structuredClone(result);
      copy.experiment.definition.question += ' Again?';
      copy.experiment.definition.protocol.blocks += 2;
      return copy;
    });
    const { result, folder } = await startOn(10, 1.3);
    expect(besideThem(result, folder).earlier?.[0]?.starts).toHaveLength(1);
  });

  test('contradict an interval that holds none of them, and blocks that agree better than starts', async () => {
    for (const [index, gain] of gains.entries()) await startOn(index + 1, gain);
    const { result, folder } = await startOn(10, 1.6);
    const [earlier] = besideThem(result, folder).earlier ?? [];
    expect(earlier?.chance).toBeLessThan(0.01);
    expect(words(besideThem(result, folder))).toMatch(
      /This run’s interval contains none of the three\. Runs differ by more than their blocks explain: block variation alone would spread them this far in less than 0\.1% of cases\./,
    );
  });

  test('count only where all of their blocks are known, and it is said how many do not', async () => {
    const unknown = (verdict: 'better' | 'descriptive') => (result: Result) => {
      const copy = structuredClone(result);
      for (const one of copy.comparisons) if (one.primary) Object.assign(one, { unknownPairs: 1, verdict });
      return copy;
    };
    for (const [index, gain] of gains.entries()) await startOn(index + 1, gain);
    // Those of the blocks that its servers did not lose are twice as fast; the other has too few blocks for a verdict.
    await startOn(4, 2.6, unknown('better'));
    await startOn(5, 2.6, unknown('descriptive'));
    const { result, folder } = await startOn(10, 1.33);
    const with3 = besideThem(result, folder);
    expect(with3.earlier?.[0]).toMatchObject({ leftOut: { earlier: 2, own: false }, next: { count: 4 } });
    expect(with3.earlier?.[0]?.starts).toHaveLength(3);
    expect(words(with3)).toContain('2 of 6 runs are excluded, because they lost blocks.');

    const own = await startOn(11, 2.6, unknown('better'));
    const [earlier] = besideThem(own.result, own.folder).earlier ?? [];
    expect(earlier).toMatchObject({ leftOut: { earlier: 2, own: true }, next: { count: 4 } });
    expect(words(besideThem(own.result, own.folder))).toContain(
      '3 of 7 runs, this one included, are excluded, because they lost blocks.',
    );
  });

  test('of which none counts are still counted', async () => {
    const lost = (result: Result) => {
      const copy = structuredClone(result);
      for (const one of copy.comparisons) if (one.primary) one.unknownPairs = 1;
      return copy;
    };
    await startOn(1, 1.3, lost);
    const { result, folder } = await startOn(10, 1.33);
    const { earlier } = besideThem(result, folder);
    expect(earlier?.[0]).toMatchObject({ starts: [], next: null, chance: null });
    expect(words(besideThem(result, folder))).toContain('1 of 2 runs is excluded, because it lost blocks.');
  });

  test('are left alone where anything but the seed differs, or a verdict is missing', async () => {
    const other = (change: (result: Result) => void) => (result: Result) => {
      const copy = structuredClone(result);
      change(copy);
      return copy;
    };
    await startOn(
      1,
      1.3,
      other(({ experiment }) => void (experiment.profile = 'smoke')),
    );
    await startOn(
      2,
      1.3,
      other(({ experiment }) => void (experiment.definition.workload.scale = 21)),
    );
    await startOn(
      3,
      1.3,
      other(({ variants }) => variants.forEach((variant) => (variant.serverVersion = '16.14'))),
    );
    await startOn(
      4,
      1.3,
      other((result) => void (result.toolVersion = '0.0.9')),
    );
    await startOn(
      5,
      1.3,
      other(({ comparisons }) => comparisons.forEach((one) => (one.verdict &&= null))),
    );
    await startOn(
      6,
      1.3,
      other(({ experiment }) => void (experiment.definition.protocol.seed = 77)),
    );
    // One that began later is not an earlier one.
    await startOn(20, 1.3);
    const { result, folder } = await startOn(10, 1.3);
    const { earlier } = besideThem(result, folder);
    expect(earlier?.[0]?.starts.map(({ startedAt }) => startedAt.slice(8, 10))).toEqual(['06']);
  });

  test('are found beside damaged, foreign and half-written results', async () => {
    await startOn(1, 1.3);
    for (const [name, text] of [
      ['2026-11-02T06-28-18Z', '{"kind": "pgduet-result", "schemaVersion": 2'],
      ['2026-11-03T06-28-18Z', '{"kind": "pgduet-result", "schemaVersion": 99}'],
      ['notes', 'by hand'],
    ] as const) {
      mkdirSync(path.join(results, name));
      writeFileSync(path.join(results, name, 'result.json'), text);
    }
    mkdirSync(path.join(results, '2026-11-04T06-28-18Z/result.json'), { recursive: true });
    mkdirSync(path.join(results, '2026-11-05T06-28-18Z'));
    const { result, folder } = await startOn(10, 1.3);
    symlinkSync('2026-11-01T06-28-18Z', path.join(results, 'latest'));
    expect(besideThem(result, folder).earlier?.[0]?.starts).toHaveLength(1);
    expect(besideThem(result, path.join(temporaryFolder(), 'nowhere'))).toBe(result);
  });
});

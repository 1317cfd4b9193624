import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { OpenedResult } from '../../runner/analysis/open-result.ts';
import { type Report, reportSchema } from '../../runner/contract/report.ts';
import { levelKey } from '../../runner/contract/trial.ts';
import { knowFolder } from '../../runner/files/open-folder.ts';
import { visible } from '../../runner/report/media/wrap.ts';
import { writeReport } from '../../runner/report/write-report.ts';
import { readReport, readResult } from '../../runner/results.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { changedSample } from '../helpers/samples/changed-sample.ts';
import { reportedResults } from '../helpers/samples/reported-results.ts';
import { sampleRun } from '../helpers/samples/sample-result.ts';
import { saveSealedSample } from '../helpers/samples/sealed-sample.ts';
import { project } from '../helpers/synthesize.ts';
import { hostileResult } from '../sinks/hostile.ts';

function read(folder: string): Report {
  return reportSchema.parse(JSON.parse(readFileSync(path.join(folder, 'report.json'), 'utf8')));
}

/** The report of a result as it is read back, with report.md. */
async function written(
  { result, series }: OpenedResult,
  folder = temporaryFolder(),
): Promise<{ report: Report; markdown: string }> {
  await writeReport(knowFolder(folder), result, series);
  return { report: read(folder), markdown: readFileSync(path.join(folder, 'report.md'), 'utf8') };
}

/** Runs that ended by their own rule, and that have nothing to say. */
const more: Record<string, () => Promise<OpenedResult>> = {
  'until precise': () =>
    changedSample(
      { blocks: 8 },
      ({ run }) => void Object.assign(run.experiment.definition.protocol, { until: 'precision', blocks: 30 }),
      { stoppedAfterBlock: 8 },
    ),
  'nothing measured': () => sampleRun({ silent: true }),
  hostile: hostileResult,
};

describe.each(Object.entries({ ...reportedResults, ...more }))('report.json, read back: %s', (name, make) => {
  let opened: OpenedResult;
  let report: Report;
  let markdown: string;
  beforeAll(async () => {
    opened = await make();
    const folder = mkdtempSync(path.join(tmpdir(), 'report-'));
    try {
      ({ report, markdown } = await written(opened, folder));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('has an answer for each candidate at each level, with the numbers of result.json where there is a verdict', () => {
    const { comparisons, robustness = [] } = opened.result;
    const deciding = comparisons.filter(({ primary }) => primary);
    expect(report.answers).toHaveLength(Math.max(1, deciding.length));
    for (const of of deciding) {
      const isSame = (one: { conditions: Report['answers'][number]['conditions'] }): boolean =>
        levelKey(one.conditions) === levelKey(of.conditions);
      const answer = report.answers.find((one) => one.candidate === of.candidate.variant && isSame(one));
      const isGiven = of.verdict !== null && of.change !== null;
      expect(answer).toMatchObject({
        ...{ baseline: of.baseline.variant, metric: of.metric, scope: of.scope, withheld: of.withheld },
        ...{ verdict: isGiven ? of.verdict : null, pairs: of.pairs.length },
        ...{ change: isGiven ? of.change : null, interval: isGiven ? of.interval : null },
      });
      const other = robustness.find((one) => one.candidate === of.candidate.variant && isSame(one));
      // A description claims nothing either.
      const isVaried = isGiven && of.verdict !== 'descriptive' && (other?.variations.length ?? 0) > 1;
      expect(answer?.robustness).toEqual(isVaried ? other?.variations : null);
    }
  });

  it('has figures of result.json, and the metrics among them that got worse', () => {
    for (const { candidate, conditions, verdict, figures, gotWorse } of report.answers) {
      for (const figure of figures) {
        const of = opened.result.comparisons.find(
          (one) =>
            one.metric === figure.metric &&
            one.candidate.variant === candidate &&
            levelKey(one.conditions) === levelKey(conditions),
        );
        expect(figure).toMatchObject({ baseline: of?.baseline.value, candidate: of?.candidate.value, unit: of?.unit });
        expect([figure.change, figure.interval]).toEqual(verdict === null ? [null, null] : [of?.change, of?.interval]);
        const isWorse = gotWorse?.includes(figure.metric) ?? false;
        if (figure.role !== 'decides')
          expect(figure.role).toBe(isWorse && verdict !== null ? 'got-worse' : 'describes');
        if (isWorse) expect(Math.sign(figure.change ?? 0)).toBe(figure.better === 'higher' ? -1 : 1);
      }
      if (verdict === null) expect(gotWorse).toBeNull();
    }
  });

  // How each medium shows hostile characters is tested in test/sinks.
  it.skipIf(name === 'hostile')('says what report.md says', () => {
    const words = (text: string): string => visible(text).replaceAll(/[^\p{L}\d]+/gu, ' ');
    const text = words(markdown.replaceAll(/&(lt|gt|amp);/g, ' '));
    const sentences = [report.question, report.headline, ...report.doubts.map(({ sentence }) => sentence)];
    for (const sentence of [...sentences, report.repeat.command]) expect(text).toContain(words(sentence).trim());
  });
});

describe('report.json', () => {
  it('has null in place of every number that a withheld verdict would make a claim', async () => {
    const withheld = await reportedResults['withheld']?.();
    if (!withheld) throw new Error('no such result');
    const { report } = await written(withheld);
    expect(report).toMatchObject({
      verdict: null,
      answers: [{ verdict: null, change: null, interval: null, gotWorse: null, price: null, robustness: null }],
    });
    expect(report.answers[0]?.withheld).not.toEqual([]);
    expect(report.answers[0]?.figures.length).toBeGreaterThan(0);
  });

  it('has the block after which a run stopped by its own rule, and nothing but words where nothing was measured', async () => {
    const stopped = await more['until precise']?.();
    const silent = await more['nothing measured']?.();
    if (!stopped || !silent) throw new Error('no such result');
    const { report } = await written(stopped);
    expect(report.run).toMatchObject({ complete: true, stoppedAfterBlock: 8 });
    expect(report.verdict).toBe('better');
    const { report: empty } = await written(silent);
    expect(empty.run.stoppedAfterBlock).toBeNull();
    expect(empty.answers).toMatchObject([{ verdict: null, change: null, interval: null, gotWorse: null }]);
  });

  it('has price and benefit as they are in result.json', async () => {
    const deployed = await reportedResults['deployed with prices']?.();
    if (!deployed) throw new Error('no such result');
    const { report } = await written(deployed);
    const [before, after] = ['without-log-volume', 'with-log-volume'].map(
      (name) => deployed.result.variants.find((variant) => variant.name === name)?.cost?.dollarsPerMonth,
    );
    const [answer] = report.answers;
    expect(answer?.price).toMatchObject({ dollarsPerMonth: { baseline: before, candidate: after } });
    const { change, perDollar } = answer?.price ?? {};
    const pairs = deployed.result.comparisons.find(({ metric }) => metric === 'tps')?.pairs ?? [];
    const [from, to] = (['baseline', 'candidate'] as const).map((side) =>
      pairs.reduce((sum, one) => sum + one[side], 0),
    );
    expect(1 + (perDollar?.value ?? 0)).toBeCloseTo((to ?? NaN) / (from ?? NaN) / (1 + (change?.value ?? 0)), 10);
  });

  it('is what a program reads, with the hashes of the run', async () => {
    const folder = temporaryFolder();
    await saveSealedSample(folder, { blocks: 6, trialSeconds: 5 });
    await runCommandLine(['report', '.'], { workingFolder: folder });
    const report = read(folder);
    const command = (location: string): string => `npx --no-install pgduet load-run ${location} --local --seed 1`;
    expect(report.repeat).toEqual({ command: command('.'), verify: 'npx --no-install pgduet verify .' });
    const repeat = { command: command(folder), verify: `npx --no-install pgduet verify ${folder}` };
    expect(await readReport(folder)).toEqual({ ...report, repeat });
    const sums = readFileSync(path.join(folder, 'SHA256SUMS'), 'utf8');
    expect(sums).toContain(`${report.sha256.result}  result.json\n`);
    expect(sums).toContain(`${report.sha256.experiment}  inputs/files/quick.yaml\n`);
    expect(report.run.startedAt).toBe((await readResult(folder)).startedAt);
  });
});

it('docs/results.md names every field of report.json', () => {
  const [, section = ''] =
    /^## report\.json\n([^]*?)^## /m.exec(readFileSync(path.join(project, 'docs/results.md'), 'utf8')) ?? [];
  const fields = new Set<string>();
  const find = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    if ('properties' in schema && typeof schema.properties === 'object') {
      for (const name of Object.keys(schema.properties ?? {})) fields.add(name);
    }
    Object.values(schema).forEach(find);
  };
  find(z.toJSONSchema(reportSchema));
  expect(fields.size).toBeGreaterThan(40);
  expect([...fields].filter((name) => !new RegExp(`[\`.]${name}\\b`).test(section))).toEqual([]);
});

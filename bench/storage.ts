import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { assembleResult } from '../runner/analysis/assemble.ts';
import { openFolder } from '../runner/analysis/open-result.ts';
import type { SeriesRow } from '../runner/contract/metric.ts';
import type { RunRecord } from '../runner/contract/run-record.ts';
import { toolVersion } from '../runner/contract/tool-version.ts';
import type { Trial } from '../runner/contract/trial.ts';
import { makePlan } from '../runner/experiment/plan/plan.ts';
import { experimentSchema } from '../runner/experiment/schema.ts';
import { plannedTrials } from '../runner/contract/plan.ts';
import { catalogue } from '../runner/metrics/catalogue.ts';
import { runChecked } from '../runner/process/run-command.ts';
import { median } from '../runner/statistics/summaries.ts';
import { runFolder } from '../runner/storage/run-folder.ts';

const blocks = 100;
const trialSeconds = 3600;
/** As many series as a trial with all collectors has at one point a second. */
const seriesNames = ['tps', 'latency.average', ...Array.from({ length: 8 }, (_, index) => `driver.part${index}`)];
const start = Date.UTC(2026, 10, 6) / 1000;

/**
 * Measures a run of 200 trials of an hour each, at a point a second: how much is written, how long reading it back takes,
 * and whether the query in docs/results.md reads its series. The values are made up; everything else is as in a run.
 */
export async function benchStorage(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pgduet-bench-'));
  try {
    const read = experimentSchema.parse({
      name: 'storage',
      question: 'How much is written?',
      variants: { a: { storage: { type: 'local' } }, b: { storage: { type: 'local' }, dedicatedLogVolume: true } },
      baseline: 'a',
      workload: { tool: 'pgbench', scale: 1, clients: 1, durationSeconds: trialSeconds },
      protocol: { blocks },
    });
    const experiment = { ...read, protocol: { ...read.protocol, seed: 1 } };
    const run: RunRecord = {
      toolVersion,
      experiment: {
        name: experiment.name,
        question: experiment.question,
        profile: 'full',
        baseline: 'a',
        seed: 1,
        definition: experiment,
      },
      place: { kind: 'local', description: 'nowhere', caveats: [], volumes: [] },
      startedAt: isoTime(0),
      variants: ['a', 'b'].map((name) => ({ name, description: null, serverVersion: null, settings: {} })),
      warnings: [],
    };
    const store = runFolder(folder, folder);
    await store.saveRun(run);
    const written: number[] = [];
    const trials: Trial[] = [];
    for (const [index, { id, conditions, block, position }] of plannedTrials(makePlan(experiment, 'full')).entries()) {
      store.trialFolder(id);
      const before = bytesWritten();
      trials.push(await store.saveTrial({ ...trialOf(index), id, conditions, block, position }, seriesRows(index)));
      written.push(bytesWritten() - before);
    }
    const [first, last] = [written.slice(0, 20), written.slice(-20)].map((part) => median(part) ?? NaN);
    print(`${trials.length} trials of ${trialSeconds} s with ${seriesNames.length} series of a point a second`);
    print(
      `written for each trial: ${megabytes(first ?? NaN)}; last 20 trials / first 20 ${((last ?? NaN) / (first ?? NaN)).toFixed(3)}`,
    );
    print(`the folder: ${megabytes(sizeOf(folder))}`);

    const assembled = performance.now();
    const result = await assembleResult({ run, steps: [], trials }, { endedAt: isoTime(0) }, store.series);
    print(`compared in ${secondsSince(assembled)}`);
    await store.saveResult(result);
    print(`result.json: ${megabytes(statSync(path.join(folder, 'result.json')).size)}`);
    const readings: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const begun = performance.now();
      await openFolder(folder);
      readings.push((performance.now() - begun) / 1000);
    }
    print(`result.json read back in ${(median(readings) ?? NaN).toFixed(3)} s (median of ${readings.length})`);
    await query(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs the query of docs/results.md, in a Python environment of its own. */
async function query(folder: string): Promise<void> {
  const document = readFileSync(path.join(import.meta.dirname, '../docs/results.md'), 'utf8');
  const [, script] = /```python\n(import duckdb\n[\s\S]*?)```/.exec(document) ?? [];
  if (script === undefined) throw new Error('docs/results.md has no query');
  const environment = mkdtempSync(path.join(tmpdir(), 'pgduet-bench-python-'));
  try {
    await runChecked(['python3', '-m', 'venv', environment]);
    await runChecked([path.join(environment, 'bin/pip'), 'install', '--quiet', 'duckdb==2.0.0']);
    const begun = performance.now();
    const { stdout } = await runChecked([
      path.join(environment, 'bin/python'),
      '-c',
      script.replaceAll('results/quick/latest', folder),
    ]);
    print(`the query of docs/results.md in ${secondsSince(begun)}:\n${stdout}`);
  } finally {
    rmSync(environment, { recursive: true });
  }
}

function trialOf(index: number): Omit<Trial, 'id' | 'conditions' | 'block' | 'position'> {
  return {
    attempt: 1,
    startedAt: isoTime(index * (trialSeconds + 60)),
    endedAt: isoTime(index * (trialSeconds + 60) + trialSeconds),
    state: 'finished',
    failure: null,
    measures: Object.fromEntries(catalogue.map(({ name }, place) => [name, 1000 + Math.sin(index + place)])),
    series: [],
    facts: { identity: { clientVersion: '15.18', scale: 1, clients: 1 }, problems: [], restarted: false },
    checks: Array.from({ length: 12 }, (_, place) => ({
      id: `check-${place}`,
      name: `check ${place}`,
      state: 'pass' as const,
      finding: 'a finding about as long as they are, with its values: 12 of 34',
    })),
    warnings: [],
  };
}

/** Values without a pattern, so that they compress no better than real ones. */
function seriesRows(index: number): SeriesRow[] {
  const generator = xoroshiro128plus(index);
  return seriesNames.flatMap((name, place) =>
    Array.from({ length: trialSeconds }, (_, second) => {
      const value = 1000 + 300 * uniformFloat64(generator);
      return { name, second, value: place === 0 ? Math.round(value) : value };
    }),
  );
}

/** Bytes that this process has written so far, to any file. */
function bytesWritten(): number {
  return Number(/^wchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);
}

function isoTime(seconds: number): string {
  return new Date((start + seconds) * 1000).toISOString();
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`;
}

function secondsSince(begun: number): string {
  return `${((performance.now() - begun) / 1000).toFixed(2)} s`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openFolder } from '../../runner/analysis/open-result.ts';
import type { CarriedOutStep } from '../../runner/contract/result.ts';
import { readSums, sumsFile } from '../../runner/files/sums.ts';
import { copyRun } from '../../runner/storage/results-folder.ts';
import { readResultFile, readRunFolder, runFolder } from '../../runner/storage/run-folder.ts';
import type { RunStore } from '../../runner/storage/run-store.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { recordSample, sampleRun, seriesInMemory } from '../helpers/samples/sample-result.ts';

const options = { blocks: 2, failedTrial: { block: 2, variant: 'with-log-volume' }, trialSeconds: 5 };
const sample = recordSample(options);
const steps: CarriedOutStep[] = [
  { step: 'create', startedAt: '2026-11-21T12:00:00.000Z', endedAt: '2026-11-21T12:00:05.000Z' },
  {
    step: 'cross-over',
    startedAt: '2026-11-21T13:00:00.000Z',
    endedAt: '2026-11-21T13:20:00.000Z',
    switches: [
      {
        instance: 'alice-one',
        logVolume: 'on',
        carries: 'two',
        downtimeSeconds: 40,
        startedAt: '2026-11-21T13:00:00.000Z',
        endedAt: '2026-11-21T13:10:00.000Z',
      },
    ],
  },
];

let folder: string;
let store: RunStore;
beforeEach(() => {
  folder = temporaryFolder();
  store = runFolder(folder, 'results/quick/latest');
});

async function saveTrials(count = sample.trials.length): Promise<void> {
  for (const trial of sample.trials.slice(0, count)) {
    store.trialFolder(trial.id);
    await store.saveTrial(trial, sample.rows.get(trial.id) ?? []);
  }
}

/** What shows that a file was written: its content, its time, and its inode. */
function files(): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    names.flatMap((name) => {
      const file = path.join(folder, name);
      const { mtimeNs, ino } = statSync(file, { bigint: true });
      // The manifest grows by each of them.
      if (!statSync(file).isFile() || name === 'SHA256SUMS') return [];
      return [[name, `${createHash('sha256').update(readFileSync(file)).digest('hex')} ${mtimeNs} ${ino}`]];
    }),
  );
}

describe('the folder of a run', () => {
  it('gives back what was put into it', async () => {
    await store.saveRun(sample.run);
    for (const step of steps) await store.saveStep(step);
    await saveTrials();
    const stored = readRunFolder(folder);
    expect(stored.run).toEqual(sample.run);
    expect(stored.steps).toEqual(steps);
    expect(stored.trials.map(({ series: _, files: __, ...trial }) => trial)).toEqual(
      sample.trials.map(({ series: _, ...trial }) => trial),
    );
    for (const trial of stored.trials) {
      expect(await store.series.read(trial)).toEqual(await seriesInMemory(sample.rows).read(trial));
    }
  });

  it('seals its record and its inputs when it goes on, where a power cut came between writing and sealing', async () => {
    mkdirSync(path.join(folder, 'inputs'));
    writeFileSync(path.join(folder, 'inputs', 'plan.json'), '{}');
    await store.saveRun(sample.run);
    const sealed = readSums(folder);
    rmSync(path.join(folder, sumsFile));
    await store.goOn();
    expect([...(readSums(folder)?.keys() ?? [])]).toEqual(['inputs/plan.json', 'run.json']);
    expect(readSums(folder)).toEqual(sealed);
  });

  it('removes what was half written when it goes on, and nothing else', async () => {
    await store.saveRun(sample.run);
    const trial = path.join(store.trialFolder('block-01-1-one'));
    for (const name of [path.join(folder, '.0123456789aB.writing'), path.join(trial, '.sQ4m3OPoi9tR.writing')]) {
      writeFileSync(name, '{"half');
    }
    writeFileSync(path.join(trial, '.note.writing'), 'mine');
    await store.goOn();
    expect(readdirSync(trial)).toEqual(['.note.writing']);
    expect(readdirSync(folder).sort()).toEqual(['SHA256SUMS', 'run.json', 'trials']);
  });

  it('refers to the series of a trial by file and names, and has none where there are none', async () => {
    await saveTrials();
    for (const { id } of sample.trials) {
      const { series } = JSON.parse(readFileSync(path.join(folder, 'trials', id, 'trial.json'), 'utf8')) as {
        series: object[];
      };
      expect(series).toEqual(
        sample.rows.has(id)
          ? [{ file: 'series.parquet', names: [...new Set(sample.rows.get(id)?.map(({ name }) => name))].sort() }]
          : [],
      );
    }
  });

  it('gives back a result', async () => {
    const { result } = await sampleRun(options);
    await store.saveResult(result);
    expect(readResultFile(folder)).toEqual(result);
  });

  it('gives the same result from its trials where none was left', async () => {
    const { result } = await sampleRun(options);
    await store.saveRun(sample.run);
    await saveTrials();
    const opened = await openFolder(folder);
    const withoutReferences = (one: typeof result) => ({
      ...one,
      endedAt: null,
      trials: one.trials.map(({ files: _, ...trial }) => ({ ...trial, series: [] })),
    });
    expect(withoutReferences(opened.result)).toEqual(withoutReferences(result));
  });

  it('has the findings of every source that answered later, in its trial', async () => {
    await store.saveRun(sample.run);
    await saveTrials(1);
    const [{ id, measures, facts } = { id: '', measures: {}, facts: {} }] = sample.trials;
    await store.saveLater(id, { collector: 'events', measures: {}, facts: { events: [] } });
    await store.saveLater(id, { collector: 'volumes', measures: { 'volume.queue': 3 }, facts: { problems: ['late'] } });
    expect(readRunFolder(folder).trials).toMatchObject([
      {
        measures: { ...measures, 'volume.queue': 3 },
        facts: { ...facts, events: [], problems: [...(facts.problems ?? []), 'late'] },
      },
    ]);
  });

  it('has the series of a source that answered later, beside what it found', async () => {
    await store.saveRun(sample.run);
    await saveTrials(1);
    const id = sample.trials[0]?.id ?? '';
    const findings = { collector: 'volumes', measures: { 'volume.queue': 3 }, facts: {} };
    await store.saveLater(id, { ...findings, facts: { absent: { volumes: 'throttled' } } });
    expect(readRunFolder(folder).trials[0]?.facts.absent).toMatchObject({ volumes: 'throttled' });
    for (const value of [2, 3]) {
      const saved = await store.saveLater(id, findings, [{ second: 60, name: 'volume.queue', value }]);
      expect(saved.series).toEqual([{ file: 'later/volumes.parquet', names: ['volume.queue'] }]);
    }
    const [trial] = readRunFolder(folder).trials;
    expect(trial?.facts.absent).not.toHaveProperty('volumes');
    expect(trial?.series.map(({ file }) => file)).toEqual(['series.parquet', 'later/volumes.parquet']);
    const series = trial && (await store.series.read(trial));
    expect(series?.get('volume.queue')).toEqual([{ second: 60, value: 3 }]);
    expect(series?.get('tps')?.length).toBeGreaterThan(0);
  });

  it('passes over a trial that was about to begin', async () => {
    await store.saveRun(sample.run);
    await saveTrials(1);
    store.trialFolder('block-02-1-with-log-volume');
    expect(readRunFolder(folder).trials).toHaveLength(1);
  });

  it('never gives the folder of a trial that is on record to another one', async () => {
    await saveTrials(1);
    const [{ id } = { id: '' }] = sample.trials;
    expect(() => store.trialFolder(id)).toThrow('already exists');
  });

  it('grows by each trial alone: nothing that is there is written again', async () => {
    await store.saveRun(sample.run);
    let before = files();
    for (const trial of sample.trials) {
      store.trialFolder(trial.id);
      await store.saveTrial(trial, sample.rows.get(trial.id) ?? []);
      const now = files();
      expect(new Map([...now].filter(([name]) => before.has(name)))).toEqual(before);
      const added = [...now.keys()].filter((name) => !before.has(name));
      expect(added.every((name) => name.startsWith(path.join('trials', trial.id)))).toBe(true);
      before = now;
    }
    await store.saveLater(sample.trials[0]?.id ?? '', { collector: 'events', measures: {}, facts: {} });
    await store.saveResult((await sampleRun(options)).result);
    expect(new Map([...files()].filter(([name]) => before.has(name)))).toEqual(before);
  });

  it('grows by a line for each step: the lines before it stay', async () => {
    const file = path.join(folder, 'steps.jsonl');
    let before = '';
    for (const step of [...steps, ...steps]) {
      await store.saveStep(step);
      const now = readFileSync(file, 'utf8');
      expect(now).toBe(`${before}${JSON.stringify(step)}\n`);
      before = now;
    }
  });

  it('can be gone on with where its last step was cut off by a power loss', async () => {
    await store.saveRun(sample.run);
    for (const step of steps) await store.saveStep(step);
    appendFileSync(path.join(folder, 'steps.jsonl'), '{"step":"settle","star');
    expect(readRunFolder(folder).steps).toEqual(steps);
    const again: CarriedOutStep = {
      ...steps[0],
      step: 'create',
      startedAt: sample.run.startedAt,
      endedAt: sample.run.startedAt,
    };
    await store.saveStep(again);
    expect(readRunFolder(folder).steps).toEqual([...steps, again]);
  });

  it.runIf(process.getuid?.() === 0)('is copied to no folder that another user has laid there', async () => {
    const { result, series } = await sampleRun(options);
    const theirs = path.join(folder, 'results');
    mkdirSync(theirs);
    chownSync(theirs, 65_534, 65_534);
    await expect(copyRun(result, series, path.join(theirs, 'quick/one'))).rejects.toThrow(
      `${theirs} belongs to another user (id 65534)`,
    );
    expect(readdirSync(theirs)).toEqual([]);
  });

  it('can be copied, with the series of its trials, to where reports are made', async () => {
    const { result, series } = await sampleRun(options);
    const copy = path.join(folder, 'results/not-there-yet');
    await copyRun(result, { read: (trial) => seriesInMemory(sample.rows).read(trial) }, copy);
    const copied = await openFolder(copy);
    const references = [{ file: 'series.parquet', names: expect.arrayContaining(['tps']) as string[] }];
    expect(copied.result).toEqual({
      ...result,
      trials: result.trials.map((trial) => {
        const isFinished = trial.state === 'finished';
        const files = isFinished ? { 'series.parquet': expect.any(Number) as number } : {};
        return { ...trial, files, series: isFinished ? references : [] };
      }),
    });
    for (const [index, trial] of copied.result.trials.entries()) {
      const original = result.trials[index];
      expect(await copied.series.read(trial)).toEqual(original && (await series.read(original)));
    }
  });
});

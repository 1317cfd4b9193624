import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { look } from './sight.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'sight-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The records of trials, as they are on disk, in the order in which they began; null if there is none yet. */
function sightOf(trials: readonly (object | null)[], stderr = '') {
  for (const [index, record] of trials.entries()) {
    const own = path.join(folder, 'trials', `block-01-${index + 1}-one`);
    mkdirSync(own, { recursive: true });
    if (record) writeFileSync(path.join(own, 'trial.json'), JSON.stringify(record));
  }
  return look({ command: { stderr: () => stderr }, latest: () => folder } as unknown as Parameters<typeof look>[0]);
}

const finished = { state: 'finished', failure: null };
/** As runner/run/trial.ts writes it while a trial goes on. */
const inProgress = (stage: string): object => ({
  state: 'interrupted',
  failure: { stage, code: 'cut-off' },
});

describe('a run is seen', () => {
  it.each([
    ['reset', 'warm-up'],
    ['warm-up', 'warm-up'],
    ['measure', 'measure'],
    ['collect', 'collect'],
  ])('in the stage %s of a trial that goes on, from its record', (stage, phase) => {
    expect(sightOf([finished, inProgress(stage)])).toEqual({ phase, trial: 'block-01-2-one', begun: 2 });
  });

  it('before its trial has a record', () => {
    expect(sightOf([null])).toEqual({ phase: 'warm-up', trial: 'block-01-1-one', begun: 1 });
  });

  it('between two trials', () => {
    const failed = { state: 'failed', failure: { stage: 'measure', code: 'load-failed' } };
    expect(sightOf([finished, failed])).toEqual({ phase: 'collect', trial: null, begun: 2 });
  });
});
